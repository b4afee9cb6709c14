// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import io.stoa.cache.sharing.VerifiableHit.ComparableAnswer;
import io.stoa.cache.sharing.VerifiableHit.Hit;
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
  static final long MAX_UNDECIDED_NANOS = TimeUnit.MINUTES.toNanos(10);

  /** Deviations needed for a verdict: 2. A change that was made and reverted can look like one. */
  static final int DEVIATIONS_NEEDED = 2;

  private final ClassMember member;
  private final Hit hit;
  private final long settleNanos;
  private final @Nullable ClassMember differing;

  /** Members whose agreement explains the mismatch; empty if any member's does. */
  private final Set<CanonicalIdentity> witnesses;

  /** True if the cached answer was a state that only the feed had reported. */
  private final boolean feedOnly;

  /** Latest answer from upstream to the member that differed. */
  private @Nullable ComparableAnswer differingAnswer;

  private @Nullable ComparableAnswer ownAnswer;
  private int deviations;
  private long firstNanos;
  private @Nullable ComparableAnswer otherAnswer;
  private boolean otherCounts;
  private long otherNanos;
  private boolean agreedWithOther;
  private boolean busy;

  private MismatchInvestigation(Subject kind, ClassMember member, Hit hit, long settleNanos) {
    this.member = member;
    this.hit = hit;
    this.settleNanos = settleNanos;
    this.differing = kind.differing();
    this.witnesses = kind.witnesses();
    this.feedOnly = kind.ofFeed();
  }

  /** Subject of an investigation, and the members that can explain it. Threading: immutable. */
  private record Subject(
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
      ComparableAnswer own,
      long settleNanos,
      Set<ClassMember> readers) {
    Set<CanonicalIdentity> witnesses = new HashSet<>();
    readers.forEach(reader -> witnesses.add(reader.canonical()));
    witnesses.remove(member.canonical());
    Subject kind = new Subject(null, Set.copyOf(witnesses), false);
    MismatchInvestigation begun =
        new MismatchInvestigation(kind, member, evidence.hit(), settleNanos);
    begun.ownAnswer = own;
    return begun;
  }

  /**
   * Begins an investigation of a member whose hit was a state that only the feed had reported.
   *
   * @param now time of the differing answer from upstream
   */
  static MismatchInvestigation ofFeed(
      ClassMember member,
      VerifiableHit evidence,
      ComparableAnswer own,
      long settleNanos,
      long now) {
    Subject kind = new Subject(null, Set.of(), true);
    MismatchInvestigation begun =
        new MismatchInvestigation(kind, member, evidence.hit(), settleNanos);
    begun.ownAnswer = own;
    begun.otherNanos = now;
    return begun;
  }

  /**
   * Begins an investigation of a reader, which has not been asked yet.
   *
   * @param reader member as which the cached answer was read
   */
  synchronized MismatchInvestigation of(ClassMember reader) {
    Subject kind = new Subject(member, Set.of(member.canonical()), false);
    MismatchInvestigation begun = new MismatchInvestigation(kind, reader, hit, settleNanos);
    begun.differingAnswer = ownAnswer;
    return begun;
  }

  ClassMember member() {
    return member;
  }

  Hit hit() {
    return hit;
  }

  /** True if the cached answer was a state that only the feed had reported. */
  boolean isFeedOnly() {
    return feedOnly;
  }

  /** True if the member has not been asked yet: it is only known as a reader. */
  synchronized boolean isUnasked() {
    return ownAnswer == null;
  }

  /** True if the investigation of a reader has been undecided for too long. */
  synchronized boolean isOverdue(long now) {
    return differing != null && ownAnswer != null && now - firstNanos > MAX_UNDECIDED_NANOS;
  }

  /** True if a member must be asked now. The caller then must report the answer to this object. */
  synchronized boolean tryAsk(ClassMember who, long now) {
    boolean wanted = !busy && isTurnOf(who, now);
    busy |= wanted;
    return wanted;
  }

  private boolean isTurnOf(ClassMember who, long now) {
    boolean settled = now - otherNanos >= settleNanos;
    if (ownAnswer == null) {
      return isSubject(who);
    }
    return (otherAnswer == null && !feedOnly)
        ? isOther(who) && (!agreedWithOther || settled || counts(who))
        : isSubject(who) && settled;
  }

  /** True for another member that the directory knows in the same manner, except for its name. */
  private boolean isOther(ClassMember who) {
    return !isSubject(who)
        && who.canonical().bindContext().equals(member.canonical().bindContext());
  }

  private boolean isSubject(ClassMember who) {
    return who.canonical().equals(member.canonical());
  }

  /** True if agreement with this member explains the mismatch. */
  private boolean counts(ClassMember who) {
    return witnesses.isEmpty() || witnesses.contains(who.canonical());
  }

  /** Takes the answer of a member that was asked; null if there was none. Returns the verdict. */
  synchronized Verdict onAnswer(ClassMember who, @Nullable ComparableAnswer said, long now) {
    busy = false;
    if (said == null) {
      return Verdict.OPEN;
    }
    return isSubject(who) ? onOwnAnswer(said, now) : onOtherAnswer(who, said, now);
  }

  private Verdict onOwnAnswer(ComparableAnswer said, long now) {
    ComparableAnswer before = ownAnswer;
    ComparableAnswer between = otherAnswer;
    if (feedOnly) {
      return said.equals(before) ? Verdict.DEVIATES : Verdict.EXPLAINED;
    }
    ownAnswer = said;
    otherAnswer = null;
    if (before == null) {
      firstNanos = now;
    } else if (between != null && said.equals(before)) {
      deviations++;
      return deviations < DEVIATIONS_NEEDED ? Verdict.OPEN : Verdict.DEVIATES;
    }
    boolean same = said.equals(differingAnswer) || (otherCounts && said.equals(between));
    return same ? Verdict.EXPLAINED : Verdict.OPEN;
  }

  private Verdict onOtherAnswer(ClassMember who, ComparableAnswer said, long now) {
    otherNanos = now;
    otherCounts = counts(who);
    if (differing != null && otherCounts) {
      differingAnswer = said;
    }
    if (said.equals(ownAnswer)) {
      agreedWithOther = true;
      return otherCounts ? Verdict.EXPLAINED : Verdict.OPEN;
    }
    otherAnswer = said;
    return Verdict.OPEN;
  }
}
