// SPDX-License-Identifier: Apache-2.0
package io.stoa.replication;

import io.stoa.ldap.csn.Position;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Changes in such an order that those which a server lacks are found without looking at the others:
 * by their writers, and in the order in which these had them. Confined to the lock of {@link
 * UnreplicatedWrites}.
 */
final class WritesByOrigin {
  /** Those of which it is not known yet where they are had. */
  private final Set<UnreplicatedWrite> unsettled = new LinkedHashSet<>();

  /** The others, by writers. Whoever has one has all before it: their positions ascend. */
  private final Map<Object, List<UnreplicatedWrite>> settled = new HashMap<>();

  void add(UnreplicatedWrite change) {
    if (change.position() == null) {
      unsettled.add(change);
    } else {
      settled.computeIfAbsent(change.writer(), none -> new ArrayList<>()).add(change);
    }
  }

  void remove(UnreplicatedWrite change) {
    List<UnreplicatedWrite> same = settled.get(change.writer());
    if (!unsettled.remove(change) && same != null && same.remove(change) && same.isEmpty()) {
      settled.remove(change.writer());
    }
  }

  /** Puts all that another one holds in the place of what is here. */
  void become(WritesByOrigin other) {
    unsettled.clear();
    settled.clear();
    unsettled.addAll(other.unsettled);
    other.settled.forEach((writer, changes) -> settled.put(writer, new ArrayList<>(changes)));
  }

  /** Those of which it is not known yet where they are had. */
  Collection<UnreplicatedWrite> unsettled() {
    return unsettled;
  }

  /** Those whose writer has told that it has them, by what it was asked before. */
  List<UnreplicatedWrite> shownBy(Object writer, long earliestUnderWay, long asked) {
    return unsettled.stream().filter(c -> c.isIn(writer, earliestUnderWay, asked)).toList();
  }

  /** A position of a writer that nobody has reached who lacks an earlier change of it. */
  Position after(Object writer, Position position) {
    List<UnreplicatedWrite> same = settled.get(writer);
    Position last = same == null ? null : same.get(same.size() - 1).position();
    return last == null || position.covers(last) ? position : last.merge(position);
  }

  int size() {
    return unsettled.size() + settled.values().stream().mapToInt(List::size).sum();
  }

  Stream<UnreplicatedWrite> all() {
    return Stream.concat(settled.values().stream().flatMap(Collection::stream), unsettled.stream());
  }

  /** Who has written what is settled. */
  List<Object> writers() {
    return List.copyOf(settled.keySet());
  }

  /**
   * Removes those of a writer that are settled and that all have.
   *
   * @return which these are, the first one first
   */
  List<UnreplicatedWrite> forget(Object writer, Predicate<UnreplicatedWrite> byAll) {
    List<UnreplicatedWrite> same = settled.get(writer);
    if (same == null) {
      return List.of();
    }
    List<UnreplicatedWrite> those = same.subList(0, had(same, byAll));
    List<UnreplicatedWrite> had = List.copyOf(those);
    those.clear();
    if (same.isEmpty()) {
      settled.remove(writer);
    }
    return had;
  }

  /**
   * How many of those that are settled a server certainly lacks. When a writer itself was read from
   * it had more than it has told.
   */
  int lacked(ReplicaPosition reach) {
    return settled.entrySet().stream()
        .filter(same -> same.getKey() != reach.server() && !reach.hasAllOf(same.getKey()))
        .mapToInt(same -> same.getValue().size() - had(same.getValue(), reach::covers))
        .sum();
  }

  /** Whether all changes that a server may lack pass a test, which is asked until one does not. */
  boolean lacked(ReplicaPosition reach, Predicate<UnreplicatedWrite> test) {
    for (Map.Entry<Object, List<UnreplicatedWrite>> same : settled.entrySet()) {
      if (!reach.hasAllOf(same.getKey()) && !lacked(same.getValue(), reach, test)) {
        return false;
      }
    }
    return unsettled.stream().allMatch(c -> reach.hasAllOf(c.writer()) || test.test(c));
  }

  private static boolean lacked(
      List<UnreplicatedWrite> same, ReplicaPosition reach, Predicate<UnreplicatedWrite> test) {
    int had = had(same, reach::covers);
    for (int i = same.size() - 1; i >= had; i--) {
      if (!test.test(same.get(i))) {
        return false;
      }
    }
    return true;
  }

  /** How many of the first are had: none after one that is not. */
  private static int had(List<UnreplicatedWrite> same, Predicate<UnreplicatedWrite> has) {
    int had = 0;
    int end = same.size();
    while (had < end) {
      int middle = (had + end) >>> 1;
      boolean here = has.test(same.get(middle));
      had = here ? middle + 1 : had;
      end = here ? end : middle;
    }
    return had;
  }
}
