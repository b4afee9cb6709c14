// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import io.stoa.cache.sharing.VerifiableHit.ComparableAnswer;
import io.stoa.cache.sharing.VerifiableHit.Hit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Investigates whether a member of a class gets other answers upstream than another member. The
 * other one is the member as which the cached answer was read (the reader). Any other member takes
 * its place if the reader is unknown or away. The member and the reader are suspended meanwhile.
 *
 * <ol>
 *   <li>Upstream is asked as the two by turns. If two answers in a row are equal, the mismatch is
 *       explained.
 *   <li>If both get their first answers again after the settle time, and the member once more, they
 *       deviate. A lag of less than the settle time cannot show two states twice. The last answer
 *       excludes a change between the two before it. A new answer begins a new attempt.
 *   <li>An attempt does not count if a change of rights was reported meanwhile, since it may have
 *       been reverted. The third such attempt counts, so that rights that change all the time
 *       cannot hide a wrong class.
 *   <li>In a uniform class the account of the feed can decide as well. A state that only the feed
 *       has reported was read as no member, so only the account can decide.
 * </ol>
 *
 * <p>Threading: thread-safe.
 */
final class MismatchInvestigation {
  /** Number of attempts after which a change of rights is no excuse: 3. */
  private static final int MAX_ATTEMPTS = 3;

  /** Number of settle times after which a member that was not asked counts as away: 2. */
  static final int AWAY_FACTOR = 2;

  private final ClassMember member;
  private @Nullable ClassMember reader;
  private final Hit hit;
  private final long settleNanos;

  /** True if the cached answer was a state that only the feed had reported. */
  private final boolean feedOnly;

  /** Latest answer to the member; null if it was not asked yet. */
  private @Nullable ComparableAnswer ownAnswer;

  /** The other member; null until one is asked. */
  private @Nullable ClassMember other;

  /** Latest answer to the other member in this attempt. */
  private @Nullable ComparableAnswer otherAnswer;

  /** Number of changes of rights that were known at that answer. */
  private long rightsChanges;

  /** Number of attempts that changes of rights have interrupted. */
  private int interrupted;

  /** True if it is the turn of the member. */
  private boolean ownTurn = true;

  /** Time at which the turn began. */
  private long turnNanos;

  /** Time of the latest answer. */
  private long answeredNanos;

  /** True if the other member got its first answer again, so that only the member is left. */
  private boolean confirmed;

  private boolean busy;

  /** Verdict of an investigation. */
  enum Verdict {
    /** More requests are needed. */
    OPEN,
    /** The account of the feed must be asked. */
    ASK_FEED,
    /** The members get the same answer. */
    EXPLAINED,
    /** The members get different answers. */
    DEVIATES
  }

  /**
   * Begins an investigation of a member that has not been asked yet. Any other member may be
   * compared with it.
   *
   * @param settleNanos time by which servers may lag behind one another
   */
  MismatchInvestigation(ClassMember member, Hit hit, boolean feedOnly, long settleNanos, long now) {
    this.member = member;
    this.hit = hit;
    this.feedOnly = feedOnly;
    this.settleNanos = settleNanos;
    this.turnNanos = now;
  }

  /** Compares the member with this reader, if there is one. Must come before any answer. */
  MismatchInvestigation against(@Nullable ClassMember answerReader) {
    reader = answerReader;
    other = answerReader;
    return this;
  }

  /** Begins an investigation that compares one of the two with any other member. */
  synchronized MismatchInvestigation againstAny(ClassMember compared, long now) {
    MismatchInvestigation begun = new MismatchInvestigation(compared, hit, false, settleNanos, now);
    if (compared == member && ownAnswer != null) {
      begun.onAnswer(compared, ownAnswer, now, 0);
    }
    return begun;
  }

  ClassMember member() {
    return member;
  }

  /** Returns the reader that is suspended as well; null if there is none. */
  @Nullable ClassMember reader() {
    return reader;
  }

  /** Returns the members that it suspends. */
  Stream<ClassMember> suspended() {
    return reader == null ? Stream.of(member) : Stream.of(member, reader);
  }

