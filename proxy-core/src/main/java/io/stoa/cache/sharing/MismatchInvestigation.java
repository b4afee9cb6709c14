// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import io.stoa.cache.sharing.VerifiableHit.Hit;
import io.stoa.cache.sharing.VerifiableHit.Said;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Investigates why a hit of a class member differs from upstream: because of a change meanwhile, or
 * because the member has other rights.
 *
 * <ol>
 *   <li>Upstream is asked three times: as the member, as another member, and as the member again.
 *       If the member gets the same answer both times, and the other member a different one in
 *       between, rights differ. A change that was reverted in between could look the same, so the
 *       sequence must occur twice.
 *   <li>The member as which the cached answer was read (the reader) is investigated too. Agreement
 *       with any member does not clear the reader, since others may deviate in the same way. The
 *       reader must agree with the member that differed.
 *   <li>A state that only the feed has reported was read as no member. Then the question is whether
 *       the feed account sees more than the members. Other members cannot answer it, so only this
 *       member is asked once more.
 * </ol>
 *
 * <p>Threading: thread-safe.
 */
final class MismatchInvestigation {
  /** Time after which an undecided investigation of a reader counts as a deviation: 10 minutes. */
  static final long MOST_DOUBT_NANOS = TimeUnit.MINUTES.toNanos(10);

  /** Deviations needed for a verdict: 2. A change that was made and reverted can look like one. */
  static final int ENOUGH = 2;

  private final ClassMember member;
  private final Hit hit;
  private final long settleNanos;
  private final @Nullable ClassMember differing;

  /** Members whose agreement explains the mismatch; empty if any member's does. */
  private final Set<CanonicalIdentity> witnesses;

  /** True if the cached answer was a state that only the feed had reported. */
  private final boolean ofFeed;

  /** Latest answer from upstream to the member that differed. */
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

  /** Subject of an investigation, and the members that can explain it. Threading: immutable. */
  private record Kind(
      @Nullable ClassMember differing, Set<CanonicalIdentity> witnesses, boolean ofFeed) {}

  /** Verdict of an investigation. */
  enum Verdict {
    /** More requests are needed. */
    OPEN,
    /** The members get the same answer. */
    EXPLAINED,
    /** The members get different answers. */
    DEVIATES
  }

  /**
   * Begins an investigation of a member whose hit differed from upstream.
   *
   * @param own first answer from upstream to the member
   * @param settleNanos delay between the request of another member and that of this one; their
   *     servers may lag behind one another
   * @param readers members as which the cached answer was read, if agreement with one of them is
   *     needed to clear this member; else empty
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
   * Begins an investigation of a member whose hit was a state that only the feed had reported.
   *
   * @param now time of the differing answer from upstream
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
   * Begins an investigation of a reader, which has not been asked yet.
   *
   * @param reader member as which the cached answer was read
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

  /** True if the cached answer was a state that only the feed had reported. */
  boolean isOfFeed() {
    return ofFeed;
  }

  /** True if the member has not been asked yet: it is only known as a reader. */
  synchronized boolean isUnasked() {
    return own == null;
  }

  /** True if the investigation of a reader has been undecided for too long. */
  synchronized boolean isOverdue(long now) {
    return differing != null && own != null && now - firstNanos > MOST_DOUBT_NANOS;
  }

  /** True if a member must be asked now. The caller then must report the answer to this object. */
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

  /** True for another member that the directory knows in the same manner, except for its name. */
  private boolean isOther(ClassMember who) {
    return !isItself(who) && who.person().manner().equals(member.person().manner());
  }

  private boolean isItself(ClassMember who) {
    return who.person().equals(member.person());
  }

  /** True if agreement with this member explains the mismatch. */
  private boolean counts(ClassMember who) {
    return witnesses.isEmpty() || witnesses.contains(who.person());
  }

  /** Takes the answer of a member that was asked; null if there was none. Returns the verdict. */
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
