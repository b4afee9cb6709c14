// SPDX-License-Identifier: Apache-2.0
package io.stoa.access;

import io.stoa.access.Evidence.Said;
import org.jspecify.annotations.Nullable;

/**
 * A member of a class was given something else than upstream gives it. Whether that was a matter of
 * time is found out by asking upstream three times: as the member, as another one, and as the
 * member again. If it is told the same both times, and the other one something else in between, no
 * change explains that. Thread-safe.
 */
final class Suspicion {
  private final Member member;
  private final Evidence evidence;
  private final long settleNanos;
  private Said own;
  private @Nullable Said other;
  private long otherNanos;
  private boolean busy;

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
   * Begins one.
   *
   * @param own what the member was told first
   * @param settleNanos how long after the other one the member is asked again: servers of which one
   *     is a little behind may answer them
   */
  Suspicion(Member member, Evidence evidence, Said own, long settleNanos) {
    this.member = member;
    this.evidence = evidence;
    this.own = own;
    this.settleNanos = settleNanos;
  }

  Member member() {
    return member;
  }

  Evidence evidence() {
    return evidence;
  }

  /** Whether somebody is to be asked now; then {@link #heard} is to be called. */
  synchronized boolean wants(Member who, long now) {
    boolean turn = other == null ? isOther(who) : isItself(who) && now - otherNanos >= settleNanos;
    boolean wanted = turn && !busy;
    busy |= wanted;
    return wanted;
  }

  /** The directory must know both alike, but for their names. */
  private boolean isOther(Member who) {
    return !isItself(who) && who.manner().equals(member.manner());
  }

  private boolean isItself(Member who) {
    return who.identity().equals(member.identity());
  }

  /** Whoever was asked was told this; null if nothing. */
  synchronized Verdict heard(@Nullable Said said, long now) {
    busy = false;
    if (said == null) {
      return Verdict.OPEN;
    }
    Said before = other;
    if (before == null) {
      other = said;
      otherNanos = now;
      return said.equals(own) ? Verdict.EXPLAINED : Verdict.OPEN;
    }
    if (said.equals(own)) {
      return Verdict.DEVIATES;
    }
    own = said;
    other = null;
    return said.equals(before) ? Verdict.EXPLAINED : Verdict.OPEN;
  }
}
