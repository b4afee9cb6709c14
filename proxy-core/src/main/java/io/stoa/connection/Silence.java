// SPDX-License-Identifier: Apache-2.0
package io.stoa.connection;

import io.stoa.ldap.OpType;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.operation.Rejection;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends what a server has been silent on for too long. Event-loop confined. */
final class Silence {
  private static final Logger LOG = LoggerFactory.getLogger(Silence.class);

  /** A server from which nothing has come for so long is not about to end a result. */
  private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final UpstreamConnection connection;
  private final InFlight inFlight;
  private final IncomingAnswers incoming;

  /** When the server last sent anything. */
  private long heardAt = System.nanoTime();

  Silence(UpstreamConnection connection, InFlight inFlight, IncomingAnswers incoming) {
    this.connection = connection;
    this.inFlight = inFlight;
    this.incoming = incoming;
  }

  /** Something has come. */
  void heard() {
    heardAt = System.nanoTime();
  }

  /** Whether nothing has come for so long although something is to be answered. */
  boolean lasts(long now, long nanos) {
    return !inFlight.isEmpty()
        && now - heardAt > nanos
        && inFlight.all().stream().anyMatch(exchange -> exchange.silent(now, nanos));
  }

  /**
   * Gives up what can begin again, and leaves it to another; and what cannot if the server is down.
   *
   * @param paused whether what the server sends is not read at present
   */
  void handOver(Consumer<Operation> other, boolean paused) {
    connection.backend().handedOver();
    boolean dead = !paused && !connection.backend().usable();
    for (Exchange exchange : inFlight.all()) {
      Operation operation = exchange.operation();
      if (operation.beginAgain()) {
        connection.abandon(exchange);
        other.accept(operation);
      } else {
        disown(exchange, dead);
      }
    }
  }

  /** Whoever waits for a search that is nobody's asks by itself. */
  private void disown(Exchange exchange, boolean dead) {
    Operation operation = exchange.operation();
    boolean cut = dead && operation.state() == OperationState.STREAMING;
    if (operation.sink().wanted() || (cut && exchange.silent(System.nanoTime(), QUIET_NANOS))) {
      connection.abandon(exchange);
      operation.sink().reject(cut ? Rejection.RESULT_CUT : Rejection.UPSTREAM_LOST);
    }
  }

  /** Ends what has waited so long for an answer, or for the next part of one. */
  void end(long now, long mostNanos) {
    if (incoming.overdue(now, mostNanos)) {
      LOG.warn("upstream {} was silent in the middle of a message", address());
      connection.close();
    }
    for (Exchange exchange : inFlight.all()) {
      if (exchange.overdue(now, mostNanos)) {
        giveUp(exchange);
      }
    }
  }

  /** A change that was sent may still take effect, so its answer is waited for, for a while. */
  private void giveUp(Exchange exchange) {
    Operation operation = exchange.operation();
    connection.backend().timedOut();
    LOG.warn("upstream {} was silent for too long on {}", address(), exchange.describe());
    if (!operation.mayChange() && operation.type() != OpType.BIND_REQUEST) {
      if (inFlight.swallowed(exchange)) {
        connection.drain(); // the far half may be lost: nothing more goes that way
      }
      connection.abandon(exchange);
      operation.sink().reject(exchange.expiry());
    } else if (operation.ended()) {
      connection.close();
    } else {
      operation.sink().reject(Rejection.UPSTREAM_TIMEOUT);
      exchange.heard(System.nanoTime());
      connection.drain();
    }
  }

  private Object address() {
    return connection.backend().address();
  }
}
