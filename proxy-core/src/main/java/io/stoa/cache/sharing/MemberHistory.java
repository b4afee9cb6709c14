// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/**
 * History of class members that have differed or are on probation, by canonical identity. An entry
 * is kept until the member has agreed often enough. Another spelling of a name has the same
 * history.
 *
 * <p>Threading: thread-safe.
 */
final class MemberHistory {
  /**
   * Maximum number of members with history: 10,000. While there are as many, all other members
   * count as differing often, and each of their hits is verified. The number then falls soon.
   */
  static final int MOST = 10_000;

  private final Map<CanonicalIdentity, MemberRecord> all = new ConcurrentHashMap<>();

  /**
   * History of one member.
   *
   * <p>Threading: immutable.
   *
   * @param differences mismatches since the last {@link ClassMember#PROBATION} agreements in a row
   * @param agreements agreements since the last mismatch
   * @param probation number of hits that are still all verified
   */
  private record MemberRecord(int differences, int agreements, int probation) {
    static final MemberRecord GOOD = new MemberRecord(0, 0, 0);

    MemberRecord agreed() {
      int row = Math.min(ClassMember.PROBATION, agreements + 1);
      int left = row < ClassMember.PROBATION ? differences : 0;
      return new MemberRecord(left, row, Math.max(0, probation - 1));
    }

    MemberRecord differed() {
      return new MemberRecord(differences + 1, 0, probation);
    }

    MemberRecord borneOut() {
      return new MemberRecord(Math.max(0, differences - 1), agreements, probation);
    }

    MemberRecord renewed() {
      return new MemberRecord(differences, agreements, ClassMember.PROBATION);
    }

    boolean isGood() {
      return differences == 0 && probation == 0;
    }
  }

  private boolean isFull() {
    return all.size() >= MOST;
  }

  /** True if each hit of a member is verified although it is not new. */
  boolean isOnProbation(CanonicalIdentity who) {
    return isFull() || all.getOrDefault(who, MemberRecord.GOOD).probation() > 0;
  }

  /** True if a member has differed too often. */
  boolean differsOften(CanonicalIdentity who) {
    MemberRecord known = all.get(who);
    return known == null ? isFull() : known.differences() > ClassMember.MOST_DIFFERENCES;
  }

  /** Called when a hit equals the answer from upstream. */
  void onAgreement(CanonicalIdentity who) {
    change(who, MemberRecord::agreed);
  }

  /** Called when a hit differs from upstream. */
  void onMismatch(CanonicalIdentity who) {
    add(who, MemberRecord::differed);
  }

  /** Takes back one mismatch of a member. */
  void takeBackMismatch(CanonicalIdentity who) {
    change(who, MemberRecord::borneOut);
  }

  /** Puts a member on probation again. */
  void renew(CanonicalIdentity who) {
    add(who, MemberRecord::renewed);
  }

  private void add(CanonicalIdentity who, UnaryOperator<MemberRecord> change) {
    boolean room = !isFull();
    all.compute(
        who,
        (key, known) -> {
          MemberRecord before = known == null ? MemberRecord.GOOD : known;
          return known == null && !room ? null : change.apply(before);
        });
  }

  private void change(CanonicalIdentity who, UnaryOperator<MemberRecord> change) {
    all.computeIfPresent(
        who,
        (key, known) -> {
          MemberRecord now = change.apply(known);
          return now.isGood() ? null : now;
        });
  }

  /** Forgets the history of all members. */
  void clear() {
    all.clear();
  }
}
