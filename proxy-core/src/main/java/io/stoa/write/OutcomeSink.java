// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.net.transport.GuardedTask;
import io.stoa.operation.ChangeListener;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.LargeMessage;
import io.stoa.operation.Operation;
import io.stoa.operation.OwnChange;
import io.stoa.operation.ReadFrom;
import io.stoa.operation.Rejection;
import java.util.List;
import java.util.Map;
import java.util.Set;

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

  /**
   * Results with which a server says that it has not begun: noSuchObject, insufficientAccessRights,
   * busy, unavailable, unwillingToPerform, those about names and object classes, and
   * entryAlreadyExists.
   */
  private static final Set<Integer> REFUSALS = Set.of(32, 50, 51, 52, 53, 64, 65, 66, 67, 68, 69);

  private final Operation operation;
  private final ChangeListener listener;
  private final OwnChange change;
  private final WriteTerms terms;
  private boolean refused;

  /**
   * Wraps the operation's sink.
   *
   * @param listener hears of the outcome
   */
  OutcomeSink(Operation operation, ChangeListener listener, OwnChange change, WriteTerms terms) {
    super(operation.sink());
    this.operation = operation;
    this.listener = listener;
    this.change = change;
    this.terms = terms;
  }

  /** Whatever the result code: a referral or an error after a part of the work changes too. */
  @Override
  public void complete(LdapMessage response) {
    refused = REFUSALS.contains(LdapResult.quickCodeOf(response.body()));
    changed(() -> next.complete(response));
  }

  /** It has been done together with others. */
  @Override
  public void complete(byte[] op) {
    changed(() -> next.complete(op));
  }

  private void changed(Runnable answer) {
    EventExecutor loop = operation.session().executor();
    listener.changed(List.of(done()), () -> on(loop, answer));
  }

  /** The change, and by whom it was done: the server that was asked last. */
  OwnChange done() {
    List<ReadFrom> servers = operation.sources();
    Object server = servers.isEmpty() ? null : servers.get(servers.size() - 1).server();
    OwnChange done = change.by(server, terms.clock().getAsLong() - operation.waitsSince());
    return refused ? done.notDone() : done;
  }

  private static void on(EventExecutor loop, Runnable answer) {
    if (loop.inEventLoop()) {
      answer.run();
    } else {
      loop.execute(new GuardedTask(answer));
    }
  }

  /** It begins to arrive at once: nobody can wait until all have heard of what it did. */
  @Override
  public void complete(LargeMessage response) {
    listener.changed(List.of(done()), () -> {});
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
      listener.outcomeUnknown(List.of(done()));
      tell(unknown);
    }
  }

  /** Of a connection that has ended nobody expects an answer. */
  private void tell(Rejection unknown) {
    if (terms.disconnect() && unknown != Rejection.CANCELED) {
      operation.session().lost(true);
    }
    next.reject(unknown);
  }
}
