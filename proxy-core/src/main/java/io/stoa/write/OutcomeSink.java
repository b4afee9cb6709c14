// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.Response;
import io.stoa.net.transport.GuardedTask;
import io.stoa.operation.ChangeListener;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.LargeMessage;
import io.stoa.operation.Operation;
import io.stoa.operation.OwnChange;
import io.stoa.operation.ReadSource;
import io.stoa.operation.Rejection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reports the outcome of one write before the answer is passed on. If it is unknown, the client
 * receives that as a result, or its connection ends, as it would if the directory server died.
 *
 * <p>Threading: event loop.
 */
final class OutcomeSink extends ForwardingSink {
  /**
   * Rejections of a write that may have reached the server, with the result that the client
   * receives.
   */
  private static final Map<Rejection, Rejection> UNKNOWN =
      Map.of(
          Rejection.UPSTREAM_LOST, Rejection.OUTCOME_UNKNOWN_LOST,
          Rejection.STATE_LOST, Rejection.OUTCOME_UNKNOWN_LOST,
          Rejection.UPSTREAM_TIMEOUT, Rejection.OUTCOME_UNKNOWN_TIMEOUT,
          Rejection.UPSTREAM_BROKEN, Rejection.OUTCOME_UNKNOWN_BROKEN,
          Rejection.CANCELED, Rejection.CANCELED);

  /**
   * Result codes of a server that has changed nothing: noSuchObject, insufficientAccessRights,
   * unwillingToPerform, errors of names and object classes, and entryAlreadyExists. A server that
   * is itself a proxy may answer busy (51) or unavailable (52) after a change, so these are absent.
   */
  private static final Set<Integer> REFUSALS = Set.of(32, 50, 53, 64, 65, 66, 67, 68, 69);

  private final Operation operation;
  private final ChangeListener listener;
  private final OwnChange change;
  private final WriteContext context;
  private boolean refused;

  /**
   * Wraps the sink of the operation.
   *
   * @param listener receives the outcome
   */
  OutcomeSink(
      Operation operation, ChangeListener listener, OwnChange change, WriteContext context) {
    super(operation.sink());
    this.operation = operation;
    this.listener = listener;
    this.change = change;
    this.context = context;
  }

  /**
   * Reports a change for each result code. A referral or an error may follow a partial change. A
   * large result arrives at once and cannot be held, so it is not delayed by the report.
   */
  @Override
  public void complete(Response response) {
    if (response instanceof LargeMessage) {
      listener.onChanges(List.of(outcome()), () -> {});
      next.complete(response);
      return;
    }
    if (response instanceof LdapMessage message) {
      onResult(message);
    }
    EventExecutor loop = operation.session().executor();
    listener.onChanges(List.of(outcome()), () -> runOn(loop, () -> next.complete(response)));
  }

  /** Records whether the server has refused the write, for {@link #outcome}. */
  void onResult(LdapMessage response) {
    refused = REFUSALS.contains(LdapResult.quickCodeOf(response.body()));
  }

  /** Returns the change with the server that was asked last. */
  OwnChange outcome() {
    List<ReadSource> servers = operation.sources();
    Object server = servers.isEmpty() ? null : servers.get(servers.size() - 1).server();
    OwnChange completed = change.by(server, context.clock().getAsLong() - operation.waitsSince());
    return refused ? completed.asRefused() : completed;
  }

  private static void runOn(EventExecutor loop, Runnable answer) {
    if (loop.inEventLoop()) {
      answer.run();
    } else {
      loop.execute(new GuardedTask("answer to a write", answer));
    }
  }

  /**
   * True if the outcome of a write with this rejection is unknown. A write that was never sent has
   * certainly not taken effect.
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
      listener.onUnknownOutcome(List.of(outcome()));
      rejectUnknown(unknown);
    }
  }

  /**
   * Rejects the write. If so configured, the connection of the client is ended first, so that it
   * expects no answer.
   */
  private void rejectUnknown(Rejection unknown) {
    if (context.disconnect() && unknown != Rejection.CANCELED) {
      operation.session().onConnectionLost(true);
    }
    next.reject(unknown);
  }
}
