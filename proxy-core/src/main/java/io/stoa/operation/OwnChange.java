// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.RequestOp.ModifyDnOp;
import org.jspecify.annotations.Nullable;

/**
 * Something that was done through Stoa. Immutable, as long as nobody modifies the arrays.
 *
 * @param cause the kind of request that did it
 * @param entry the entry that it was done to; null if that is not known, and it may have been any
 * @param rename the request, if it was to rename the entry; else null
 * @param server which has done it, compared by identity; null if that is not known
 * @param tookNanos how long that took; 0 if that is not known
 * @param refused whether the server has certainly changed nothing
 * @param rights whether it was to change rules of access that stand in the entry
 */
public record OwnChange(
    OpType cause,
    byte @Nullable [] entry,
    @Nullable ModifyDnOp rename,
    @Nullable Object server,
    long tookNanos,
    boolean refused,
    boolean rights) {
  /** The same, done by that server in that time. */
  public OwnChange by(@Nullable Object who, long nanos) {
    return new OwnChange(cause, entry, rename, who, nanos, refused, rights);
  }

  /** The same, which was refused. */
  public OwnChange notDone() {
    return new OwnChange(cause, entry, rename, server, tookNanos, true, rights);
  }
}
