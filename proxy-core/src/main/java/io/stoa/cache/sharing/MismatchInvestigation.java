// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import io.stoa.cache.sharing.VerifiableHit.ComparableAnswer;
import io.stoa.cache.sharing.VerifiableHit.Hit;
import org.jspecify.annotations.Nullable;

/**
 * Investigates whether a member of a class gets other answers upstream than other members. The
 * member is held back from sharing meanwhile.
 *
 * <ol>
 *   <li>Upstream is asked as the member and as another member by turns. If the two get the same
 *       answer, the mismatch is explained.
 *   <li>If one of them gets the same answer twice, and the other a different one in between, the
 *       member deviates: rights differ, or a change was reverted in between. These requests are
 *       sent the settle time apart, so that the lag of a server proves nothing. Another member is
 *       also asked at once, which explains most mismatches.
 *   <li>Any other member can clear this one. The member as which the cached answer was read (the
 *       reader) is investigated too, unless it gets the same answer as the member that differed. If
 *       the two differ, any third member differs from at least one of them.
 *   <li>In a uniform class the account of the feed can decide as well. A state that only the feed
 *       has reported was read as no member, so only the account can decide.
 * </ol>
 *
 * <p>Threading: thread-safe.
 */
final class MismatchInvestigation {
  private final ClassMember member;
  private final Hit hit;
  private final long settleNanos;

  /** True if the cached answer was a state that only the feed had reported. */
  private final boolean feedOnly;

  /** Answer that clears a reader at once; null if the member is no reader. */
  private final @Nullable ComparableAnswer expected;

  private @Nullable ComparableAnswer ownAnswer;

  private @Nullable ComparableAnswer otherAnswer;

  /** Time of the latest answer. */
  private long answeredNanos;

  /** True if the latest answer is to the member itself. */
  private boolean ownTurnOver;

  /** True if another member was asked before the settle time since then, and differed. */
  private boolean differedEarly;

  /** True if the present request was sent after the settle time. */
  private boolean settled;

  /** True if the request of the other member was sent after the settle time. */
  private boolean otherSettled;

  private boolean busy;

  private MismatchInvestigation(
      ClassMember member,
      Hit hit,
      long settleNanos,
      boolean feedOnly,
      @Nullable ComparableAnswer expected) {
    this.member = member;
    this.hit = hit;
    this.settleNanos = settleNanos;
    this.feedOnly = feedOnly;
    this.expected = expected;
  }

  /** Verdict of an investigation. */
  enum Verdict {
    /** More requests are needed. */
    OPEN,
    /** The account of the feed must be asked. */
    ASK_FEED,
    /** The members get the same answer. */
    EXPLAINED,
    /** The members got different answers. The investigation goes on. */
    DEVIATES
  }

  /**
   * Begins an investigation of a member whose hit differed from upstream.
   *
   * @param own first answer from upstream to the member
   * @param settleNanos delay before each request that may prove a deviation, since servers may lag
   *     behind one another
   * @param now time of the first answer
   */
  static MismatchInvestigation of(
      ClassMember member,
      VerifiableHit evidence,
      ComparableAnswer own,
      long settleNanos,
      long now) {
    MismatchInvestigation begun =
        new MismatchInvestigation(
            member, evidence.hit(), settleNanos, evidence.isFeedOnly(own), null);
    begun.ownAnswer = own;
    begun.answeredNanos = now;
    begun.ownTurnOver = true;
    return begun;
  }

  /** Begins an investigation of a reader, which has not been asked yet. */
  synchronized MismatchInvestigation ofReader(ClassMember reader) {
    return new MismatchInvestigation(reader, hit, settleNanos, false, ownAnswer);
  }

  ClassMember member() {
    return member;
  }

  Hit hit() {
    return hit;
  }

  /** Describes the latest answer to the member, and the one that it differs from, for the log. */
  synchronized String answers() {
    ComparableAnswer other = expected == null ? hit.servedAnswer() : expected;
    return (ownAnswer == null ? "no answer" : ownAnswer.summary()) + " against " + other.summary();
  }

  /** True if only the account of the feed can decide. */
  boolean isFeedOnly() {
    return feedOnly;
  }

  /** True if the account of the feed can decide. */
  boolean isByFeed() {
    return feedOnly || member.classState().declaration().uniform();
  }

  /** Ends the investigation: the mismatch is explained. */
  void close() {
    member.classState().close(this);
  }

  /** True if the member has not been asked yet: it is only known as a reader. */
  synchronized boolean isUnasked() {
    return ownAnswer == null;
  }

  /** True if a member must be asked now. The caller then must report the answer to this object. */
  synchronized boolean tryAsk(ClassMember who, long now) {
    boolean late = now - answeredNanos >= settleNanos;
    boolean wanted = !busy && isTurnOf(who, late);
    if (wanted) {
      busy = true;
      settled = late;
    }
    return wanted;
  }

  private boolean isTurnOf(ClassMember who, boolean late) {
    if (isSubject(who)) {
      return ownAnswer == null || (late && (!ownTurnOver || isByFeed()));
    }
    boolean alike = who.canonical().bindContext().equals(member.canonical().bindContext());
    return alike && ownTurnOver && !feedOnly && (late || !differedEarly);
  }

  private boolean isSubject(ClassMember who) {
    return who.canonical().equals(member.canonical());
  }

  /** Takes the answer of a member that was asked; null if there was none. Returns the verdict. */
  synchronized Verdict onAnswer(ClassMember who, @Nullable ComparableAnswer said, long now) {
    busy = false;
    if (said == null) {
      return Verdict.OPEN;
    }
    return isSubject(who) ? onOwnAnswer(said, now) : onOtherAnswer(said, now);
  }

  private Verdict onOtherAnswer(ComparableAnswer said, long now) {
    if (said.equals(ownAnswer)) {
      return Verdict.EXPLAINED;
    }
    differedEarly = true;
    if (!settled && otherAnswer != null) {
      return Verdict.OPEN;
    }
    boolean same = said.equals(otherAnswer);
    otherAnswer = said;
    otherSettled = settled;
    ownTurnOver = false;
    answeredNanos = now;
    return same ? Verdict.DEVIATES : Verdict.OPEN;
  }

  private Verdict onOwnAnswer(ComparableAnswer said, long now) {
    boolean same = said.equals(ownAnswer);
    boolean first = ownAnswer == null;
    boolean repeated = ownTurnOver;
    ownAnswer = said;
    ownTurnOver = true;
    differedEarly = false;
    answeredNanos = now;
    if (repeated) {
      return feedOnly && !same ? Verdict.EXPLAINED : Verdict.ASK_FEED;
    }
    if (said.equals(first ? expected : otherAnswer)) {
      return Verdict.EXPLAINED;
    }
    return same && otherSettled ? Verdict.DEVIATES : Verdict.OPEN;
  }
}
