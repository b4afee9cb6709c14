// SPDX-License-Identifier: Apache-2.0
package io.stoa.replication;

import io.stoa.ldap.protocol.Octets;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Indexes writes by entry, so that the writes that may concern a read are found without a scan.
 *
 * <p>Threading: guarded by the lock of {@link UnreplicatedWrites}.
 */
final class WritesByEntry {
  private final WritesByOrigin all = new WritesByOrigin();

  /** Writes that may concern more than one entry. */
  private final WritesByOrigin broad = new WritesByOrigin();

  /** The other writes, by the place of their entry. */
  private final Map<Octets, Set<UnreplicatedWrite>> byPlace = new HashMap<>();

  /** Returns all writes, whatever they concern. */
  WritesByOrigin all() {
    return all;
  }

  void add(UnreplicatedWrite change) {
    all.add(change);
    Octets entry = change.footprint().entry();
    if (entry == null) {
      broad.add(change);
    } else {
      byPlace.computeIfAbsent(entry, none -> new LinkedHashSet<>(2)).add(change);
    }
  }

  void remove(UnreplicatedWrite change) {
    all.remove(change);
    if (change.footprint().entry() == null) {
      broad.remove(change);
    } else {
      removePlace(change);
    }
  }

  private void removePlace(UnreplicatedWrite change) {
    Octets entry = change.footprint().entry();
    Set<UnreplicatedWrite> there = entry == null ? null : byPlace.get(entry);
    if (there != null && there.remove(change) && there.isEmpty()) {
      byPlace.remove(entry);
    }
  }

  /**
   * Removes the first settled writes of a writer that pass a test.
   *
   * @return the removed writes, oldest first
   */
  List<UnreplicatedWrite> forget(Object writer, Predicate<UnreplicatedWrite> byAll) {
    List<UnreplicatedWrite> had = all.forget(writer, byAll);
    broad.forget(writer, byAll);
    had.forEach(this::removePlace);
    return had;
  }

  /** Treats all writes as concerning any entry. */
  void widenAll() {
    byPlace.clear();
    broad.replaceBy(all);
  }

  /** Returns the number of writes that may concern a read. */
  int size(Footprint read) {
    return near(read).size() + of(read).size();
  }

  /** Returns the writes that may concern a read and pass a test. */
  Stream<UnreplicatedWrite> of(Footprint read, Predicate<UnreplicatedWrite> those) {
    return Stream.concat(of(read).stream(), near(read).all()).filter(those);
  }

  /** Returns the number of writes that may concern a read and that a server certainly lacks. */
  int countMissing(Footprint read, ReplicaPosition reach) {
    return near(read).countMissing(reach);
  }

  /** True if all writes that may concern a read, and that a server may lack, pass a test. */
  boolean allMissingMatch(
      Footprint read, ReplicaPosition reach, Predicate<UnreplicatedWrite> test) {
    return near(read).allMissingMatch(reach, test) && of(read).stream().allMatch(test);
  }

  private WritesByOrigin near(Footprint read) {
    return read.entry() == null ? all : broad;
  }

  private Set<UnreplicatedWrite> of(Footprint read) {
    Octets entry = read.entry();
    return entry == null ? Set.of() : byPlace.getOrDefault(entry, Set.of());
  }
}
