// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.pool;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.upstream.server.ConcurrencyLimiter;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Lets through as much of what waits on one event loop for a server as that takes at once, beside
 * what others send it. As long as there is no cap everything passes, at the cost of looking. Event-
 * loop confined.
 */
final class ConnectRateLimiter {
  private final ConcurrencyLimiter places;
  private final EventExecutor loop;
  private final Consumer<Object> turn;
  private final Map<Object, Integer> asked = new HashMap<>();
  private int askedInAll;
  private int taken;

  /**
   * Makes it.
   *
   * @param turn sends one of those that wait for a turn of this origin, if it can
   */
  ConnectRateLimiter(UpstreamPool pool, Consumer<Object> turn) {
    this.places = pool.backend().places();
    this.loop = pool.loop();
    this.turn = turn;
  }

  /** Whether what waits needs a turn to be sent. */
  boolean rules() {
    return places.limited();
  }

  /** Whether something may be sent now; if so, {@link #passed} follows. */
  boolean pass() {
    if (!places.limited()) {
      return true;
    }
    boolean may = places.take();
    taken += may ? 1 : 0;
    return may;
  }

  /** It has been sent, and is counted. */
  void passed() {
    if (taken > 0) {
      taken--;
      places.giveBack();
    }
  }

  /** How many turns were asked for and have not come. */
  int asked() {
    return askedInAll;
  }

  /**
   * Asks for so many turns of an origin, together with those that were asked for and have not come.
   */
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

  /** Posts. */
  private void placed(Object origin) {
    if (!loop.isShuttingDown()) { // else all ends, and nobody needs the place
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
