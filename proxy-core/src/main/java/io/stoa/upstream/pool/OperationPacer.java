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
  private final ConcurrencyLimiter limiter;
  private final EventExecutor loop;
  private final Consumer<Object> onTurn;
  private final Map<Object, Integer> requested = new HashMap<>();
  private int requestedTotal;

  /**
   * Creates the pacer of one queue.
   *
   * @param applies false if operations of the queue never wait for a place
   * @param onTurn sends one waiting operation of the given origin, if it can
   */
  OperationPacer(UpstreamPool pool, boolean applies, Consumer<Object> onTurn) {
    this.applies = applies;
    this.limiter = pool.backend().limiter();
    this.loop = pool.loop();
    this.onTurn = onTurn;
  }

  /** True if the server has a cap, so that operations need a place. */
  boolean isNeeded() {
    return applies && limiter.isLimited();
  }

  /**
   * Sends an operation, which is then counted by itself. Returns false, without effect, if it needs
   * a place and there is none.
   */
  boolean trySend(Runnable send) {
    boolean needed = isNeeded();
    if (needed && !limiter.take()) {
      return false;
    }
    try {
      send.run();
    } finally {
      if (needed) {
        limiter.giveBack();
      }
    }
    return true;
  }

  /** Returns the number of places requested and not yet granted. */
  int requested() {
    return requestedTotal;
  }

  /** Requests places for an origin, up to {@code count} including those not yet granted. */
  void request(Object origin, int count) {
    int previous = requested.getOrDefault(origin, 0);
    if (previous < count) {
      requested.put(origin, count);
      requestedTotal += count - previous;
      for (int i = previous; i < count; i++) {
        limiter.await(origin, () -> onPlace(origin));
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
    requested.computeIfPresent(origin, (same, count) -> count == 1 ? null : count - 1);
    try {
      onTurn.accept(origin);
    } finally {
      limiter.giveBack();
    }
  }
}
