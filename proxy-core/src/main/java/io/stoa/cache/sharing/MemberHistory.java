// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/**
 * What is to be remembered of members of a class that have differed or were in doubt, by who they
 * are, until they have agreed often enough. Whoever binds with another spelling of its name has it
 * before it still. Thread-safe.
 */
final class MemberHistory {
  /**
   * If there are so many, whoever is not among them is taken to have differed often, and each hit
   * of everybody is verified: so there are fewer soon.
   */
  static final int MOST = 10_000;

  private final Map<CanonicalIdentity, Standing> all = new ConcurrentHashMap<>();

  /**
   * What is remembered of one. Immutable.
   *
   * @param differences without {@link ClassMember#PROBATION} agreements in a row
   * @param agreements since the last of them
   * @param probation so many more of its hits are verified each
   */
  private record Standing(int differences, int agreements, int probation) {
    static final Standing GOOD = new Standing(0, 0, 0);

    Standing agreed() {
      int row = Math.min(ClassMember.PROBATION, agreements + 1);
      int left = row < ClassMember.PROBATION ? differences : 0;
      return new Standing(left, row, Math.max(0, probation - 1));
    }

    Standing differed() {
      return new Standing(differences + 1, 0, probation);
    }

    Standing borneOut() {
      return new Standing(Math.max(0, differences - 1), agreements, probation);
    }

    Standing renewed() {
      return new Standing(differences, agreements, ClassMember.PROBATION);
    }

    boolean isGood() {
      return differences == 0 && probation == 0;
    }
  }

  private boolean isFull() {
    return all.size() >= MOST;
  }

  /** Whether each hit of somebody is verified, although it is not new. */
  boolean onProbation(CanonicalIdentity who) {
    return isFull() || all.getOrDefault(who, Standing.GOOD).probation() > 0;
  }

  /** Whether somebody has differed too often. */
  boolean differsOften(CanonicalIdentity who) {
    Standing known = all.get(who);
    return known == null ? isFull() : known.differences() > ClassMember.MOST_DIFFERENCES;
  }

  /** Somebody was given what upstream gives it. */
  void agreed(CanonicalIdentity who) {
    change(who, Standing::agreed);
  }

  /** Somebody was given something else. */
  void differed(CanonicalIdentity who) {
    add(who, Standing::differed);
  }

  /** A difference of somebody is not to be counted. */
  void borneOut(CanonicalIdentity who) {
    change(who, Standing::borneOut);
  }

  /** Somebody is looked at as if it were new. */
  void renew(CanonicalIdentity who) {
    add(who, Standing::renewed);
  }

  private void add(CanonicalIdentity who, UnaryOperator<Standing> change) {
    boolean room = !isFull();
    all.compute(
        who,
        (key, known) -> {
          Standing before = known == null ? Standing.GOOD : known;
          return known == null && !room ? null : change.apply(before);
        });
  }

  private void change(CanonicalIdentity who, UnaryOperator<Standing> change) {
    all.computeIfPresent(
        who,
        (key, known) -> {
          Standing now = change.apply(known);
          return now.isGood() ? null : now;
        });
  }

  /** Everybody is as good as new. */
  void clear() {
    all.clear();
  }
}
