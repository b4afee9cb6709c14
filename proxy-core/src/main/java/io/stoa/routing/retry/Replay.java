// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing.retry;

import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.OpType;
import io.stoa.operation.InternalSession;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.operation.Rejection;
import io.stoa.operation.ResponseSink;
import io.stoa.upstream.server.Backend;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Retries operations that a server did not answer, or refused.
 *
 * <p>A read is sent again, to another server if possible, unless the client has received a part of
 * the answer. A write may have taken effect, and is not repeated.
 *
 * <p>Threading: event loop.
 */
public final class Replay {
  /** Maximum number of attempts for an operation: 4. */
  private static final int MAX_ATTEMPTS = 4;

  /**
   * Maximum number of attempts at a server that closes connections with too many operations: 8.
   * Each close halves the number that Stoa sends.
   */
  private static final int MAX_WHILE_LEARNING = 8;

  /** Maximum number of attempts for a bind: 2. A wrong password counts at each server. */
  private static final int MAX_BINDS = 2;

  private final OperationSender sender;
  private final Supplier<ReplayLimits> limits;
  private final RetryBudget budget = new RetryBudget();
  private final Hedge hedge;
  private long heldOctets;

  /**
   * Creates it for one event loop.
   *
   * @param limits supplier of the present limits
   */
  public Replay(OperationSender sender, Supplier<ReplayLimits> limits) {
    this.sender = sender;
    this.limits = limits;
    this.hedge = new Hedge(sender);
  }

  /**
   * Sends operations to servers.
   *
   * <p>Threading: event loop.
   */
  public interface OperationSender {
    /**
     * Sends an operation once more.
     *
     * @param avoid server that did not answer; null if there is none
     */
    void send(Operation operation, @Nullable Backend avoid);

    /** True if a usable server is left that has not refused. */
    boolean hasOtherServer(Operation operation);

    /**
     * Sends a read to a second server, which is up and may answer it.
     *
     * @param first server to which it was sent
     * @param hedged creates the operation to send
     * @return false, without effect, if there is no such server
     */
    boolean sendHedge(Operation operation, Backend first, Supplier<Operation> hedged);

    /** True if there is only one server. */
    boolean isSingleServer();
  }

  /** Narrows servers to those that have not refused the operation. */
  public static Predicate<Backend> withoutRefusers(
      Operation operation, Predicate<Backend> servers) {
    return operation.sink() instanceof ReplaySink sink ? sink.withoutRefusers(servers) : servers;
  }

  /**
   * Called before an operation is sent to a server on a connection that may be shared.
   *
   * @param unwanted test for messages that must not be shown, so that another server is asked; null
   *     if there are none, as for each operation that is not {@link #canCheck checked}
   */
  public void onSend(
      Operation operation, Backend backend, @Nullable Predicate<LdapMessage> unwanted) {
    if (!mayBeRepeated(operation)) {
      return;
    }
    if (operation.sink() instanceof ReplaySink || !sender.isSingleServer()) {
      sink(operation).onSend(backend, unwanted); // of several servers only one may be left by now
    } else {
      budget.onFirstAttempt(); // a single server: nothing is held for a retry elsewhere
    }
  }

  /** True if the answer to an operation can be checked before its client sees any part. */
  public boolean canCheck(Operation operation) {
    boolean failed = operation.sink() instanceof ReplaySink sink && sink.wasStale();
    return !failed && mayBeRepeated(operation);
  }

  /** Schedules a hedge for a read, if hedges are enabled. */
  void scheduleHedge(Operation operation, Backend server, Hedge.HedgeSource attempt) {
    if (limits.get().hedge()) {
      hedge.onSend(operation, server, attempt);
    }
  }

  /** Records the latency of an answered read in nanoseconds. */
  void recordLatency(@Nullable Backend server, long nanos) {
    if (server != null && limits.get().hedge()) {
      hedge.recordLatency(server, nanos);
    }
  }

  /** Records that the hedge was faster, and for how long the first server was waited for. */
  void recordHedgeWin(@Nullable Backend server, long nanos) {
    recordLatency(server, nanos);
    if (server != null) {
      server.hedges().onWon();
    }
  }

  private static boolean mayBeRepeated(Operation operation) {
    boolean internal = operation.session() instanceof InternalSession;
    boolean hedged = operation.sink() instanceof HedgedRequest;
    return !internal && !hedged && !operation.mayChange() && !operation.isCancel();
  }

  private ReplaySink sink(Operation operation) {
    if (operation.sink() instanceof ReplaySink present) {
      return present;
    }
    budget.onFirstAttempt();
    return wrapped(operation);
  }

  private ReplaySink wrapped(Operation operation) {
    ReplaySink sink = new ReplaySink(this, operation);
    operation.setSink(sink);
    return sink;
  }

  /**
   * Called when an operation could not be sent, or was not answered. Retries it, unless {@link
   * Operation#beginAgain} refuses: a write that was sent, or an answer passed on in part. Otherwise
   * notifies its sink, even without a client, since a waiting write may depend on the outcome.
   */
  public void onUnanswered(Operation operation, Backend server) {
    boolean sent = operation.sendings() > 0;
    boolean exhausted = isExhausted(operation, server) || operation.hasEnded();
    if (exhausted || (sent && !operation.beginAgain())) {
      operation.sink().reject(rejection(operation, sent));
    } else {
      operation.removeSource(server);
      readmitServers(operation, server);
      sender.send(operation, server);
    }
  }

