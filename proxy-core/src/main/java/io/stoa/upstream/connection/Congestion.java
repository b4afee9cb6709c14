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
 * Keeps a slow client from holding up the other clients of one upstream connection.
 *
 * <ol>
 *   <li>Other clients' operations that have no response yet move to another connection.
 *   <li>Reading continues until the slow client's buffer limit is reached. Then reading pauses
 *       until the client has caught up or is disconnected.
 *   <li>Reading never pauses while other clients' responses are due on this connection.
 * </ol>
 *
 * <p>Threading: event loop.
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

  boolean isPaused() {
    return paused;
  }

  /** Called when a part of a response has been passed on. */
  void check(PendingOperation pending) {
    ResponseSink sink = pending.operation().sink();
    if (!paused && sink.isCongested()) {
      rerouteOthers(pending);
      if (sink.isFull()) {
        pause(sink::hold);
      }
    }
  }

  /**
   * Called when a part of a large message has been passed on. No other response can arrive before
   * its end.
   */
  void check(ResponseReader.LargeResponse large) {
    if (!paused && large.message().isCongested()) {
      rerouteOthers(large.pending());
      if (large.message().isFull()) {
        pause(large.message()::hold);
      }
    }
  }

  private void rerouteOthers(@Nullable PendingOperation slow) {
    if (slow == null || inFlight.markSlow(slow, System.nanoTime())) {
      for (PendingOperation other : otherOperations()) {
        if (other != slow) {
          reroute(other);
        }
      }
    }
  }

  /**
   * Moves an operation away. A shared search whose client has gone is rejected: the clients that
   * joined it then send it themselves.
   */
  private void reroute(PendingOperation other) {
    Operation operation = other.operation();
    if (operation.beginAgain()) {
      connection.sendElsewhere(other);
    } else if (operation.sink().hasOtherWaiters()) {
      connection.abandon(other);
      operation.sink().reject(Rejection.UPSTREAM_LOST);
    }
  }

  /** Returns the operations of other clients. A dedicated connection has none. */
  private List<PendingOperation> otherOperations() {
    return inFlight.isDedicated() ? List.of() : inFlight.all();
  }

  private void pause(Predicate<Hold> client) {
    paused = true;
    boolean holds =
        client.test(new Hold(this::resume, inFlight.holdsOthers(), inFlight.occupiedPlaces()));
    paused &= holds;
    if (paused) {
      channel.config().setAutoRead(false);
    }
  }

  private void resume() {
    if (paused && !connection.isClosed()) {
      paused = false;
      channel.config().setAutoRead(true);
      connection.onReadResumed();
    }
  }
}
