// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.admission;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How many operations may wait for connections, over all queues. Nobody is given the last places: a
 * name may hold so many times what is free, and a client of it so many times what is left to the
 * name (Choudhury and Hahne, Dynamic Queue Length Thresholds for Shared-Memory Packet Switches,
 * IEEE/ACM Transactions on Networking 6(2), 1998). So one alone gets most of the places, each of
 * several greedy ones as many, and whoever holds none finds one. Thread-safe.
 */
public final class QueueBound {
  private static final int FACTOR = 8;

  private final IntSupplier most;
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicInteger longest = new AtomicInteger();

  /** Of names and of clients; only of those that hold any. */
  private final Map<Object, Integer> held = new ConcurrentHashMap<>();

  /** Makes a bound of so many operations, now. */
  public QueueBound(IntSupplier most) {
    this.most = most;
  }

  /** Operations that wait now. */
  public int waiting() {
    return waiting.get();
  }

  /** Most operations that have waited at once. */
  public int longest() {
    return longest.get();
  }

  /** What one operation holds. Immutable. */
  record Place(QueueBound bound, Object name, Object client) {
    void giveBack() {
      bound.held.computeIfPresent(name, Place::less);
      bound.held.computeIfPresent(client, Place::less);
      bound.waiting.decrementAndGet();
    }

    private static @Nullable Integer less(Object any, int count) {
      return count == 1 ? null : count - 1;
    }
  }

  /**
   * Takes a place; null if none is left, or not for these.
   *
   * @param name as whom the client acts
   */
  @Nullable Place take(Object name, Object client) {
    int free = most.getAsInt() - waiting.getAndIncrement();
    if (free <= 0 || isGreedy(name, client, free)) {
      waiting.decrementAndGet();
      return null;
    }
    longest.accumulateAndGet(waiting.get(), Math::max);
    held.merge(name, 1, Integer::sum);
    held.merge(client, 1, Integer::sum);
    return new Place(this, name, client);
  }

  private boolean isGreedy(Object name, Object client, long free) {
    long left = FACTOR * free - held.getOrDefault(name, 0);
    return left <= 0 || held.getOrDefault(client, 0) >= FACTOR * left;
  }
}
