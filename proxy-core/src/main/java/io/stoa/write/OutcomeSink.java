// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

import io.stoa.change.Change;
import io.stoa.change.ChangeListener;
import io.stoa.ldap.LdapMessage;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.LargeMessage;
import io.stoa.operation.Rejection;
import io.stoa.operation.ResponseSink;
import java.util.EnumSet;
import java.util.Set;

/** Reports the outcome of one write before it passes the answer on. Event-loop confined. */
final class OutcomeSink extends ForwardingSink {
  /** Refusals after the write may have reached the server. */
  private static final Set<Rejection> UNKNOWN =
      EnumSet.of(
          Rejection.UPSTREAM_LOST,
          Rejection.UPSTREAM_TIMEOUT,
          Rejection.UPSTREAM_BROKEN,
          Rejection.STATE_LOST,
          Rejection.CANCELED);

  private final ChangeListener listener;
  private final Change change;

  OutcomeSink(ResponseSink next, ChangeListener listener, Change change) {
    super(next);
    this.listener = listener;
    this.change = change;
  }

  /** Whatever the result code: a referral or an error after a part of the work changes too. */
  @Override
  public void complete(LdapMessage response) {
    listener.changed(change);
    next.complete(response);
  }

  /** The change has been made before its answer begins to arrive. */
  @Override
  public void complete(LargeMessage response) {
    listener.changed(change);
    next.complete(response);
  }

  @Override
  public void reject(Rejection reason) {
    if (UNKNOWN.contains(reason)) {
      listener.outcomeUnknown(change);
    }
    next.reject(reason);
  }
}
