// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import io.stoa.cache.sharing.VerifiableHit.Hit;
import io.stoa.cache.sharing.VerifiableHit.Said;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A member of a class was given something else than upstream gives it. Whether that was a matter of
 * time is found out by asking upstream three times: as the member, as another one, and as the
 * member again. If it is told the same both times, and the other one something else in between,
 * only what was changed and changed back explains that; so it is done once more.
 *
 * <p>So it is of the member as whom the answer had been read. But that it is told the same as some
 * other member says nothing for it: there may be more of its kind. It must be told the same as the
 * one that differed.
 *
 * <p>What only the feed had told is held against nobody: then it is found out whether the feed
 * tells more than the members are given, and that no other member can say. The member is asked once
 * more. Thread-safe.
 */
final class MismatchInvestigation {
  /** If it is not known by then whether they are given the same, they are not. */
  static final long MOST_DOUBT_NANOS = TimeUnit.MINUTES.toNanos(10);

  /** What is changed, and changed back, between such questions looks the same once. */
  static final int ENOUGH = 2;

  private final ClassMember member;
  private final Hit hit;
  private final long settleNanos;
  private final @Nullable ClassMember differing;

  /** To be told the same as one of these explains it; as anybody if there are none. */
  private final Set<CanonicalIdentity> witnesses;

  /** Whether what was given is what the feed had told. */
  private final boolean ofFeed;

  /** What the one that differed was told last. */
  private @Nullable Said differs;

  private @Nullable Said own;
  private int deviations;
  private long firstNanos;
  private @Nullable Said other;
  private boolean otherCounts;
  private long otherNanos;
  private boolean inVain;
  private boolean busy;

  private MismatchInvestigation(Kind kind, ClassMember member, Hit hit, long settleNanos) {
    this.member = member;
    this.hit = hit;
    this.settleNanos = settleNanos;
    this.differing = kind.differing();
    this.witnesses = kind.witnesses();
    this.ofFeed = kind.ofFeed();
  }

  /** What is in doubt, and who can explain it. Immutable. */
  private record Kind(
      @Nullable ClassMember differing, Set<CanonicalIdentity> witnesses, boolean ofFeed) {}

  /** What is to be made of it. */
  enum Verdict {
    /** It is to be asked more. */
    OPEN,
    /** They are given the same. */
    EXPLAINED,
    /** They are not. */
    DEVIATES
  }

  /**
   * Begins one of a member that was given something else.
   *
   * @param own what the member was told first
   * @param settleNanos how long after the other one the member is asked again: servers of which one
   *     is a little behind may answer them
   * @param readers as whom that was read which it was given, if to be told the same as one of them
   *     is what it takes; else none
   */
  static MismatchInvestigation of(
      ClassMember member,
      VerifiableHit evidence,
      Said own,
      long settleNanos,
      Set<ClassMember> readers) {
    Set<CanonicalIdentity> witnesses = new HashSet<>();
    readers.forEach(reader -> witnesses.add(reader.person()));
    witnesses.remove(member.person());
    Kind kind = new Kind(null, Set.copyOf(witnesses), false);
    MismatchInvestigation begun =
        new MismatchInvestigation(kind, member, evidence.hit(), settleNanos);
    begun.own = own;
    return begun;
  }

  /**
   * The same of a member that was given what the feed had told.
   *
   * @param now when it was told something else by the directory
   */
  static MismatchInvestigation ofFeed(
      ClassMember member, VerifiableHit evidence, Said own, long settleNanos, long now) {
    Kind kind = new Kind(null, Set.of(), true);
    MismatchInvestigation begun =
        new MismatchInvestigation(kind, member, evidence.hit(), settleNanos);
    begun.own = own;
    begun.otherNanos = now;
    return begun;
  }

  /**
   * The same of a member as whom the answer had been read, and which has not been asked yet.
   *
   * @param reader the member
   */
  synchronized MismatchInvestigation of(ClassMember reader) {
    Kind kind = new Kind(member, Set.of(member.person()), false);
    MismatchInvestigation begun = new MismatchInvestigation(kind, reader, hit, settleNanos);
    begun.differs = own;
    return begun;
  }

  ClassMember member() {
    return member;
  }

  Hit hit() {
    return hit;
  }

  /** Whether what was given is what the feed had told. */
  boolean isOfFeed() {
    return ofFeed;
  }

  /** Whether nothing is known of the member but that something was read as it. */
  synchronized boolean isUnasked() {
    return own == null;
  }

  /** Whether it has been in doubt for too long whether a reader is told the same. */
  synchronized boolean isOverdue(long now) {
    return differing != null && own != null && now - firstNanos > MOST_DOUBT_NANOS;
  }

  /** Whether somebody is to be asked now; then {@link #heard} is to be called. */
  synchronized boolean wants(ClassMember who, long now) {
    boolean wanted = !busy && isTurnOf(who, now);
    busy |= wanted;
    return wanted;
  }

  private boolean isTurnOf(ClassMember who, long now) {
    boolean settled = now - otherNanos >= settleNanos;
    if (own == null) {
      return isItself(who);
    }
    return (other == null && !ofFeed)
        ? isOther(who) && (!inVain || settled || counts(who))
        : isItself(who) && settled;
  }

  /** The directory must know both alike, but for their names. */
  private boolean isOther(ClassMember who) {
    return !isItself(who) && who.person().manner().equals(member.person().manner());
  }

  private boolean isItself(ClassMember who) {
    return who.person().equals(member.person());
  }

  /** Whether to be told the same as that one explains it. */
  private boolean counts(ClassMember who) {
    return witnesses.isEmpty() || witnesses.contains(who.person());
  }

  /** Whoever was asked was told this; null if nothing. */
  synchronized Verdict heard(ClassMember who, @Nullable Said said, long now) {
    busy = false;
    if (said == null) {
      return Verdict.OPEN;
    }
    return isItself(who) ? itself(said, now) : another(who, said, now);
  }

  private Verdict itself(Said said, long now) {
    Said before = own;
    Said between = other;
    if (ofFeed) {
      return said.equals(before) ? Verdict.DEVIATES : Verdict.EXPLAINED;
    }
    own = said;
    other = null;
    if (before == null) {
      firstNanos = now;
    } else if (between != null && said.equals(before)) {
      deviations++;
      return deviations < ENOUGH ? Verdict.OPEN : Verdict.DEVIATES;
    }
    boolean same = said.equals(differs) || (otherCounts && said.equals(between));
    return same ? Verdict.EXPLAINED : Verdict.OPEN;
  }

  private Verdict another(ClassMember who, Said said, long now) {
    otherNanos = now;
    otherCounts = counts(who);
    if (differing != null && otherCounts) {
      differs = said;
    }
    if (said.equals(own)) {
      inVain = true;
      return otherCounts ? Verdict.EXPLAINED : Verdict.OPEN;
    }
    other = said;
    return Verdict.OPEN;
  }
}
