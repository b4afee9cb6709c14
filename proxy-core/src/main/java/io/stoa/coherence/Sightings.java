// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence;

import io.stoa.change.Position;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which marks were first seen at a primary, and when, as long as some server has not reached them.
 * Confined to whoever guards it.
 */
final class Sightings {
  /** Of one origin; beyond, every other one is given up, which makes a lag seem longer. */
  private static final int MOST = 512;

  private final Map<String, Deque<Sighting>> byOrigin = new HashMap<>();
  private Position highest = Position.NONE;

  /**
   * A mark as it was first seen. Immutable.
   *
   * @param seen when it was
   * @param notBefore when the primary was last asked, and did not have it yet
   */
  record Sighting(String origin, String mark, long seen, long notBefore) {}

  /** A primary has shown its position. */
  void add(Position position, long now, long notBefore) {
    position
        .marks()
        .forEach(
            (origin, mark) -> {
              if (!highest.reaches(origin, mark)) {
                add(new Sighting(origin, mark, now, notBefore));
              }
            });
    highest = highest.merge(position);
  }

  private void add(Sighting sighting) {
    Deque<Sighting> known = byOrigin.computeIfAbsent(sighting.origin(), none -> new ArrayDeque<>());
    if (known.size() >= MOST) {
      thin(known);
    }
    known.addLast(sighting);
  }

  private static void thin(Deque<Sighting> known) {
    boolean second = false;
    for (Iterator<Sighting> all = known.iterator(); all.hasNext(); second = !second) {
      all.next();
      if (second) {
        all.remove();
      }
    }
  }

  /**
   * The first mark seen that is not reached; null if there is none.
   *
   * @param latest what was seen later than this is not missed yet
   */
  @Nullable Sighting missing(Position position, long latest) {
    Sighting first = null;
    for (Deque<Sighting> known : byOrigin.values()) {
      Sighting missed = missing(known, position);
      if (missed != null && missed.seen() - latest <= 0) {
        first = first == null || missed.seen() - first.seen() < 0 ? missed : first;
      }
    }
    return first;
  }

  private static @Nullable Sighting missing(Deque<Sighting> known, Position position) {
    Sighting last = known.peekLast();
    if (last == null || position.reaches(last.origin(), last.mark())) {
      return null;
    }
    for (Sighting sighting : known) {
      if (!position.reaches(sighting.origin(), sighting.mark())) {
        return sighting;
      }
    }
    return null;
  }

  /** Forgets what was seen of some naming contexts. */
  void without(Set<String> contexts) {
    highest = highest.without(contexts);
    byOrigin.keySet().retainAll(highest.marks().keySet());
  }

  /** Forgets what all have reached. */
  void forget(Collection<Position> all) {
    byOrigin.values().forEach(known -> forget(known, all));
  }

  private static void forget(Deque<Sighting> known, Collection<Position> all) {
    while (!known.isEmpty()) {
      Sighting first = known.getFirst();
      if (!all.stream().allMatch(one -> one.reaches(first.origin(), first.mark()))) {
        return;
      }
      known.removeFirst();
    }
  }
}
