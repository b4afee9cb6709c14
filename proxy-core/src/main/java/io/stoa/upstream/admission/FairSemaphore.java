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
 * A few places, and what waits for one: origins take turns, so one from which a thousand come does
 * not hold up one from which a single one comes. Event-loop confined.
 *
 * @param <T> what takes a place, known by its identity
 */
public final class FairSemaphore<T> {
  private final int most;
  private final Map<T, Octets> origins = new HashMap<>();
  private final Map<Octets, Set<T>> turns = new LinkedHashMap<>();
  private final Set<T> inside = new LinkedHashSet<>();
  private final Map<Octets, Integer> taken = new HashMap<>();

  /** Makes so many places. */
  public FairSemaphore(int most) {
    this.most = most;
  }

  /** Waits for a place from now on. */
  public void add(T item, Octets origin) {
    origins.put(item, origin);
    turns.computeIfAbsent(origin, first -> new LinkedHashSet<>()).add(item);
  }

  /** Whose turn it is; null if no place is free, or nothing waits. */
  public @Nullable T next() {
    return next(any -> true);
  }

  /** The same of those only; the others keep their turns. */
  public @Nullable T next(Predicate<T> which) {
    if (inside.size() >= most) {
      return null;
    }
    return turns.values().stream().flatMap(Set::stream).filter(which).findFirst().orElse(null);
  }

  /** Gives a place to what waits; next comes the turn of another origin. */
  public void enter(T item) {
    Octets origin = Objects.requireNonNull(origins.get(item), "does not wait");
    Set<T> turn = Objects.requireNonNull(turns.remove(origin), "does not wait");
    turn.remove(item);
    if (!turn.isEmpty()) {
      turns.put(origin, turn);
    }
    inside.add(item);
    taken.merge(origin, 1, Integer::sum);
  }

  /**
   * Gives up a place, or waits no more.
   *
   * @return whether that makes room for what waits
   */
  public boolean leave(T item) {
    Octets origin = origins.remove(item);
    if (origin == null) {
      return false;
    }
    if (inside.remove(item)) {
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

  /** How many wait. */
  public int waiting() {
    return origins.size() - inside.size();
  }

  /** What has a place, the oldest first. */
  public List<T> holders() {
    return List.copyOf(inside);
  }

  /** Whether no origin has more places than that of what has this one. */
  public boolean isOfTheLargest(T holder) {
    int own = taken.getOrDefault(origins.getOrDefault(holder, Octets.EMPTY), 0);
    return taken.values().stream().allMatch(places -> places <= own);
  }
}
