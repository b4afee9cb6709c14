// SPDX-License-Identifier: Apache-2.0
package io.stoa.replication;

import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.ServerProfile;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Indexes writes by entry, so that the writes that may concern a read are found without a scan.
 *
 * <p>Threading: guarded by the lock of {@link UnreplicatedWrites}.
 */
final class WritesByEntry {
  /** Stands for the place of a write that may concern more than one entry. */
  private static final Octets SEVERAL = Octets.of(new byte[1]);

  private final WritesByOrigin all = new WritesByOrigin();

  /** All writes by the place of their entry; {@link #SEVERAL} also if it is of another schema. */
  private final Map<Octets, Set<UnreplicatedWrite>> byPlace = new HashMap<>();

  /** Schema of the places. */
  private ServerProfile profile = ServerProfile.EXACT;

  /** Returns all writes, whatever they concern. */
  WritesByOrigin all() {
    return all;
  }

  void add(UnreplicatedWrite change) {
    profile = byPlace.isEmpty() ? change.footprint().profile() : profile;
    all.add(change);
    byPlace.computeIfAbsent(place(change), none -> new LinkedHashSet<>(2)).add(change);
  }

  void remove(UnreplicatedWrite change) {
    all.remove(change);
    removePlace(change);
  }

  private void removePlace(UnreplicatedWrite change) {
    Octets place = place(change);
    Set<UnreplicatedWrite> there = byPlace.get(place);
    if (there != null && there.remove(change) && there.isEmpty()) {
      byPlace.remove(place);
    }
  }

  private Octets place(UnreplicatedWrite change) {
    Octets entry = entry(change.footprint());
    return entry == null ? SEVERAL : entry;
  }

  /** Returns the place of the only entry concerned; null if it cannot be looked up. */
  private @Nullable Octets entry(Footprint footprint) {
    return footprint.profile() == profile ? footprint.entry() : null;
  }

  /**
   * Removes the first settled writes of a writer that pass a test.
   *
   * @return the removed writes, oldest first
   */
  List<UnreplicatedWrite> forget(Object writer, Predicate<UnreplicatedWrite> byAll) {
    List<UnreplicatedWrite> had = all.forget(writer, byAll);
    had.forEach(this::removePlace);
    return had;
  }

  /** Returns the number of writes that may concern a read. */
  int size(Footprint read) {
    Octets entry = entry(read);
    return entry == null ? all.size() : at(entry).size() + at(SEVERAL).size();
  }

  /** Returns the writes that may concern a read. */
  Stream<UnreplicatedWrite> of(Footprint read) {
    Octets entry = entry(read);
    return entry == null ? all.all() : Stream.concat(at(entry).stream(), at(SEVERAL).stream());
  }

  /** Returns the number of writes that may concern a read and that a server certainly lacks. */
  int countMissing(Footprint read, ReplicaPosition reach) {
    return entry(read) == null ? all.countMissing(reach) : 0;
  }

  /**
   * True if all writes that may concern a read, and that a server may lack, pass a test. The test
   * is also made for some that the server has.
   */
  boolean allMissingMatch(
      Footprint read, ReplicaPosition reach, Predicate<UnreplicatedWrite> test) {
    return entry(read) == null ? all.allMissingMatch(reach, test) : of(read).allMatch(test);
  }

  private Set<UnreplicatedWrite> at(Octets place) {
    return byPlace.getOrDefault(place, Set.of());
  }
}
