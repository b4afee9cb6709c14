// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.RequestOp.ModifyDnOp;
import org.jspecify.annotations.Nullable;

/**
 * A change made through Stoa. Immutable; callers do not modify the arrays.
 *
 * @param cause kind of the request
 * @param entry name of the changed entry; null if it is not known, so that it may be any
 * @param rename the request, if it renames the entry; null otherwise
 * @param server server that made the change, compared by identity; null if it is not known
 * @param tookNanos duration of the request in nanoseconds; 0 if it is not known
 * @param refused true if the server has certainly changed nothing
 * @param rights true if the request changes access rules stored in the entry
 */
public record OwnChange(
    OpType cause,
    byte @Nullable [] entry,
    @Nullable ModifyDnOp rename,
    @Nullable Object server,
    long tookNanos,
    boolean refused,
    boolean rights) {
  /** Returns the change with its server and duration. */
  public OwnChange by(@Nullable Object origin, long nanos) {
    return new OwnChange(cause, entry, rename, origin, nanos, refused, rights);
  }

  /** Returns the change as one that the server has refused. */
  public OwnChange asRefused() {
    return new OwnChange(cause, entry, rename, server, tookNanos, true, rights);
  }
}