  /**
   * Selects the servers for a retry. A server that has refused is retried before one that did not
   * answer. If none is left, all servers may be retried.
   */
  private void readmitServers(Operation operation, Backend server) {
    if (operation.sink() instanceof ReplaySink sink && sink.hasRefusers()) {
      sink.addRefuser(server);
      if (!sender.hasOtherServer(operation)) {
        sink.readmit();
        sink.addRefuser(server);
      }
      if (!sender.hasOtherServer(operation)) {
        sink.readmit();
      }
    }
  }

  private boolean isExhausted(Operation operation, Backend server) {
    boolean bind = operation.type() == OpType.BIND_REQUEST;
    return (bind && operation.sendings() - refusals(operation) >= MAX_BINDS)
        || hasUsedAttempts(operation, server);
  }

  /** Returns the number of refusals, which count no password. */
  private static int refusals(Operation operation) {
    return operation.sink() instanceof ReplaySink sink ? sink.refusals() : 0;
  }

  private boolean hasUsedAttempts(Operation operation, Backend server) {
    int limit = server.limiter().connectionLimit().isKnown() ? MAX_WHILE_LEARNING : MAX_ATTEMPTS;
    return operation.countUnanswered() >= limit || isLate(operation);
  }

  private long maxNanos() {
    return limits.get().operationTimeout().toNanos();
  }

  private boolean isLate(Operation operation) {
    long now = System.nanoTime();
    return now - operation.waitsSince() > maxNanos()
        || now - operation.receivedNanos() > operation.timeLimitNanos();
  }

  private Rejection rejection(Operation operation, boolean sent) {
    if (operation.isCancel()) {
      return Rejection.CANNOT_CANCEL;
    }
    if (operation.state() == OperationState.STREAMING && !operation.mayChange()) {
      return Rejection.RESULT_CUT;
    }
    if (isLate(operation)) {
      return operation.timeLimitNanos() < maxNanos()
          ? Rejection.TIME_LIMIT
          : Rejection.UPSTREAM_TIMEOUT;
    }
    return sent ? Rejection.UPSTREAM_LOST : Rejection.NO_UPSTREAM;
  }

  // Refusals by servers

  /**
   * Called when the only server has refused as busy or unavailable. The operation waits for its
   * turn there.
   *
   * @return true if it is sent again
   */
  public boolean onRefusedBySingle(Operation operation, Backend server) {
    boolean mayRepeat =
        sender.isSingleServer() && mayBeRepeated(operation) && server.limiter().isLimited();
    if (!mayRepeat || operation.sink() instanceof ReplaySink) {
      return false;
    }
    ResponseSink present = operation.sink();
    ReplaySink sink = wrapped(operation);
    sink.onSend(server, null);
    boolean retried = sink.retryAfterRefusal();
    if (!retried) {
      operation.setSink(present); // the refusal is the final answer
    }
    return retried;
  }

  /**
   * Called when a server has refused as busy or unavailable; no password was counted.
   *
   * @return true if another server is asked, or the operation waits until a server takes more
   */
  boolean onRefused(Operation operation, Backend server) {
    if (hasUsedAttempts(operation, server)) {
      return false;
    }
    boolean other = sender.hasOtherServer(operation);
    if (!(other || server.limiter().isLimited()) || !budget.take()) {
      return false;
    }
    if (!operation.beginAgain()) {
      budget.giveBack(1);
      return false;
    }
    ReplaySink sink = sink(operation);
    sink.countRetry();
    if (!other) {
      sink.readmit();
    }
    sender.send(operation, null);
    return true;
  }

  /**
   * Called when a server is too busy to bind the connection that an operation waits for. The
   * operation was not sent, so another server may receive it without a repetition.
   *
   * @return true if it is to be sent elsewhere; if false, it keeps its place in the queue
   */
  public boolean onBindDelayed(Operation operation, Backend server) {
    if (isLate(operation) || !(operation.sink() instanceof ReplaySink sink)) {
      return false;
    }
    sink.addRefuser(server);
    boolean resent = sender.hasOtherServer(operation) && operation.beginAgain();
    if (!resent) {
      sink.readmit();
    }
    return resent;
  }

  /** Sends an operation for which {@link #onBindDelayed} returned true to another server. */
  public void sendElsewhere(Operation operation, Backend server) {
    sender.send(operation, server);
  }

  /** Called when a server has shown an entry that may be stale. The operation is sent elsewhere. */
  void onStale(Operation operation) {
    if (!isLate(operation) && operation.beginAgain()) {
      sender.send(operation, null);
    } else {
      operation.sink().reject(rejection(operation, true));
    }
  }

  /** Returns retries to the budget, since another server has answered what the first refused. */
  void returnRetries(int retries) {
    budget.giveBack(retries);
  }

  // Memory for held answers

  /** True if a result of this size, in entries and octets, may be held. */
  boolean fits(int entries, int octets) {
    return entries < limits.get().entries() && octets <= limits.get().octets();
  }

  /** Reserves memory of the loop for held octets; false if none is left. */
  boolean reserve(int octets) {
    boolean room = heldOctets + octets <= limits.get().ofLoop();
    heldOctets += room ? octets : 0;
    return room;
  }

  void giveBack(int octets) {
    heldOctets -= octets;
  }
}
