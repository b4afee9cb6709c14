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
 * What becomes of operations that were not answered where they were sent, or refused there. What
 * only asks is asked again, elsewhere if it can be, unless the client has got a part of the answer.
 * A change may have happened, and is not repeated. Event-loop confined.
 */
public final class Replay {
  /** How often an operation is tried before it is given up. */
  private static final int MOST_ATTEMPTS = 4;

  /** The same at a server that ends connections with too many operations: each end halves them. */
  private static final int MOST_WHILE_LEARNING = 8;

  /** A wrong password counts at each server that is asked. */
  private static final int MOST_BINDS = 2;

  private final Ways ways;
  private final Supplier<ReplayLimits> limits;
  private final RetryBudget budget = new RetryBudget();
  private final Hedge hedge;
  private long heldOctets;

  /**
   * Makes it for the ways of one event loop.
   *
   * @param limits those that hold now
   */
  public Replay(Ways ways, Supplier<ReplayLimits> limits) {
    this.ways = ways;
    this.limits = limits;
    this.hedge = new Hedge(ways);
  }

  /** Where operations can be sent. Event-loop confined. */
  public interface Ways {
    /**
     * Sends an operation, once more.
     *
     * @param avoid where it was not answered; null if there is no such server
     */
    void send(Operation operation, @Nullable Backend avoid) throws LdapProtocolException;

    /** Whether there is a server that may be asked and has not refused. */
    boolean other(Operation operation) throws LdapProtocolException;

    /**
     * Sends a read to a second server, which is up and may answer it.
     *
     * @param first where it has been sent
     * @param twin makes what is sent
     * @return false, and nothing is done, if there is no such server
     */
    boolean second(Operation operation, Backend first, Supplier<Operation> twin)
        throws LdapProtocolException;

    /** Whether there is only one server. */
    boolean single();
  }

  /** Of some servers, those that have not refused the operation. */
  public static Predicate<Backend> open(Operation operation, Predicate<Backend> servers) {
    return operation.sink() instanceof ReplaySink own ? own.open(servers) : servers;
  }

  /**
   * The operation is about to be sent to a server, where it may share a connection.
   *
   * @param unwanted what no part of the answer may be, or else another server is asked; null if it
   *     may be anything, as always for what is not {@link #checks checked}
   */
  public void asks(
      Operation operation, Backend backend, @Nullable Predicate<LdapMessage> unwanted) {
    if (!mayBeRepeated(operation)) {
      return;
    }
    if (operation.sink() instanceof ReplaySink || !ways.single()) {
      sink(operation).asks(backend, unwanted); // of several servers only one may be left by now
    } else {
      budget.asked(); // nothing is held for what only one server can answer
    }
  }

  /** Whether the answer to an operation can be looked at before its client sees any of it. */
  public boolean checks(Operation operation) {
    boolean failed = operation.sink() instanceof ReplaySink own && own.hasFailed();
    return !failed && mayBeRepeated(operation);
  }

  /** A read is sent; another server may be asked, too, if it has no answer for long. */
  void watch(Operation operation, Backend server, Hedge.Doubling attempt) {
    if (limits.get().hedge()) {
      hedge.asks(operation, server, attempt);
    }
  }

  /** A read was answered after so long. */
  void answered(@Nullable Backend server, long nanos) {
    if (server != null && limits.get().hedge()) {
      hedge.took(server, nanos);
    }
  }

  /** A second server was faster than the one that was asked so long ago. */
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
   * An operation was not answered where it was sent, or could not be sent there. It goes on, or its
   * sink hears that it does not, also if its client has gone: a change may wait for that.
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

  /** Who has refused is asked once more before who did not answer, and anybody before nobody. */
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

  /** How often a server has taken it only to say that it does not, and counted no password. */
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

  // What a server has refused

  /**
   * A server has refused as busy or unavailable, and it is the only one: what it can do later waits
   * for its turn there.
   *
   * @return whether it is sent again
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
      operation.sink(present); // the refusal is the answer, and nobody is to judge it again
    }
    return goes;
  }

  /**
   * A server has refused as busy or unavailable; whether another one is asked, or the operation
   * waits until one of them takes more. No password was counted.
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
   * A server is too busy to bind the connection that an operation waits for. It has not been sent
   * there, so nothing is repeated by sending it to another one.
   *
   * @return whether it is to be; else it goes on waiting, and keeps its place
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

  /** What was barred by a server, and does not wait there any more, is sent to another one. */
  public void elsewhere(Operation operation, Backend by) {
    again(operation, by);
  }

  /** The server has shown what it may know too little of. */
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

  /** What servers refused another one has answered, which was asked again so often. */
  void wereRight(int retries) {
    budget.giveBack(retries);
  }

  // What is held

  /** Whether a result of so many entries and octets may be held. */
  boolean fits(int entries, int octets) {
    return entries < limits.get().entries() && octets <= limits.get().octets();
  }

  /** Takes room for octets that are to be held; false if the loop has none. */
  boolean reserve(int octets) {
    boolean room = heldOctets + octets <= limits.get().ofLoop();
    heldOctets += room ? octets : 0;
    return room;
  }

  void giveBack(int octets) {
    heldOctets -= octets;
  }
}
