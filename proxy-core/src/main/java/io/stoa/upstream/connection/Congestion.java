// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connection;

import io.netty.channel.Channel;
import io.stoa.operation.Hold;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.operation.ResponseSink;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What happens on one upstream connection while a client does not take its answers. Operations of
 * others that have not been answered at all go elsewhere. The connection is read on until as much
 * waits for the slow client as may. Then reading pauses until the client has taken what it was
 * sent, or is disconnected. While answers of others must come on this connection, it never pauses.
 * Event-loop confined.
 */
final class Congestion {
  private final UpstreamConnection connection;
  private final Channel channel;
  private final PendingOperations inFlight;
  private boolean paused;

  Congestion(UpstreamConnection connection, Channel channel, PendingOperations inFlight) {
    this.connection = connection;
    this.channel = channel;
    this.inFlight = inFlight;
  }

  boolean paused() {
    return paused;
  }

  /** A part of an answer has been handed on. */
  void check(PendingOperation exchange) {
    ResponseSink sink = exchange.operation().sink();
    if (!paused && sink.congested()) {
      begin(exchange);
      if (sink.full()) {
        pause(sink::hold);
      }
    }
  }

  /** A part of a large message has been handed on: nothing else can come before its end. */
  void check(ResponseReader.LargeArrival large) {
    if (!paused && large.congested()) {
      begin(large.exchange());
      if (large.full()) {
        pause(large::hold);
      }
    }
  }

  private void begin(@Nullable PendingOperation slow) {
    if (slow == null || inFlight.slow(slow, System.nanoTime())) {
      for (PendingOperation other : others()) {
        if (other != slow) {
          makeWay(other);
        }
      }
    }
  }

  /** Whoever waits for a search that is nobody's asks by itself. */
  private void makeWay(PendingOperation other) {
    Operation operation = other.operation();
    if (operation.beginAgain()) {
      connection.sendElsewhere(other);
    } else if (operation.sink().wanted()) {
      connection.abandon(other);
      operation.sink().reject(Rejection.UPSTREAM_LOST);
    }
  }

  /** On a connection of one client alone, all others are the same client's. */
  private List<PendingOperation> others() {
    return inFlight.keepsClientsIds() ? List.of() : inFlight.all();
  }

  private void pause(Predicate<Hold> client) {
    paused = true;
    boolean holds = client.test(new Hold(this::resume, inFlight.holdsOthers(), inFlight.places()));
    paused &= holds;
    if (paused) {
      channel.config().setAutoRead(false);
    }
  }

  private void resume() {
    if (paused && !connection.closed()) {
      paused = false;
      channel.config().setAutoRead(true);
      connection.resumed();
    }
  }
}
