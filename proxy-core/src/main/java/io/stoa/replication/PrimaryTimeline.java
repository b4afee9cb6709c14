// SPDX-License-Identifier: Apache-2.0
package io.stoa.replication;

import io.stoa.ldap.csn.Position;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which marks were first seen at a primary, and when: the last one of each origin, and those before
 * it as long as some server has not reached them. Confined to whoever guards it.
 */
final class PrimaryTimeline {
  /** Of one origin; beyond, every other one is given up. */
  private static final int MOST = 512;

  /** Of each origin, marks and times ascend. */
  private final Map<String, List<Sighting>> byOrigin = new HashMap<>();

  /**
   * A mark as it was first seen. Immutable.
   *
   * @param seen when it was
   * @param notBefore when the primary was last asked, and did not have it yet
   */
  record Sighting(String origin, String mark, long seen, long notBefore) {}

  /**
   * All primaries together show this now. What none of them shows any more nobody can lack: its
   * origin is no more, or they were set back.
   */
  void show(Position present, long now, long notBefore) {
    Map<String, String> marks = present.marks();
    byOrigin.keySet().retainAll(marks.keySet());
    marks.forEach((origin, mark) -> show(new Sighting(origin, mark, now, notBefore)));
  }

  private void show(Sighting latest) {
    List<Sighting> known = byOrigin.computeIfAbsent(latest.origin(), none -> new ArrayList<>(1));
    while (!known.isEmpty() && last(known).mark().compareTo(latest.mark()) > 0) {
      known.remove(known.size() - 1);
    }
    if (known.isEmpty() || !last(known).mark().equals(latest.mark())) {
      add(known, latest);
    }
  }

  private static void add(List<Sighting> known, Sighting latest) {
    if (known.size() >= MOST) {
      for (int i = known.size() - 1; i > 0; i -= 2) {
        known.remove(i);
      }
    }
    known.add(latest);
  }

  private static Sighting last(List<Sighting> known) {
    return known.get(known.size() - 1);
  }

  /** The first mark seen that is not reached; null if there is none. */
  @Nullable Sighting missing(Position position) {
    Sighting first = null;
    for (List<Sighting> known : byOrigin.values()) {
      Sighting missed = missing(known, position);
      if (missed != null) {
        first = first == null || missed.seen() - first.seen() < 0 ? missed : first;
      }
    }
    return first;
  }

  private static @Nullable Sighting missing(List<Sighting> known, Position position) {
    if (reaches(position, last(known))) {
      return null;
    }
    int reached = 0;
    int end = known.size() - 1; // which is not
    while (reached < end) {
      int middle = (reached + end) / 2;
      boolean has = reaches(position, known.get(middle));
      reached = has ? middle + 1 : reached;
      end = has ? end : middle;
    }
    return known.get(end);
  }

  private static boolean reaches(Position position, Sighting sighting) {
    return position.reaches(sighting.origin(), sighting.mark());
  }

  /**
   * Forgets what all have reached, but for the last mark before a time and those after it: a server
   * that has not told yet may lack them.
   */
  void forget(Collection<Position> all, long before) {
    byOrigin.values().forEach(known -> forget(known, all, before));
  }

  private static void forget(List<Sighting> known, Collection<Position> all, long before) {
    int count = 0;
    while (count + 1 < known.size()
        && known.get(count + 1).seen() - before < 0
        && isHadBy(all, known.get(count))) {
      count++;
    }
    known.subList(0, count).clear();
  }

  private static boolean isHadBy(Collection<Position> all, Sighting sighting) {
    for (Position one : all) {
      if (!reaches(one, sighting)) {
        return false;
      }
    }
    return true;
  }
}
