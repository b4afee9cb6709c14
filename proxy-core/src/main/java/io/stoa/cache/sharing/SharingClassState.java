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
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A declared class while the proxy runs: under what its members share what is stored, and whether
 * they still do. Thread-safe.
 */
final class SharingClassState {
  /** Clients of so many addresses, where the directory is told of them. */
  private static final int MOST_MANNERS = 10_000;

  /** Each is held with two answers, and walked whenever a member asks for something. */
  static final int MOST_SUSPICIONS = 64;

  private final Declaration declaration;
  private final List<Group> groups;
  private final Supplier<Octets> numbers;
  private final Map<Octets, Octets> partitions = new ConcurrentHashMap<>();
  private final LongAdder members = new LongAdder();
  private final LongAdder hits = new LongAdder();
  private final LongAdder samples = new LongAdder();
  private final LongAdder differences = new LongAdder();
  private final LongAdder demotions = new LongAdder();
  private final Set<MismatchInvestigation> suspicions = ConcurrentHashMap.newKeySet();

  /** Who shares nothing for now, and for how many reasons. */
  private final Map<CanonicalIdentity, Integer> held = new ConcurrentHashMap<>();

  private final MemberHistory standings = new MemberHistory();
  private final PendingVerifications debts = new PendingVerifications(standings::renew);
  private volatile boolean demoted;

  /**
   * Makes it.
   *
   * @param numbers gives partitions that nobody has had
   */
  SharingClassState(Declaration declaration, Supplier<Octets> numbers) {
    this.declaration = declaration;
    this.groups = declaration.groups().stream().map(Group::new).toList();
    this.numbers = numbers;
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

  /** Who belongs to it, by how names are compared. Immutable, but for the groups. */
  final class Rule {
    private final List<NamePattern> patterns;

    Rule(ServerProfile profile) {
      patterns = declaration.members().stream().map(p -> NamePattern.of(p, profile)).toList();
    }

    SharingClassState declared() {
      return SharingClassState.this;
    }

    boolean names(byte[] text, NormalDn name) {
      return patterns.stream().anyMatch(pattern -> pattern.matches(text, name));
    }

    /** The group that holds it; null if none is known to. */
    @Nullable Group holding(NormalDn name) {
      return groups.stream()
          .filter(group -> name.isDn() && group.holds(name.octets()))
          .findFirst()
          .orElse(null);
    }
  }

  /** One more identity belongs to it; one that is looked into is no other than before. */
  ClassMember join(Octets identity, CanonicalIdentity person) {
    for (MismatchInvestigation suspicion : suspicions) {
      if (suspicion.member().identity().equals(identity)) {
        return suspicion.member();
      }
    }
    return new ClassMember(this, identity, person);
  }

  /** It has a member that it did not have. */
  void joined() {
    members.increment();
  }

  /** What a member has, and shares with those that the directory knows in the same manner. */
  SharingClass of(ClassMember member) {
    if (partitions.size() > MOST_MANNERS) {
      partitions.clear();
    }
    return new SharingClass(
        declaration.name(),
        partitions.computeIfAbsent(member.person().manner(), any -> numbers.get()),
        true,
        declaration.uniform(),
        declaration.attributes(),
        member);
  }

  /** Nobody gets again what was stored for it; returns under what that was. */
  synchronized Set<Octets> renew() {
    Set<Octets> before = new HashSet<>(partitions.values());
    partitions.clear();
    return before;
  }

  /** Its members share nothing any more; whether they did until now. */
  synchronized boolean demote() {
    boolean first = !demoted;
    demoted = true;
    if (first) {
      demotions.increment();
    }
    acquit();
    return first;
  }

  /** They do again; whether they did not until now. */
  synchronized boolean restore() {
    boolean was = demoted;
    if (was) {
      acquit();
    }
    demoted = false;
    return was;
  }

  private void acquit() {
    suspicions.clear();
    held.clear();
    debts.clear();
    standings.clear();
  }

  /** What is remembered of its members that have differed. */
  MemberHistory standings() {
    return standings;
  }

  /** What its members owe: whoever that is, as long as it is the same identity. */
  PendingVerifications debts() {
    return debts;
  }

  /** Whether somebody shares nothing for now. */
  boolean isHeld(CanonicalIdentity who) {
    return held.containsKey(who);
  }

  /** It shares nothing from now on; false if it did not before. */
  boolean holdFirst(CanonicalIdentity who) {
    return held.putIfAbsent(who, 1) == null;
  }

  /** A reason for that is gone. */
  void letGo(CanonicalIdentity who) {
    held.computeIfPresent(who, (known, reasons) -> reasons > 1 ? reasons - 1 : null);
  }

  void hit() {
    hits.increment();
  }

  /** A member's answer was compared. */
  void sampled(boolean same) {
    samples.increment();
    if (!same) {
      differences.increment();
    }
  }

  /**
   * A member was given something else than upstream gives it.
   *
   * @return false if that is said of so many that no more is looked into
   */
  synchronized boolean suspect(MismatchInvestigation suspicion) {
    boolean room = demoted || !isFull();
    if (room && !demoted) {
      suspicions.add(suspicion);
    }
    return room;
  }

  /** Whether there are so many that no more is looked into. */
  boolean isFull() {
    return suspicions.size() >= MOST_SUSPICIONS;
  }

  /**
   * The answer had been read as a member: it shares nothing either until more is known.
   *
   * @return false if there is too much to look into
   */
  synchronized boolean suspectReader(MismatchInvestigation suspicion) {
    if (!demoted) {
      held.merge(suspicion.member().person(), 1, Integer::sum);
    }
    return suspect(suspicion);
  }

  /**
   * Readers that have not come by again are looked into no more. What was read as them must be void
   * before: it is not known whether others may be given it.
   */
  synchronized void forgetUnasked() {
    for (MismatchInvestigation suspicion : List.copyOf(suspicions)) {
      if (suspicion.isUnasked() && suspicions.remove(suspicion)) {
        letGo(suspicion.member().person());
      }
    }
  }

  /** It is known why; false if it was not to be known any more. */
  boolean explained(MismatchInvestigation suspicion) {
    return suspicions.remove(suspicion);
  }

  boolean isSuspected() {
    return !suspicions.isEmpty();
  }

  /** Those of which it is not known why. */
  Collection<MismatchInvestigation> suspicions() {
    return suspicions;
  }

  ClassStatus status(long now) {
    return new ClassStatus(
        declaration.name(),
        declaration.uniform(),
        demoted,
        members.sum(),
        held.size(),
        (int) groups.stream().filter(group -> !group.isKnown(now)).count(),
        hits.sum(),
        samples.sum(),
        differences.sum(),
        demotions.sum());
  }
}
