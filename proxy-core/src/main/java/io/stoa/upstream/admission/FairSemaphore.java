// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.admission;

import io.stoa.ldap.protocol.Octets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A semaphore with fair turns. Origins take turns, so an origin with a thousand waiting items does
 * not hold up one with a single item.
 *
 * <p>Threading: event loop.
 *
 * @param <T> item that takes a place, compared by identity
 */
public final class FairSemaphore<T> {
  private final int limit;
  private final Map<T, Octets> origins = new HashMap<>();
  private final Map<Octets, Set<T>> waitingByOrigin = new LinkedHashMap<>();
  private final Set<T> holding = new LinkedHashSet<>();
  private final Map<Octets, Integer> heldByOrigin = new HashMap<>();

  /** Creates a semaphore of {@code limit} places. */
  public FairSemaphore(int limit) {
    this.limit = limit;
  }

  /** Adds an item that waits for a place. */
  public void add(T item, Octets origin) {
    origins.put(item, origin);
    waitingByOrigin.computeIfAbsent(origin, first -> new LinkedHashSet<>()).add(item);
  }

  /** Returns the next matching item; the others keep their turns. */
  public @Nullable T next(Predicate<T> eligible) {
    if (holding.size() >= limit) {
      return null;
    }
    return waitingByOrigin.values().stream()
        .flatMap(Set::stream)
        .filter(eligible)
        .findFirst()
        .orElse(null);
  }

  /** Gives a place to a waiting item. Its origin moves to the end of the turns. */
  public void enter(T item) {
    Octets origin = Objects.requireNonNull(origins.get(item), "does not wait");
    Set<T> waiting = Objects.requireNonNull(waitingByOrigin.remove(origin), "does not wait");
    waiting.remove(item);
    if (!waiting.isEmpty()) {
      waitingByOrigin.put(origin, waiting);
    }
    holding.add(item);
    heldByOrigin.merge(origin, 1, Integer::sum);
  }

  /**
   * Removes an item that has a place or waits for one.
   *
   * @return true if a waiting item can now have a place
   */
  public boolean leave(T item) {
    Octets origin = origins.remove(item);
    if (origin == null) {
      return false;
    }
    if (holding.remove(item)) {
      heldByOrigin.computeIfPresent(origin, (same, count) -> count == 1 ? null : count - 1);
      return !waitingByOrigin.isEmpty();
    }
    waitingByOrigin.computeIfPresent(origin, (same, waiting) -> removeFrom(waiting, item));
    return false;
  }

  private static <T> @Nullable Set<T> removeFrom(Set<T> waiting, T item) {
    waiting.remove(item);
    return waiting.isEmpty() ? null : waiting;
  }

  /** Returns the number of waiting items. */
  public int waiting() {
    return origins.size() - holding.size();
  }

  /** Returns the items that have a place, oldest first. */
  public List<T> holders() {
    return List.copyOf(holding);
  }

  /** True if no origin has more places than that of {@code holder}. */
  public boolean isOfTheLargest(T holder) {
    int held = heldByOrigin.getOrDefault(origins.getOrDefault(holder, Octets.EMPTY), 0);
    return heldByOrigin.values().stream().allMatch(count -> count <= held);
  }
}
