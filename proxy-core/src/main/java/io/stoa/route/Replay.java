// SPDX-License-Identifier: Apache-2.0
package io.stoa.route;

import io.stoa.backend.Backend;
import io.stoa.ldap.LdapProtocolException;
import io.stoa.ldap.OpType;
import io.stoa.operation.InternalSession;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.operation.Rejection;
import io.stoa.route.RouteConfig.Held;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of operations that were not answered where they were sent, or refused there. What
 * only asks is asked again, elsewhere if it can be, unless the client has got a part of the answer.
 * A change may have happened, and is not repeated. Event-loop confined.
 */
final class Replay {
  /** How often an operation is tried before it is given up. */
  private static final int MOST_ATTEMPTS = 4;

  /** A wrong password counts at each server that is asked. */
  private static final int MOST_BINDS = 2;

  private final Ways ways;
  private final Held held;
  private final long mostNanos;
  private final RetryBudget budget = new RetryBudget();
  private long heldOctets;

  Replay(Ways ways, RouteConfig config) {
    this.ways = ways;
    this.held = config.held();
    this.mostNanos = config.operationTimeout().toNanos();
  }

  /** Where operations can be sent. Event-loop confined. */
  interface Ways {
    /**
     * Sends an operation, once more.
     *
     * @param avoid where it was not answered; null if there is no such server
     */
    void send(Operation operation, @Nullable Backend avoid) throws LdapProtocolException;

    /** Whether there is a server that may be asked and has not refused. */
    boolean other(Operation operation) throws LdapProtocolException;

    /** Whether there is only one server. */
    boolean single();
  }

  /** The operation is about to be sent to a server, where it may share a connection. */
  void asks(Operation operation, Backend backend) {
    if (!ways.single() && mayBeRepeated(operation)) {
      sink(operation).asks(backend);
    }
  }

  private static boolean mayBeRepeated(Operation operation) {
    boolean own = operation.session() instanceof InternalSession;
    return !own && !operation.mayChange() && !operation.isCancel();
  }

  private ReplaySink sink(Operation operation) {
    if (operation.sink() instanceof ReplaySink present) {
      return present;
    }
    budget.asked();
    ReplaySink made = new ReplaySink(this, operation);
    operation.sink(made);
    return made;
  }

  /** An operation was not answered where it was sent, or could not be sent there. */
  void unanswered(Operation operation, Backend by) {
    boolean sent = operation.sendings() > 0;
    if (exhausted(operation) || (sent && !operation.beginAgain())) {
      operation.sink().reject(lost(operation, sent));
    } else if (!operation.ended()) {
      again(operation, by);
    }
  }

  private boolean exhausted(Operation operation) {
    boolean bind = operation.type() == OpType.BIND_REQUEST;
    return operation.unanswered() >= MOST_ATTEMPTS
        || (bind && operation.sendings() >= MOST_BINDS)
        || late(operation);
  }

  private boolean late(Operation operation) {
    long taken = System.nanoTime() - operation.receivedNanos();
    return taken > Math.min(mostNanos, operation.timeLimitNanos());
  }

  private Rejection lost(Operation operation, boolean sent) {
    if (operation.isCancel()) {
      return Rejection.CANNOT_CANCEL;
    }
    if (operation.state() == OperationState.STREAMING) {
      return Rejection.RESULT_CUT;
    }
    if (late(operation)) {
      return operation.timeLimitNanos() < mostNanos
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

  /** A server has refused as busy or unavailable; whether another one is asked. */
  boolean refused(Operation operation) {
    if (exhausted(operation) || !other(operation) || !budget.take()) {
      return false;
    }
    if (!operation.beginAgain()) {
      budget.giveBack();
      return false;
    }
    again(operation, null);
    return true;
  }

  private boolean other(Operation operation) {
    try {
      return ways.other(operation);
    } catch (LdapProtocolException e) {
      throw malformedNow(e);
    }
  }

  /** What one server refused another one has answered. */
  void wasRight() {
    budget.giveBack();
  }

  // What is held

  /** Whether a result of so many entries and octets may be held. */
  boolean fits(int entries, int octets) {
    return entries < held.entries() && octets <= held.octets();
  }

  /** Takes room for octets that are to be held; false if the loop has none. */
  boolean reserve(int octets) {
    boolean room = heldOctets + octets <= held.ofLoop();
    heldOctets += room ? octets : 0;
    return room;
  }

  void giveBack(int octets) {
    heldOctets -= octets;
  }
}
