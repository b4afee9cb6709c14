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
 * Indexes writes by the server that took them, in the order of their positions. The writes that a
 * server lacks are found by binary search.
 *
 * <p>Threading: guarded by the lock of {@link UnreplicatedWrites}.
 */
final class WritesByOrigin {
  /** Writes without a known position. */
  private final Set<UnreplicatedWrite> unsettled = new LinkedHashSet<>();

  /**
   * Writes with a position, by writer. Positions ascend: a server that has one write has all before
   * it.
   */
  private final Map<Object, List<UnreplicatedWrite>> settled = new HashMap<>();

  void add(UnreplicatedWrite change) {
    if (change.position() == null) {
      unsettled.add(change);
    } else {
      settled.computeIfAbsent(change.writer(), none -> new ArrayList<>()).add(change);
    }
  }

  void remove(UnreplicatedWrite change) {
    List<UnreplicatedWrite> writes = settled.get(change.writer());
    if (!unsettled.remove(change) && writes != null && writes.remove(change) && writes.isEmpty()) {
      settled.remove(change.writer());
    }
  }

  /** Returns the writes without a known position. */
  Collection<UnreplicatedWrite> unsettled() {
    return unsettled;
  }

  /**
   * Returns the unsettled writes that the writer's next position covers.
   *
   * @param earliestUnderWay tick from which writes may have been in flight at the request
   * @param asked time of the request for the position
   */
  List<UnreplicatedWrite> settledBy(Object writer, long earliestUnderWay, long asked) {
    return unsettled.stream().filter(c -> c.isSettledBy(writer, earliestUnderWay, asked)).toList();
  }

  /**
   * Returns a position at or above the given one. A server that has reached it has all earlier
   * writes of the writer.
   */
  Position ascending(Object writer, Position position) {
    List<UnreplicatedWrite> writes = settled.get(writer);
    Position last = writes == null ? null : writes.get(writes.size() - 1).position();
    return last == null || position.covers(last) ? position : last.merge(position);
  }

  int size() {
    return unsettled.size() + settled.values().stream().mapToInt(List::size).sum();
  }

  Stream<UnreplicatedWrite> all() {
    return Stream.concat(settled.values().stream().flatMap(Collection::stream), unsettled.stream());
  }

  /** Returns the writers of settled writes. */
  List<Object> writers() {
    return List.copyOf(settled.keySet());
  }

  /**
   * Removes the first settled writes of a writer that pass a test.
   *
   * @return the removed writes, oldest first
   */
  List<UnreplicatedWrite> forget(Object writer, Predicate<UnreplicatedWrite> isCoveredByAll) {
    List<UnreplicatedWrite> writes = settled.get(writer);
    if (writes == null) {
      return List.of();
    }
    List<UnreplicatedWrite> covered = writes.subList(0, countCovered(writes, isCoveredByAll));
    List<UnreplicatedWrite> forgotten = List.copyOf(covered);
    covered.clear();
    if (writes.isEmpty()) {
      settled.remove(writer);
    }
    return forgotten;
  }

  /**
   * Returns the number of settled writes that a server certainly lacks. Writes taken by the server
   * itself do not count: it had more than its position reported.
   */
  int countMissing(ReplicaPosition replica) {
    return settled.entrySet().stream()
        .filter(writes -> writes.getKey() != replica.server() && !replica.hasAllOf(writes.getKey()))
        .mapToInt(
            writes -> writes.getValue().size() - countCovered(writes.getValue(), replica::covers))
        .sum();
  }

  /** True if all writes that a server may lack pass a test. Stops at the first that does not. */
  boolean allMissingMatch(ReplicaPosition replica, Predicate<UnreplicatedWrite> test) {
    for (Map.Entry<Object, List<UnreplicatedWrite>> writes : settled.entrySet()) {
      if (!replica.hasAllOf(writes.getKey())
          && !allMissingMatch(writes.getValue(), replica, test)) {
        return false;
      }
    }
    return unsettled.stream().allMatch(c -> replica.hasAllOf(c.writer()) || test.test(c));
  }

  private static boolean allMissingMatch(
      List<UnreplicatedWrite> writes, ReplicaPosition replica, Predicate<UnreplicatedWrite> test) {
    int coveredCount = countCovered(writes, replica::covers);
    for (int i = writes.size() - 1; i >= coveredCount; i--) {
      if (!test.test(writes.get(i))) {
        return false;
      }
    }
    return true;
  }

  /** Returns the number of leading writes that pass a test; no later write passes it. */
  private static int countCovered(
      List<UnreplicatedWrite> writes, Predicate<UnreplicatedWrite> isCovered) {
    int coveredCount = 0;
    int end = writes.size();
    while (coveredCount < end) {
      int middle = (coveredCount + end) >>> 1;
      boolean isMiddleCovered = isCovered.test(writes.get(middle));
      coveredCount = isMiddleCovered ? middle + 1 : coveredCount;
      end = isMiddleCovered ? end : middle;
    }
    return coveredCount;
  }
}
