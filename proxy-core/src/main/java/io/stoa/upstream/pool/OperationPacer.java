// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.pool;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.upstream.server.ConcurrencyLimiter;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Paces the operations of one event loop by the {@code ConcurrencyLimiter} of the server. Without a
 * cap everything passes.
 *
 * <p>Threading: event loop.
 */
final class OperationPacer {
  private final boolean applies;
  private final ConcurrencyLimiter places;
  private final EventExecutor loop;
  private final Consumer<Object> turn;
  private final Map<Object, Integer> requested = new HashMap<>();
  private int requestedTotal;

  /**
   * Creates the pacer of one queue.
   *
   * @param applies false if operations of the queue never wait for a place
   * @param turn sends one waiting operation of the given origin, if it can
   */
  OperationPacer(UpstreamPool pool, boolean applies, Consumer<Object> turn) {
    this.applies = applies;
    this.places = pool.backend().limiter();
    this.loop = pool.loop();
    this.turn = turn;
  }

  /** True if the server has a cap, so that operations need a place. */
  boolean isNeeded() {
    return applies && places.isLimited();
  }

  /**
   * Sends an operation, which is then counted by itself. Returns false, without effect, if it needs
   * a place and there is none.
   */
  boolean trySend(Runnable send) {
    boolean needed = isNeeded();
    if (needed && !places.take()) {
      return false;
    }
    try {
      send.run();
    } finally {
      if (needed) {
        places.giveBack();
      }
    }
    return true;
  }

  /** Returns the number of places requested and not yet granted. */
  int requested() {
    return requestedTotal;
  }

  /** Requests places for an origin, up to {@code turns} including those not yet granted. */
  void request(Object origin, int turns) {
    int before = requested.getOrDefault(origin, 0);
    if (before < turns) {
      requested.put(origin, turns);
      requestedTotal += turns - before;
      for (int i = before; i < turns; i++) {
        places.await(origin, () -> onPlace(origin));
      }
    }
  }

  /** Called on any thread when a place is granted; posts to the event loop. */
  private void onPlace(Object origin) {
    if (!loop.isShuttingDown()) { // at shutdown the place is not needed
      loop.execute(() -> use(origin));
    }
  }

  private void use(Object origin) {
    requestedTotal--;
    requested.computeIfPresent(origin, (same, turns) -> turns == 1 ? null : turns - 1);
    try {
      turn.accept(origin);
    } finally {
      places.giveBack();
    }
  }
}
