// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runtime state of a declared class: its partitions, suspended members, investigations and
 * counters.
 *
 * <p>Threading: thread-safe.
 */
final class SharingClassState {
  /**
   * Maximum number of partitions: 10,000. There is one for each client address if the directory
   * receives the addresses.
   */
  private static final int MAX_PARTITIONS = 10_000;

  /**
   * Maximum number of open investigations: 64. Each holds two answers and is checked on member
   * requests.
   */
  static final int MAX_INVESTIGATIONS = 64;

  /** Time after a mismatch in which more hits are verified: 1 minute. */
  static final long WATCH_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Declaration declaration;
  private final List<Group> groups;
  private final Supplier<Octets> partitionSource;
  private final Map<Octets, Octets> partitions = new ConcurrentHashMap<>();
  private final LongAdder members = new LongAdder();
  private final LongAdder hits = new LongAdder();
  private final LongAdder samples = new LongAdder();
  private final LongAdder differences = new LongAdder();
  private final LongAdder demotions = new LongAdder();

  /**
   * The open investigations. Changed only under the lock of this object. A search sees one state of
   * the list, so it misses no investigation that is being replaced.
   */
  private final List<MismatchInvestigation> investigations = new CopyOnWriteArrayList<>();

  private final PendingVerifications pendingVerifications = new PendingVerifications();
  private volatile boolean demoted;
  private volatile @Nullable Long mismatchNanos;

  /**
   * Creates the state.
   *
   * @param partitionSource source of partitions that were never used
   */
  SharingClassState(Declaration declaration, Supplier<Octets> partitionSource) {
    this.declaration = declaration;
    this.groups = declaration.groups().stream().map(Group::new).toList();
    this.partitionSource = partitionSource;
  }

  Declaration declaration() {
    return declaration;
  }

  List<Group> groups() {
    return groups;
  }

  boolean isDemoted() {
    return demoted;
  }

  /**
   * Membership rule under one way of comparing names. Threading: immutable, except for the groups.
   */
  final class MembershipRule {
    private final List<NamePattern> patterns;

    MembershipRule(ServerProfile profile) {
      patterns = declaration.members().stream().map(p -> NamePattern.of(p, profile)).toList();
    }

    SharingClassState declared() {
      return SharingClassState.this;
    }

    boolean names(byte[] text, NormalDn name) {
      return patterns.stream().anyMatch(pattern -> pattern.matches(text, name));
    }

    /** Returns the group that contains the name, or null. */
    @Nullable Group holding(NormalDn name) {
      return groups.stream()
          .filter(group -> name.isDn() && group.holds(name.octets()))
          .findFirst()
          .orElse(null);
    }
  }

  /** Returns a new member for an identity. */
  ClassMember join(Octets identity, CanonicalIdentity canonical) {
    return new ClassMember(this, identity, canonical);
  }

  /** Counts a new member. */
  void onJoined() {
    members.increment();
  }

  /**
   * Returns the class that a member shares with the members of the same address and bind method.
   */
  SharingClass of(ClassMember member) {
    if (partitions.size() > MAX_PARTITIONS) {
      partitions.clear();
    }
    return new SharingClass(
        declaration.name(),
        partitions.computeIfAbsent(member.canonical().bindContext(), any -> partitionSource.get()),
        true,
        declaration.uniform(),
        declaration.attributes(),
        member);
  }

  /** Replaces all partitions. Returns the old ones, whose results are never found again. */
  synchronized Set<Octets> renewPartitions() {
    Set<Octets> before = new HashSet<>(partitions.values());
    partitions.clear();
    return before;
  }

  /** Stops all sharing. Returns true if the class was not demoted before. */
  synchronized boolean demote() {
    boolean first = !demoted;
    demoted = true;
    if (first) {
      demotions.increment();
    }
    clearVerification();
    return first;
  }

  /** Allows sharing again. Returns true if the class was demoted before. */
  synchronized boolean restore() {
    boolean wasDemoted = demoted;
    if (wasDemoted) {
      clearVerification();
    }
    demoted = false;
    return wasDemoted;
  }

  /** Closes all investigations, and drops all pending verifications. */
  private void clearVerification() {
    investigations.clear();
    pendingVerifications.clear();
  }

  /** Returns the pending verifications of its members, by canonical identity. */
  PendingVerifications pendingVerifications() {
    return pendingVerifications;
  }

  /** True if a member is suspended: it is under investigation. */
  boolean isSuspended(CanonicalIdentity identity) {
    if (investigations.isEmpty()) {
      return false; // asked for each entry of an answer
    }
    for (MismatchInvestigation investigation : investigations) {
      if (investigation.suspends(identity)) {
        return true;
      }
    }
    return false;
  }

  void countHit() {
    hits.increment();
  }

  /** Counts a verified hit. */
  void countVerification(boolean same, long now) {
    samples.increment();
    if (!same) {
      differences.increment();
      mismatchNanos = now;
    }
  }

  /** True if the last mismatch was a short time ago, so that more hits are verified. */
  boolean isWatched(long now) {
    Long last = mismatchNanos;
    return last != null && now - last < WATCH_NANOS;
  }

  /**
   * Opens an investigation, which suspends its members.
   *
   * @return false if there are too many investigations
   */
  synchronized boolean open(MismatchInvestigation investigation) {
    boolean room = demoted || investigations.size() < MAX_INVESTIGATIONS;
    if (room && !demoted) {
      investigations.add(investigation);
    }
    return room;
  }

  /**
   * Replaces an open investigation by others. Members of both stay suspended meanwhile. Does
   * nothing if the investigation was closed already.
   *
   * @return false if there are too many investigations
   */
  synchronized boolean replace(
      MismatchInvestigation investigation, List<MismatchInvestigation> successors) {
    if (!investigations.contains(investigation)) {
      return true;
    }
    boolean room = investigations.size() + successors.size() <= MAX_INVESTIGATIONS + 1;
    if (room) {
      investigations.addAll(successors);
      investigations.remove(investigation); // last, so that its members stay suspended
    }
    return room;
  }

  /**
   * Drops investigations of readers that have not been asked yet. The caller must invalidate the
   * class first, since the rights of these readers stay unknown.
   */
  synchronized void dropUnasked() {
    investigations.removeIf(MismatchInvestigation::isUnasked);
  }

  /** Closes an investigation. Returns false if it was closed already. */
  synchronized boolean close(MismatchInvestigation investigation) {
    return investigations.remove(investigation);
  }

  boolean hasInvestigations() {
    return !investigations.isEmpty();
  }

  /** Returns the open investigations. */
  Collection<MismatchInvestigation> investigations() {
    return investigations;
  }

  ClassStatus status(long now) {
    return new ClassStatus(
        declaration.name(),
        declaration.uniform(),
        demoted,
        members.sum(),
        investigations.stream()
            .flatMap(MismatchInvestigation::suspended)
            .map(ClassMember::canonical)
            .distinct()
            .count(),
        (int) groups.stream().filter(group -> !group.isKnown(now)).count(),
        hits.sum(),
        samples.sum(),
        differences.sum(),
        demotions.sum());
  }
}
