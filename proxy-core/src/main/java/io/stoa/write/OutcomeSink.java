// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

import io.stoa.change.ChangeListener;
import io.stoa.change.OwnChange;
import io.stoa.ldap.LdapMessage;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.LargeMessage;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import java.util.Map;

/**
 * Reports the outcome of one write before it passes the answer on. If nobody knows it, the client
 * is told just that, or its connection ends as it would with the directory's death. Event-loop
 * confined.
 */
final class OutcomeSink extends ForwardingSink {
  /** Refusals of a write that may have reached the server, and what its client is told. */
  private static final Map<Rejection, Rejection> UNKNOWN =
      Map.of(
          Rejection.UPSTREAM_LOST, Rejection.OUTCOME_UNKNOWN_LOST,
          Rejection.STATE_LOST, Rejection.OUTCOME_UNKNOWN_LOST,
          Rejection.UPSTREAM_TIMEOUT, Rejection.OUTCOME_UNKNOWN_TIMEOUT,
          Rejection.UPSTREAM_BROKEN, Rejection.OUTCOME_UNKNOWN_BROKEN,
          Rejection.CANCELED, Rejection.CANCELED);

  private final Operation operation;
  private final ChangeListener listener;
  private final OwnChange change;
  private final boolean disconnect;

  /**
   * Wraps the operation's sink.
   *
   * @param disconnect whether a client is disconnected if nobody knows the outcome of its write
   */
  OutcomeSink(Operation operation, ChangeListener listener, OwnChange change, boolean disconnect) {
    super(operation.sink());
    this.operation = operation;
    this.listener = listener;
    this.change = change;
    this.disconnect = disconnect;
  }

  /** Whatever the result code: a referral or an error after a part of the work changes too. */
  @Override
  public void complete(LdapMessage response) {
    listener.changed(change);
    next.complete(response);
  }

  /** It has been done together with others. */
  @Override
  public void complete(byte[] op) {
    listener.changed(change);
    next.complete(op);
  }

  /** The change has been made before its answer begins to arrive. */
  @Override
  public void complete(LargeMessage response) {
    listener.changed(change);
    next.complete(response);
  }

  /**
   * Whether nobody knows the outcome of a write that is refused so. What was never sent has
   * certainly not happened.
   */
  static boolean isUnknown(Operation operation, Rejection reason) {
    return operation.sendings() > 0 && UNKNOWN.containsKey(reason);
  }

  @Override
  public void reject(Rejection reason) {
    Rejection unknown = isUnknown(operation, reason) ? UNKNOWN.get(reason) : null;
    if (unknown == null) {
      next.reject(reason);
    } else {
      listener.outcomeUnknown(change);
      tell(unknown);
    }
  }

  /** Of a connection that has ended nobody expects an answer. */
  private void tell(Rejection unknown) {
    if (disconnect && unknown != Rejection.CANCELED) {
      operation.session().lost(true);
    }
    next.reject(unknown);
  }
}
