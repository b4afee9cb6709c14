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
  private static final int MAX = 512;

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
  void observe(Position position, long now, long notBefore) {
    Map<String, String> marks = position.marks();
    byOrigin.keySet().retainAll(marks.keySet());
    marks.forEach((origin, mark) -> observe(new FirstSeen(origin, mark, now, notBefore)));
  }

  private void observe(FirstSeen latest) {
    List<FirstSeen> timeline =
        byOrigin.computeIfAbsent(latest.origin(), none -> new ArrayList<>(1));
    while (!timeline.isEmpty() && last(timeline).mark().compareTo(latest.mark()) > 0) {
      timeline.remove(timeline.size() - 1);
    }
    if (timeline.isEmpty() || !last(timeline).mark().equals(latest.mark())) {
      add(timeline, latest);
    }
  }

  private static void add(List<FirstSeen> timeline, FirstSeen latest) {
    timeline.add(latest);
    if (timeline.size() > MAX) {
      for (int i = timeline.size() - 1; i > 0; i -= 2) {
        FirstSeen dropped = timeline.remove(i - 1);
        timeline.set(i - 1, timeline.get(i - 1).withTimesOf(dropped));
      }
    }
  }

  private static FirstSeen last(List<FirstSeen> timeline) {
    return timeline.get(timeline.size() - 1);
  }

  /** Returns the earliest mark that a position has not reached; null if it has reached all. */
  @Nullable FirstSeen firstMissing(Position position) {
    FirstSeen first = null;
    for (List<FirstSeen> timeline : byOrigin.values()) {
      FirstSeen missed = firstMissing(timeline, position);
      if (missed != null) {
        first = first == null || missed.seen() - first.seen() < 0 ? missed : first;
      }
    }
    return first;
  }

  private static @Nullable FirstSeen firstMissing(List<FirstSeen> timeline, Position position) {
    if (reaches(position, last(timeline))) {
      return null;
    }
    int reached = 0;
    int end = timeline.size() - 1; // the last mark is not reached
    while (reached < end) {
      int middle = (reached + end) / 2;
      boolean isReached = reaches(position, timeline.get(middle));
      reached = isReached ? middle + 1 : reached;
      end = isReached ? end : middle;
    }
    return timeline.get(end);
  }

  private static boolean reaches(Position position, FirstSeen firstSeen) {
    return position.reaches(firstSeen.origin(), firstSeen.mark());
  }

  /**
   * Drops the marks that all positions have reached and that are older than a time. The last mark
   * before that time stays, since a server that has not reported yet may lack it.
   */
  void forget(Collection<Position> positions, long before) {
    byOrigin.values().forEach(timeline -> forget(timeline, positions, before));
  }

  private static void forget(
      List<FirstSeen> timeline, Collection<Position> positions, long before) {
    int count = 0;
    while (count + 1 < timeline.size()
        && timeline.get(count + 1).seen() - before < 0
        && isReachedByAll(positions, timeline.get(count))) {
      count++;
    }
    timeline.subList(0, count).clear();
  }

  private static boolean isReachedByAll(Collection<Position> positions, FirstSeen firstSeen) {
    for (Position one : positions) {
      if (!reaches(one, firstSeen)) {
        return false;
      }
    }
    return true;
  }
}
