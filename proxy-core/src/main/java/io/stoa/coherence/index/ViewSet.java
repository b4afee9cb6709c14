// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.index;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The views under a key that has many of them. A hash table with open addressing, by the sequence
 * number of {@link IndexKeys}.
 *
 * <ol>
 *   <li>Elements never move within an array. A removed one leaves a mark in its slot.
 *   <li>An array that is too full, or too empty, is replaced by another one, and not changed any
 *       more. So a reader finds each view that was added before it began, and is not removed.
 *   <li>At most three quarters of the slots are in use, marks included.
 * </ol>
 *
 * <p>Octets: 40, and 5 to 11 for each view, where a {@link java.util.concurrent.ConcurrentHashMap}
 * takes 40.
 *
 * <p>Threading: thread-safe for readers; writers hold the lock of the index.
 */
final class ViewSet {
  private static final int MIN_SLOTS = 32;
  private static final Object REMOVED = new Object();

  /** Multiplier that spreads a hash over its upper bits: 2^32 divided by the golden ratio. */
  private static final int SPREAD = 0x9E3779B9;

  private volatile AtomicReferenceArray<@Nullable Object> slots =
      new AtomicReferenceArray<>(MIN_SLOTS);

  private volatile int size;

  /** Slots with a view or a mark. Writers only. */
  private int used;

  /** Adds a view, unless it is there. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // one writer at a time
  void add(IndexKeys keys) {
    if (find(keys) >= 0) {
      return;
    }
    if (4 * (used + 1) > 3 * slots.length()) {
      rebuild(2 * (size + 1));
    }
    put(slots, keys);
    used++;
    size++;
  }

  /** Removes a view, if it is there. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // one writer at a time
  void remove(IndexKeys keys) {
    int slot = find(keys);
    if (slot >= 0) {
      slots.set(slot, REMOVED);
      size--;
      if (slots.length() > MIN_SLOTS && 8 * size < slots.length()) {
        rebuild(2 * size);
      }
    }
  }

  private void rebuild(int capacity) {
    int length = Math.max(MIN_SLOTS, Integer.highestOneBit(Math.max(1, capacity - 1)) << 1);
    AtomicReferenceArray<@Nullable Object> next = new AtomicReferenceArray<>(length);
    forEach(keys -> put(next, keys));
    used = size;
    slots = next;
  }

  private static void put(AtomicReferenceArray<@Nullable Object> array, IndexKeys keys) {
    int slot = home(keys, array);
    while (array.get(slot) != null) {
      slot = slot + 1 & array.length() - 1;
    }
    array.set(slot, keys);
  }

  /** Spreads the hashes, which are consecutive numbers of the whole index. */
  private static int home(IndexKeys keys, AtomicReferenceArray<?> array) {
    int upperBits = Integer.SIZE - Integer.numberOfTrailingZeros(array.length());
    return (keys.hashCode() * SPREAD) >>> upperBits;
  }

  /** Returns the slot of a view; -1 if it is not there. */
  private int find(IndexKeys keys) {
    AtomicReferenceArray<@Nullable Object> array = slots;
    int slot = home(keys, array);
    Object at = array.get(slot);
    while (at != null && at != keys) {
      slot = slot + 1 & array.length() - 1;
      at = array.get(slot);
    }
    return at == null ? -1 : slot;
  }

  void forEach(Consumer<IndexKeys> found) {
    AtomicReferenceArray<@Nullable Object> array = slots;
    for (int slot = 0; slot < array.length(); slot++) {
      if (array.get(slot) instanceof IndexKeys keys) {
        found.accept(keys);
      }
    }
  }

  int size() {
    return size;
  }

  boolean isEmpty() {
    return size == 0;
  }
}
