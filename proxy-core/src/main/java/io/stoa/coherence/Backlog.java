// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence;

import io.stoa.change.Position;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Changes in such an order that those which a server lacks are found without looking at the others:
 * by their writers, and in the order in which these had them. Confined to the lock of {@link
 * RecentChanges}.
 */
final class Backlog {
  /** Those of which it is not known yet where they are had. */
  private final Set<RecentChange> unsettled = new LinkedHashSet<>();

  /** The others. Whoever has one of a writer has all before it. */
  private final Map<Object, Deque<RecentChange>> settled = new HashMap<>();

  void add(RecentChange change) {
    if (change.position() == null) {
      unsettled.add(change);
    } else {
      settled.computeIfAbsent(change.writer(), none -> new ArrayDeque<>()).addLast(change);
    }
  }

  void remove(RecentChange change) {
    Deque<RecentChange> same = settled.get(change.writer());
    if (!unsettled.remove(change) && same != null && same.remove(change) && same.isEmpty()) {
      settled.remove(change.writer());
    }
  }

  /** Puts all that another one holds in the place of what is here. */
  void become(Backlog other) {
    unsettled.clear();
    settled.clear();
    unsettled.addAll(other.unsettled);
    other.settled.forEach((writer, changes) -> settled.put(writer, new ArrayDeque<>(changes)));
  }

  /** Those whose writer has told that it has them, by what it was asked before. */
  List<RecentChange> shownBy(Object writer, long earliestUnderWay, long asked) {
    return unsettled.stream().filter(c -> c.isIn(writer, earliestUnderWay, asked)).toList();
  }

  /** A position of a writer that nobody has reached who lacks an earlier change of it. */
  Position after(Object writer, Position position) {
    Deque<RecentChange> same = settled.get(writer);
    Position last = same == null ? null : same.getLast().position();
    return last == null || position.covers(last) ? position : last.merge(position);
  }

  int size() {
    return unsettled.size() + settled.values().stream().mapToInt(Deque::size).sum();
  }

  Stream<RecentChange> all() {
    return Stream.concat(settled.values().stream().flatMap(Collection::stream), unsettled.stream());
  }

  /** Who has written what is settled. */
  List<Object> writers() {
    return List.copyOf(settled.keySet());
  }

  /** The first change of a writer that is settled; null if there is none. */
  @Nullable RecentChange first(Object writer) {
    Deque<RecentChange> same = settled.get(writer);
    return same == null ? null : same.getFirst();
  }

  /** Whether all changes that a server may lack pass a test, which is asked until one does not. */
  boolean lacked(Reach reach, Predicate<RecentChange> test) {
    for (Map.Entry<Object, Deque<RecentChange>> same : settled.entrySet()) {
      if (!reach.hasAllOf(same.getKey()) && !lacked(same.getValue(), reach, test)) {
        return false;
      }
    }
    return unsettled.stream().allMatch(c -> reach.hasAllOf(c.writer()) || test.test(c));
  }

  private static boolean lacked(
      Deque<RecentChange> same, Reach reach, Predicate<RecentChange> test) {
    Iterator<RecentChange> newestFirst = same.descendingIterator();
    while (newestFirst.hasNext()) {
      RecentChange change = newestFirst.next();
      if (reach.covers(change)) {
        return true;
      }
      if (!test.test(change)) {
        return false;
      }
    }
    return true;
  }
}
