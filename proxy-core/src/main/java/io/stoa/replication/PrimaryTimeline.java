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
 * Remembers when the primaries first showed each mark. A mark is the CSN or change number of an
 * origin in a {@link Position}.
 *
 * <p>The last mark of each origin is kept, and earlier ones while a server has not reached them.
 *
 * <p>Threading: guarded by the lock of the owner.
 */
final class PrimaryTimeline {
  /** Maximum number of marks of one origin: 512. Beyond it, every two marks become one. */
  private static final int MOST = 512;

  /** Marks by origin, in ascending order of mark and time. */
  private final Map<String, List<FirstSeen>> byOrigin = new HashMap<>();

  /**
   * The first time that a mark was seen. Immutable.
   *
   * @param seen time of the first report
   * @param notBefore time of the last request whose response did not have the mark yet
   */
  record FirstSeen(String origin, String mark, long seen, long notBefore) {
    /**
     * Returns the mark with the times of an earlier mark that is dropped. A server that lacks the
     * dropped mark is then found to lack this one, for no shorter a time.
     */
    FirstSeen withTimesOf(FirstSeen dropped) {
      return new FirstSeen(origin, mark, dropped.seen(), dropped.notBefore());
    }
  }

  /**
   * Records the marks that all primaries together show now. Marks above these are dropped: the
   * primaries were set back, or the origin is gone, so no server can lack them.
   */
  void observe(Position present, long now, long notBefore) {
    Map<String, String> marks = present.marks();
    byOrigin.keySet().retainAll(marks.keySet());
    marks.forEach((origin, mark) -> observe(new FirstSeen(origin, mark, now, notBefore)));
  }

  private void observe(FirstSeen latest) {
    List<FirstSeen> known = byOrigin.computeIfAbsent(latest.origin(), none -> new ArrayList<>(1));
    while (!known.isEmpty() && last(known).mark().compareTo(latest.mark()) > 0) {
      known.remove(known.size() - 1);
    }
    if (known.isEmpty() || !last(known).mark().equals(latest.mark())) {
      add(known, latest);
    }
  }

  private static void add(List<FirstSeen> known, FirstSeen latest) {
    known.add(latest);
    if (known.size() > MOST) {
      for (int i = known.size() - 1; i > 0; i -= 2) {
        FirstSeen dropped = known.remove(i - 1);
        known.set(i - 1, known.get(i - 1).withTimesOf(dropped));
      }
    }
  }

  private static FirstSeen last(List<FirstSeen> known) {
    return known.get(known.size() - 1);
  }

  /** Returns the earliest mark that a position has not reached; null if it has reached all. */
  @Nullable FirstSeen firstMissing(Position position) {
    FirstSeen first = null;
    for (List<FirstSeen> known : byOrigin.values()) {
      FirstSeen missed = firstMissing(known, position);
      if (missed != null) {
        first = first == null || missed.seen() - first.seen() < 0 ? missed : first;
      }
    }
    return first;
  }

  private static @Nullable FirstSeen firstMissing(List<FirstSeen> known, Position position) {
    if (reaches(position, last(known))) {
      return null;
    }
    int reached = 0;
    int end = known.size() - 1; // the last mark is not reached
    while (reached < end) {
      int middle = (reached + end) / 2;
      boolean has = reaches(position, known.get(middle));
      reached = has ? middle + 1 : reached;
      end = has ? end : middle;
    }
    return known.get(end);
  }

  private static boolean reaches(Position position, FirstSeen sighting) {
    return position.reaches(sighting.origin(), sighting.mark());
  }

  /**
   * Drops the marks that all positions have reached and that are older than a time. The last mark
   * before that time stays, since a server that has not reported yet may lack it.
   */
  void forget(Collection<Position> all, long before) {
    byOrigin.values().forEach(known -> forget(known, all, before));
  }

  private static void forget(List<FirstSeen> known, Collection<Position> all, long before) {
    int count = 0;
    while (count + 1 < known.size()
        && known.get(count + 1).seen() - before < 0
        && isReachedByAll(all, known.get(count))) {
      count++;
    }
    known.subList(0, count).clear();
  }

  private static boolean isReachedByAll(Collection<Position> all, FirstSeen sighting) {
    for (Position one : all) {
      if (!reaches(one, sighting)) {
        return false;
      }
    }
    return true;
  }
}