  /** True if it suspends a member. */
  boolean suspends(CanonicalIdentity identity) {
    return member.canonical().equals(identity)
        || (reader != null && reader.canonical().equals(identity));
  }

  Hit hit() {
    return hit;
  }

  /** Describes both latest answers for the log, without names and values. */
  synchronized String answers() {
    ComparableAnswer others = otherAnswer == null ? hit.servedAnswer() : otherAnswer;
    return (ownAnswer == null ? "no answer" : ownAnswer.summary()) + " against " + others.summary();
  }

  /** Describes the other member for the log. */
  synchronized String printableOther() {
    return other == null ? "" : other.printableName();
  }

  /** True if only the account of the feed can decide. */
  boolean isFeedOnly() {
    return feedOnly;
  }

  /** True if the account of the feed can decide. */
  boolean isByFeed() {
    return feedOnly || member.classState().declaration().uniform();
  }

  /** True if the member has not been asked yet: it is only known as a reader. */
  synchronized boolean isUnasked() {
    return ownAnswer == null;
  }

  /** True if one of the two has not returned for its turn. */
  synchronized boolean isAway(long now) {
    return !busy && now - turnNanos >= AWAY_FACTOR * settleNanos;
  }

  /** True if a member must be asked now. The caller then must report the answer to this object. */
  synchronized boolean tryAsk(ClassMember candidate, long now) {
    if (busy) {
      return false;
    }
    busy = isTurnOf(candidate, now);
    return busy;
  }

  private boolean isTurnOf(ClassMember candidate, long now) {
    if (isSame(candidate, member)) {
      boolean late = now - answeredNanos >= settleNanos;
      return ownAnswer == null || confirmed || (late && (ownTurn || isByFeed()));
    }
    return !ownTurn && !feedOnly && mayBeOther(candidate, now);
  }

  /** True for the other member. If it is unknown or away, true for any of the same bind context. */
  private boolean mayBeOther(ClassMember candidate, long now) {
    return (other == null || (reader == null && isAway(now)))
        ? candidate.canonical().bindContext().equals(member.canonical().bindContext())
        : isSame(candidate, other);
  }

  private static boolean isSame(ClassMember one, ClassMember another) {
    return one.canonical().equals(another.canonical());
  }

  /**
   * Takes the answer of a member that was asked. Returns the verdict.
   *
   * @param answer the answer; null if there was none
   * @param rights number of changes of rights that are known
   */
  synchronized Verdict onAnswer(
      ClassMember asked, @Nullable ComparableAnswer answer, long now, long rights) {
    busy = false;
    if (answer == null) {
      return Verdict.OPEN;
    }
    answeredNanos = now;
    boolean own = isSame(asked, member);
    if (answer.equals(own ? otherAnswer : ownAnswer)) {
      return Verdict.EXPLAINED;
    }
    return own ? onOwnAnswer(answer, rights) : onOtherAnswer(asked, answer, rights);
  }

  private Verdict onOwnAnswer(ComparableAnswer answer, long rights) {
    boolean changed = ownAnswer != null && !answer.equals(ownAnswer);
    boolean again = confirmed && !changed;
    ownAnswer = answer;
    confirmed = false;
    if (again && (rights == rightsChanges || ++interrupted == MAX_ATTEMPTS)) {
      return Verdict.DEVIATES;
    }
    rightsChanges = again ? rights : rightsChanges;
    otherAnswer = changed ? null : otherAnswer;
    setTurn(again);
    if (feedOnly && changed) {
      return Verdict.EXPLAINED;
    }
    return isByFeed() ? Verdict.ASK_FEED : Verdict.OPEN;
  }

  private Verdict onOtherAnswer(ClassMember asked, ComparableAnswer answer, long rights) {
    boolean again = other != null && isSame(asked, other);
    confirmed = again && answer.equals(otherAnswer);
    rightsChanges = confirmed ? rightsChanges : rights;
    other = asked;
    otherAnswer = answer;
    setTurn(true);
    return Verdict.OPEN;
  }

  private void setTurn(boolean own) {
    if (ownTurn != own) {
      ownTurn = own;
      turnNanos = answeredNanos;
    }
  }
}
