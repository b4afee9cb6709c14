// SPDX-License-Identifier: Apache-2.0
package io.stoa.replication;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Indexes writes by entry, so that the writes that may concern a read are found without a scan.
 *
 * <p>A read of one entry is concerned by the writes of the entry, by the writes that may concern
 * several entries, and by all writes of another schema.
 *
 * <p>Threading: guarded by the lock of {@link UnreplicatedWrites}.
 */
final class WritesByEntry {
  /** Scope of the writes that may concern more than one entry. */
  private static final Object SEVERAL = new Object();

  private final WritesByOrigin all = new WritesByOrigin();

  /** All writes: {@link #SEVERAL}, and those of one entry by the schema of its place. */
  private final Map<Object, WritesByOrigin> byScope = new HashMap<>();

  /** Writes of one entry, by the schema and the place of the entry. */
  private final Map<Footprint, WritesByOrigin> byEntry = new HashMap<>();

  /** Returns all writes, whatever they concern. */
  WritesByOrigin all() {
    return all;
  }

  void add(UnreplicatedWrite change) {
    Footprint footprint = change.footprint();
    all.add(change);
    update(byScope, scope(footprint), writes -> writes.add(change));
    if (footprint.entry() != null) {
      update(byEntry, footprint.entryOnly(), writes -> writes.add(change));
    }
  }

  void remove(UnreplicatedWrite change) {
    all.remove(change);
    update(byScope, scope(change.footprint()), writes -> writes.remove(change));
    removeEntry(change);
  }

  private void removeEntry(UnreplicatedWrite change) {
    if (change.footprint().entry() != null) {
      update(byEntry, change.footprint().entryOnly(), writes -> writes.remove(change));
    }
  }

  private static Object scope(Footprint footprint) {
    return footprint.entry() == null ? SEVERAL : footprint.profile();
  }

  private static <K> void update(
      Map<K, WritesByOrigin> index, K key, Consumer<WritesByOrigin> action) {
    WritesByOrigin writes = index.computeIfAbsent(key, none -> new WritesByOrigin());
    action.accept(writes);
    if (writes.size() == 0) {
      index.remove(key);
    }
  }

  /**
   * Removes the first settled writes of a writer that pass a test.
   *
   * @return the removed writes, oldest first
   */
  List<UnreplicatedWrite> forget(Object writer, Predicate<UnreplicatedWrite> isCoveredByAll) {
    byScope.values().forEach(writes -> writes.forget(writer, isCoveredByAll));
    byScope.values().removeIf(writes -> writes.size() == 0);
    List<UnreplicatedWrite> forgotten = all.forget(writer, isCoveredByAll);
    forgotten.forEach(this::removeEntry);
    return forgotten;
  }

  /** Returns the writes that may concern a read, in disjoint parts. */
  private Stream<WritesByOrigin> parts(Footprint read) {
    if (read.entry() == null) {
      return Stream.of(all);
    }
    Stream<WritesByOrigin> others =
        byScope.entrySet().stream()
            .filter(scopeWrites -> !scopeWrites.getKey().equals(read.profile()))
            .map(Map.Entry::getValue);
    return Stream.concat(Stream.ofNullable(byEntry.get(read.entryOnly())), others);
  }

  /** Returns the number of writes that may concern a read. */
  int size(Footprint read) {
    return parts(read).mapToInt(WritesByOrigin::size).sum();
  }

  /** Returns the writes that may concern a read. */
  Stream<UnreplicatedWrite> of(Footprint read) {
    return parts(read).flatMap(WritesByOrigin::all);
  }

  /** Returns the number of writes that may concern a read and that a server certainly lacks. */
  int countMissing(Footprint read, ReplicaPosition replica) {
    return parts(read).mapToInt(part -> part.countMissing(replica)).sum();
  }

  /** True if all writes that may concern a read, and that a server may lack, pass a test. */
  boolean allMissingMatch(
      Footprint read, ReplicaPosition replica, Predicate<UnreplicatedWrite> test) {
    return parts(read).allMatch(part -> part.allMissingMatch(replica, test));
  }
}
