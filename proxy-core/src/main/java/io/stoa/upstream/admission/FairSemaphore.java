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
  private final int most;
  private final Map<T, Octets> origins = new HashMap<>();
  private final Map<Octets, Set<T>> turns = new LinkedHashMap<>();
  private final Set<T> holding = new LinkedHashSet<>();
  private final Map<Octets, Integer> taken = new HashMap<>();

  /** Creates a semaphore of {@code most} places. */
  public FairSemaphore(int most) {
    this.most = most;
  }

  /** Adds an item that waits for a place. */
  public void add(T item, Octets origin) {
    origins.put(item, origin);
    turns.computeIfAbsent(origin, first -> new LinkedHashSet<>()).add(item);
  }

  /** Returns the next matching item; the others keep their turns. */
  public @Nullable T next(Predicate<T> which) {
    if (holding.size() >= most) {
      return null;
    }
    return turns.values().stream().flatMap(Set::stream).filter(which).findFirst().orElse(null);
  }

  /** Gives a place to a waiting item. Its origin moves to the end of the turns. */
  public void enter(T item) {
    Octets origin = Objects.requireNonNull(origins.get(item), "does not wait");
    Set<T> turn = Objects.requireNonNull(turns.remove(origin), "does not wait");
    turn.remove(item);
    if (!turn.isEmpty()) {
      turns.put(origin, turn);
    }
    holding.add(item);
    taken.merge(origin, 1, Integer::sum);
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
      taken.computeIfPresent(origin, (same, places) -> places == 1 ? null : places - 1);
      return !turns.isEmpty();
    }
    turns.computeIfPresent(origin, (same, turn) -> without(turn, item));
    return false;
  }

  private static <T> @Nullable Set<T> without(Set<T> turn, T item) {
    turn.remove(item);
    return turn.isEmpty() ? null : turn;
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
    int own = taken.getOrDefault(origins.getOrDefault(holder, Octets.EMPTY), 0);
    return taken.values().stream().allMatch(places -> places <= own);
  }
}
