// SPDX-License-Identifier: Apache-2.0
package io.stoa.access;

import io.stoa.access.Evidence.Said;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A member of a class was given something else than upstream gives it. Whether that was a matter of
 * time is found out by asking upstream three times: as the member, as another one, and as the
 * member again. If it is told the same both times, and the other one something else in between, no
 * change explains that.
 *
 * <p>So it is of the member as whom the answer had been read. But that it is told the same as some
 * other member says nothing for it: there may be more of its kind. It must be told the same as the
 * one that differed.
 *
 * <p>What only the feed had told is held against nobody: then it is found out whether the feed
 * tells more than the members are given, and that no other member can say. The member is asked once
 * more. Thread-safe.
 */
final class Suspicion {
  /** If it is not known by then whether they are given the same, they are not. */
  static final long MOST_DOUBT_NANOS = TimeUnit.MINUTES.toNanos(10);

  private final Member member;
  private final Evidence evidence;
  private final long settleNanos;
  private final @Nullable Member differing;

  /** Whether what was given is what the feed had told. */
  private final boolean ofFeed;

  /** What the one that differed was told last. */
  private @Nullable Said differs;

  private @Nullable Said own;
  private long firstNanos;
  private @Nullable Said other;
  private boolean otherCounts;
  private long otherNanos;
  private boolean inVain;
  private boolean busy;

  private Suspicion(
      Member member,
      Evidence evidence,
      long settleNanos,
      @Nullable Member differing,
      boolean ofFeed) {
    this.member = member;
    this.evidence = evidence;
    this.settleNanos = settleNanos;
    this.differing = differing;
    this.ofFeed = ofFeed;
  }

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
   */
  static Suspicion of(Member member, Evidence evidence, Said own, long settleNanos) {
    return of(member, evidence, own, settleNanos, false);
  }

  /**
   * The same of a member that was given what the feed had told.
   *
   * @param now when it was told something else by the directory
   */
  static Suspicion ofFeed(Member member, Evidence evidence, Said own, long settleNanos, long now) {
    Suspicion begun = of(member, evidence, own, settleNanos, true);
    begun.otherNanos = now;
    return begun;
  }

  private static Suspicion of(
      Member member, Evidence evidence, Said own, long settleNanos, boolean ofFeed) {
    Suspicion begun = new Suspicion(member, evidence, settleNanos, null, ofFeed);
    begun.own = own;
    return begun;
  }

  /**
   * The same of a member as whom the answer had been read, and which has not been asked yet.
   *
   * @param reader the member
   */
  synchronized Suspicion of(Member reader) {
    Suspicion begun = new Suspicion(reader, evidence, settleNanos, member, false);
    begun.differs = own;
    return begun;
  }

  Member member() {
    return member;
  }

  Evidence evidence() {
    return evidence;
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
  synchronized boolean wants(Member who, long now) {
    boolean wanted = !busy && isTurnOf(who, now);
    busy |= wanted;
    return wanted;
  }

  private boolean isTurnOf(Member who, long now) {
    boolean settled = now - otherNanos >= settleNanos;
    if (own == null) {
      return isItself(who);
    }
    return (other == null && !ofFeed)
        ? isOther(who) && (!inVain || settled || counts(who))
        : isItself(who) && settled;
  }

  /** The directory must know both alike, but for their names. */
  private boolean isOther(Member who) {
    return !isItself(who) && who.manner().equals(member.manner());
  }

  private boolean isItself(Member who) {
    return who.identity().equals(member.identity());
  }

  /** Whether to be told the same as that one explains it. */
  private boolean counts(Member who) {
    return differing == null || who.identity().equals(differing.identity());
  }

  /** Whoever was asked was told this; null if nothing. */
  synchronized Verdict heard(Member who, @Nullable Said said, long now) {
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
      return Verdict.DEVIATES;
    }
    boolean same = said.equals(differs) || (otherCounts && said.equals(between));
    return same ? Verdict.EXPLAINED : Verdict.OPEN;
  }

  private Verdict another(Member who, Said said, long now) {
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
