// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.admission;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Limits the operations that wait for connections, over all queues, by dynamic thresholds.
 *
 * <ol>
 *   <li>An identity may hold at most 8 times the number of free places.
 *   <li>A client may hold at most 8 times what is left to its identity.
 *   <li>So a single one gets most of the places, several greedy ones get equal numbers, and one
 *       that holds none always finds a place.
 * </ol>
 *
 * <p>Source: Choudhury and Hahne, Dynamic Queue Length Thresholds for Shared-Memory Packet
 * Switches, IEEE/ACM Transactions on Networking 6(2), 1998.
 *
 * <p>Threading: thread-safe.
 */
public final class QueueBound {
  private static final int FACTOR = 8;

  private final IntSupplier limit;
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicInteger maxQueue = new AtomicInteger();

  /** Places held by each identity and client that holds any. */
  private final Map<Object, Integer> countByOwner = new ConcurrentHashMap<>();

  /**
   * Creates the limit.
   *
   * @param limit source of the current maximum
   */
  public QueueBound(IntSupplier limit) {
    this.limit = limit;
  }

  /** Returns the number of operations that wait now. */
  public int waiting() {
    return waiting.get();
  }

  /** Returns the highest number of operations that have waited at once. */
  public int longest() {
    return maxQueue.get();
  }

  /**
   * The place of one waiting operation.
   *
   * <p>Threading: immutable.
   */
  record Reservation(QueueBound bound, Object name, Object client) {
    void giveBack() {
      bound.countByOwner.computeIfPresent(name, Reservation::decrement);
      bound.countByOwner.computeIfPresent(client, Reservation::decrement);
      bound.waiting.decrementAndGet();
    }

    private static @Nullable Integer decrement(Object any, int count) {
      return count == 1 ? null : count - 1;
    }
  }

  /**
   * Takes a place. Returns null if none is left, or if this identity or client holds too many.
   *
   * @param name name of the client's identity
   */
  @Nullable Reservation take(Object name, Object client) {
    int free = limit.getAsInt() - waiting.getAndIncrement();
    if (free <= 0 || isGreedy(name, client, free)) {
      waiting.decrementAndGet();
      return null;
    }
    maxQueue.accumulateAndGet(waiting.get(), Math::max);
    countByOwner.merge(name, 1, Integer::sum);
    countByOwner.merge(client, 1, Integer::sum);
    return new Reservation(this, name, client);
  }

  private boolean isGreedy(Object name, Object client, long free) {
    long remaining = FACTOR * free - countByOwner.getOrDefault(name, 0);
    return remaining <= 0 || countByOwner.getOrDefault(client, 0) >= FACTOR * remaining;
  }
}
