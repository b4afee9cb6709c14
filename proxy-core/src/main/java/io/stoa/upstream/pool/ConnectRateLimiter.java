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
final class ConnectRateLimiter {
  private final ConcurrencyLimiter places;
  private final EventExecutor loop;
  private final Consumer<Object> turn;
  private final Map<Object, Integer> asked = new HashMap<>();
  private int askedInAll;
  private int taken;

  /**
   * Creates the pacer of one queue.
   *
   * @param turn sends one waiting operation of the given origin, if it can
   */
  ConnectRateLimiter(UpstreamPool pool, Consumer<Object> turn) {
    this.places = pool.backend().places();
    this.loop = pool.loop();
    this.turn = turn;
  }

  /** True if the server has a cap, so that waiting operations need a place. */
  boolean rules() {
    return places.limited();
  }

  /** Takes a place if one is needed. If it returns true, a call of {@link #passed} follows. */
  boolean pass() {
    if (!places.limited()) {
      return true;
    }
    boolean may = places.take();
    taken += may ? 1 : 0;
    return may;
  }

  /** Called when the operation has been sent, and is counted by itself. */
  void passed() {
    if (taken > 0) {
      taken--;
      places.giveBack();
    }
  }

  /** Returns the number of places requested and not yet granted. */
  int asked() {
    return askedInAll;
  }

  /** Requests places for an origin, up to {@code turns} including those not yet granted. */
  void ask(Object origin, int turns) {
    int before = asked.getOrDefault(origin, 0);
    if (before < turns) {
      asked.put(origin, turns);
      askedInAll += turns - before;
      for (int i = before; i < turns; i++) {
        places.await(origin, () -> placed(origin));
      }
    }
  }

  /** Called on any thread when a place is granted; posts to the event loop. */
  private void placed(Object origin) {
    if (!loop.isShuttingDown()) { // at shutdown the place is not needed
      loop.execute(() -> use(origin));
    }
  }

  private void use(Object origin) {
    askedInAll--;
    asked.computeIfPresent(origin, (same, turns) -> turns == 1 ? null : turns - 1);
    try {
      turn.accept(origin);
    } finally {
      places.giveBack();
    }
  }
}
