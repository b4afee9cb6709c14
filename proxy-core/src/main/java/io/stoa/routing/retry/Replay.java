// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing.retry;

import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
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
  private static final int MOST_ATTEMPTS = 4;

  /**
   * Maximum number of attempts at a server that closes connections with too many operations: 8.
   * Each close halves the number that Stoa sends.
   */
  private static final int MOST_WHILE_LEARNING = 8;

  /** Maximum number of attempts for a bind: 2. A wrong password counts at each server. */
  private static final int MOST_BINDS = 2;

  private final Ways ways;
  private final Supplier<ReplayLimits> limits;
  private final RetryBudget budget = new RetryBudget();
  private final Hedge hedge;
  private long heldOctets;

  /**
   * Creates it for one event loop.
   *
   * @param limits supplier of the present limits
   */
  public Replay(Ways ways, Supplier<ReplayLimits> limits) {
    this.ways = ways;
    this.limits = limits;
    this.hedge = new Hedge(ways);
  }

  /**
   * Sends operations to servers.
   *
   * <p>Threading: event loop.
   */
  public interface Ways {
    /**
     * Sends an operation once more.
     *
     * @param avoid server that did not answer; null if there is none
     */
    void send(Operation operation, @Nullable Backend avoid) throws LdapProtocolException;

    /** True if a usable server is left that has not refused. */
    boolean other(Operation operation) throws LdapProtocolException;

    /**
     * Sends a read to a second server, which is up and may answer it.
     *
     * @param first server to which it was sent
     * @param twin creates the operation to send
     * @return false, without effect, if there is no such server
     */
    boolean second(Operation operation, Backend first, Supplier<Operation> twin)
        throws LdapProtocolException;

    /** True if there is only one server. */
    boolean single();
  }

  /** Narrows servers to those that have not refused the operation. */
  public static Predicate<Backend> open(Operation operation, Predicate<Backend> servers) {
    return operation.sink() instanceof ReplaySink own ? own.open(servers) : servers;
  }

  /**
   * Called before an operation is sent to a server on a connection that may be shared.
   *
   * @param unwanted test for messages that must not be shown, so that another server is asked; null
   *     if there are none, as for each operation that is not {@link #checks checked}
   */
  public void asks(
      Operation operation, Backend backend, @Nullable Predicate<LdapMessage> unwanted) {
    if (!mayBeRepeated(operation)) {
      return;
    }
    if (operation.sink() instanceof ReplaySink || !ways.single()) {
      sink(operation).asks(backend, unwanted); // of several servers only one may be left by now
    } else {
      budget.asked(); // a single server: nothing is held for a retry elsewhere
    }
  }

  /** True if the answer to an operation can be checked before its client sees any part. */
  public boolean checks(Operation operation) {
    boolean failed = operation.sink() instanceof ReplaySink own && own.hasFailed();
    return !failed && mayBeRepeated(operation);
  }

  /** Schedules a hedge for a read, if hedges are enabled. */
  void watch(Operation operation, Backend server, Hedge.Doubling attempt) {
    if (limits.get().hedge()) {
      hedge.asks(operation, server, attempt);
    }
  }

  /** Records the latency of an answered read in nanoseconds. */
  void answered(@Nullable Backend server, long nanos) {
    if (server != null && limits.get().hedge()) {
      hedge.took(server, nanos);
    }
  }

  /** Records that the hedge was faster, and for how long the first server was waited for. */
  void overtaken(@Nullable Backend server, long nanos) {
    answered(server, nanos);
    if (server != null) {
      server.hedges().won();
    }
  }

  private static boolean mayBeRepeated(Operation operation) {
    boolean own = operation.session() instanceof InternalSession;
    boolean twin = operation.sink() instanceof HedgedRequest;
    return !own && !twin && !operation.mayChange() && !operation.isCancel();
  }

  private ReplaySink sink(Operation operation) {
    if (operation.sink() instanceof ReplaySink present) {
      return present;
    }
    budget.asked();
    return wrapped(operation);
  }

  private ReplaySink wrapped(Operation operation) {
    ReplaySink made = new ReplaySink(this, operation);
    operation.sink(made);
    return made;
  }

  /**
   * Called when an operation was not answered, or could not be sent. Retries it or notifies its
   * sink, also if its client has gone: a waiting write may depend on it.
   */
  public void unanswered(Operation operation, Backend by) {
    boolean sent = operation.sendings() > 0;
    boolean over = exhausted(operation, by) || operation.ended();
    if (over || (sent && !operation.beginAgain())) {
      operation.sink().reject(lost(operation, sent));
    } else {
      reopen(operation, by);
      again(operation, by);
    }
  }

  /**
   * Selects the servers for a retry. A server that has refused is retried before one that did not
   * answer. If none is left, all servers may be retried.
   */
  private void reopen(Operation operation, Backend by) {
    if (operation.sink() instanceof ReplaySink own && own.hasRefusers()) {
      own.closedBy(by);
      if (!other(operation)) {
        own.forgive();
        own.closedBy(by);
      }
      if (!other(operation)) {
        own.forgive();
      }
    }
  }

  private boolean exhausted(Operation operation, Backend by) {
    boolean bind = operation.type() == OpType.BIND_REQUEST;
    return (bind && operation.sendings() - refusals(operation) >= MOST_BINDS)
        || tired(operation, by);
  }

  /** Returns the number of refusals, which count no password. */
  private static int refusals(Operation operation) {
    return operation.sink() instanceof ReplaySink own ? own.refusals() : 0;
  }

  private boolean tired(Operation operation, Backend by) {
    int most = by.places().ofConnection().known() ? MOST_WHILE_LEARNING : MOST_ATTEMPTS;
    return operation.unanswered() >= most || late(operation);
  }

  private long mostNanos() {
    return limits.get().operationTimeout().toNanos();
  }

  private boolean late(Operation operation) {
    long now = System.nanoTime();
    return now - operation.waitsSince() > mostNanos()
        || now - operation.receivedNanos() > operation.timeLimitNanos();
  }

  private Rejection lost(Operation operation, boolean sent) {
    if (operation.isCancel()) {
      return Rejection.CANNOT_CANCEL;
    }
    if (operation.state() == OperationState.STREAMING && !operation.mayChange()) {
      return Rejection.RESULT_CUT;
    }
    if (late(operation)) {
      return operation.timeLimitNanos() < mostNanos()
          ? Rejection.TIME_LIMIT
          : Rejection.UPSTREAM_TIMEOUT;
    }
    return sent ? Rejection.UPSTREAM_LOST : Rejection.NO_UPSTREAM;
  }

  private void again(Operation operation, @Nullable Backend avoid) {
    try {
      ways.send(operation, avoid);
    } catch (LdapProtocolException e) {
      throw malformedNow(e);
    }
  }

  private static IllegalStateException malformedNow(LdapProtocolException e) {
    return new IllegalStateException("a request that was sent before is malformed now", e);
  }

  // Refusals by servers

  /**
   * Called when the only server has refused as busy or unavailable. The operation waits for its
   * turn there.
   *
   * @return true if it is sent again
   */
  public boolean refusedAlone(Operation operation, Backend by) {
    boolean may = ways.single() && mayBeRepeated(operation) && by.places().limited();
    if (!may || operation.sink() instanceof ReplaySink) {
      return false;
    }
    ResponseSink present = operation.sink();
    ReplaySink made = wrapped(operation);
    made.asks(by, null);
    boolean goes = made.goesOn();
    if (!goes) {
      operation.sink(present); // the refusal is the final answer
    }
    return goes;
  }

  /**
   * Called when a server has refused as busy or unavailable; no password was counted.
   *
   * @return true if another server is asked, or the operation waits until a server takes more
   */
  boolean refused(Operation operation, Backend by) {
    if (tired(operation, by)) {
      return false;
    }
    boolean other = other(operation);
    if (!(other || by.places().limited()) || !budget.take()) {
      return false;
    }
    if (!operation.beginAgain()) {
      budget.giveBack(1);
      return false;
    }
    ReplaySink own = sink(operation);
    own.retried();
    if (!other) {
      own.forgive();
    }
    again(operation, null);
    return true;
  }

  /**
   * Called when a server is too busy to bind the connection that an operation waits for. The
   * operation was not sent, so another server may receive it without a repetition.
   *
   * @return true if it is to be sent elsewhere; if false, it keeps its place in the queue
   */
  public boolean barred(Operation operation, Backend by) {
    if (late(operation) || !(operation.sink() instanceof ReplaySink own)) {
      return false;
    }
    own.closedBy(by);
    boolean goes = other(operation) && operation.beginAgain();
    if (!goes) {
      own.forgive();
    }
    return goes;
  }

  /** Sends an operation for which {@link #barred} returned true to another server. */
  public void elsewhere(Operation operation, Backend by) {
    again(operation, by);
  }

  /** Called when a server has shown an entry that may be stale. The operation is sent elsewhere. */
  void mayBeOld(Operation operation) {
    if (!late(operation) && operation.beginAgain()) {
      again(operation, null);
    } else {
      operation.sink().reject(lost(operation, true));
    }
  }

  private boolean other(Operation operation) {
    try {
      return ways.other(operation);
    } catch (LdapProtocolException e) {
      throw malformedNow(e);
    }
  }

  /** Returns retries to the budget, since another server has answered what the first refused. */
  void wereRight(int retries) {
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
