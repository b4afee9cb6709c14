// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connection;

import io.stoa.ldap.protocol.OpType;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.operation.Rejection;
import io.stoa.upstream.server.Backend;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends what a server has been silent on for too long. Event-loop confined. */
final class ResponseTimeout {
  private static final Logger LOG = LoggerFactory.getLogger(ResponseTimeout.class);

  /** A server from which nothing has come for so long is not about to end a result. */
  private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final UpstreamConnection connection;
  private final PendingOperations inFlight;
  private final ResponseReader incoming;
  private final Congestion congestion;
  private final @Nullable ResponseWatchdog vigil;

  /** When the server last sent anything. */
  private long heardAt = System.nanoTime();

  private boolean heard;
  private boolean watched;

  /** Whether a request of Stoa's own is to be answered, and since when. */
  private boolean asked;

  private long askedAt;

  ResponseTimeout(
      UpstreamConnection connection,
      PendingOperations inFlight,
      ResponseReader incoming,
      Congestion congestion,
      @Nullable ResponseWatchdog vigil) {
    this.connection = connection;
    this.inFlight = inFlight;
    this.incoming = incoming;
    this.congestion = congestion;
    this.vigil = vigil;
  }

  /** Something has come. */
  void heard() {
    heardAt = System.nanoTime();
    heard = true;
  }

  /** Something is to be answered from now on. */
  void begins() {
    if (!watched && vigil != null) {
      watched = true;
      vigil.add(this);
    }
  }

  /** The server has been asked something by Stoa itself. */
  void asked() {
    asked = true;
    askedAt = System.nanoTime();
    begins();
  }

  /** That is answered, whatever the answer is, or will not be. */
  void askedNoMore(boolean answered) {
    asked = false;
    if (answered) {
      connection.backend().heard();
    }
  }

  /** Whether nothing has come for so long although something is to be answered. */
  boolean lasts(long now, long nanos) {
    return now - heardAt > nanos
        && ((asked && now - askedAt > nanos)
            || (!inFlight.isEmpty()
                && inFlight.all().stream().anyMatch(exchange -> exchange.silent(now, nanos))));
  }

  /**
   * Whether the server is down and has said nothing lately, here or elsewhere: nothing is to be
   * expected of it, however lately it was asked. One that is down for what it answers still
   * answers.
   */
  boolean dead(long now) {
    boolean quiet = !heard || now - heardAt > QUIET_NANOS;
    Backend server = connection.backend();
    return quiet
        && !congestion.paused()
        && server.health().gone()
        && !server.answersSince(now - QUIET_NANOS);
  }

  /** Doubts a server that is silent; false if nothing is to be answered any more. */
  boolean look(long now, long nanos) {
    watched = asked || !inFlight.isEmpty();
    if (watched && !congestion.paused() && lasts(now, nanos)) {
      connection.backend().health().doubt(newest(now, nanos) + nanos, now, nanos);
    }
    return watched;
  }

  /** When the newest of the silences began. */
  private long newest(long now, long nanos) {
    long own = asked && now - askedAt > nanos ? askedAt : heardAt;
    return inFlight.all().stream()
        .filter(exchange -> exchange.silent(now, nanos))
        .mapToLong(PendingOperation::lastHeard)
        .reduce(Math.max(own, heardAt), Math::max);
  }

  /**
   * Gives up what can begin again, and leaves it to another; and what cannot if the server is down.
   */
  void handOver(Consumer<Operation> other) {
    connection.backend().handedOver();
    boolean gone = !congestion.paused() && connection.backend().health().gone();
    boolean dead = dead(System.nanoTime());
    for (PendingOperation exchange : inFlight.all()) {
      Operation operation = exchange.operation();
      if (operation.beginAgain()) {
        connection.backend().timedOut();
        exchange.handedOver();
        connection.abandon(exchange);
        other.accept(operation);
      } else if (operation.mayChange()) {
        despair(exchange, dead);
      } else {
        disown(exchange, gone, dead && !operation.longLived());
      }
    }
  }

  /** Nobody knows what becomes of a change if the server is dead. */
  private void despair(PendingOperation exchange, boolean dead) {
    if (dead && !exchange.operation().ended()) {
      leaveOpen(exchange, System.nanoTime());
    }
  }

  /** Whoever waits for a search that is nobody's asks by itself. */
  private void disown(PendingOperation exchange, boolean gone, boolean dead) {
    Operation operation = exchange.operation();
    boolean cut = gone && operation.state() == OperationState.STREAMING;
    boolean over = dead || (cut && exchange.silent(System.nanoTime(), QUIET_NANOS));
    if (over || operation.sink().wanted()) {
      connection.abandon(exchange);
      operation.sink().reject(cut ? Rejection.RESULT_CUT : Rejection.UPSTREAM_LOST);
    }
  }

  /** Ends what has waited so long for an answer, or for the next part of one. */
  void end(long now, long mostNanos) {
    if (congestion.paused()) {
      return;
    }
    if (incoming.overdue(now, mostNanos)) {
      LOG.warn("upstream {} was silent in the middle of a message", address());
      connection.close();
    }
    for (PendingOperation exchange : inFlight.all()) {
      if (exchange.overdue(now, mostNanos)) {
        giveUp(exchange, now, mostNanos);
      }
    }
  }

  private void giveUp(PendingOperation exchange, long now, long mostNanos) {
    Operation operation = exchange.operation();
    blame(exchange, now, mostNanos);
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
      leaveOpen(exchange, now);
    }
  }

  /** A change that was sent may still take effect, so its answer is waited for, for a while. */
  private void leaveOpen(PendingOperation exchange, long now) {
    exchange.operation().sink().reject(Rejection.UPSTREAM_TIMEOUT);
    exchange.heard(now);
    connection.drain();
  }

  /**
   * What has spent its time elsewhere, or waiting, says nothing of the server that it was sent to
   * last.
   */
  private void blame(PendingOperation exchange, long now, long mostNanos) {
    if (exchange.silent(now, mostNanos / 2)) {
      connection.backend().timedOut();
    }
  }

  private Object address() {
    return connection.backend().address();
  }
}
