// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.stoa.coherence.invalidation.ChangeRing.ReadSummary;
import io.stoa.coherence.view.Members;
import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Deleted;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.filter.Query;
import io.stoa.ldap.filter.Truth;
import io.stoa.ldap.protocol.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a change since the read contradicts an answer that is to be stored.
 *
 * <p><b>Problem.</b> An answer is older than its arrival. The directory may change an entry after
 * it has evaluated the search. If the feed reports this change before the answer is stored, no
 * later event invalidates the answer.
 *
 * <p><b>Rule.</b> The answer is compared with each change in the ring that its server may have
 * lacked when the read was sent. This is backward validation of optimistic concurrency control
 * (Kung and Robinson, 1981): the search is the transaction, the {@link ChangeRing} is the log.
 *
 * <p><b>Invariants.</b>
 *
 * <ol>
 *   <li>{@link FillAdmission} registers the view in the index first, and reads the ring after a
 *       full fence. A change that is applied between the two finds the view; one that was applied
 *       before is in the ring.
 *   <li>A server's position proves only changes that have settled: {@code DomainConfig.settle} has
 *       passed since their report. A younger change may be covered by the position, and not be
 *       shown by the read.
 *   <li>Any other change is judged by contents. The answer must show the state that the change has
 *       made, or a newer one.
 *   <li>An answer that cannot be compared is {@link Verdict#UNSURE}, and the feed does not hold it.
 * </ol>
 *
 * <p><b>Without it</b> the simulator serves stale entries: the mutants {@code NO_RING_SCAN}, {@code
 * NO_SETTLING} and {@code POSITIONS_ONLY} each break a part of it.
 *
 * <p>Threading: stateless.
 */
final class FillValidator {
  private FillValidator() {}

  /** True if the read may lack the change although its server has it. */
  static boolean isYoung(RingRecord change, ReadSummary summary) {
    return change.appendedNanos() - summary.settledNanos() >= 0;
  }

  /** The result of comparing a change with an answer. */
  enum Verdict {
    /** The result shows the state that the change has made, or a newer one. */
    CONSISTENT,
    /** The result is older than the change. */
    STALE,
    /** The two cannot be compared. */
    UNSURE
  }

  /** Compares a change with an answer, by position if possible. */
  static Verdict judge(RingRecord change, ReadSummary summary, Members shown) {
    boolean isCovered = change.isCoveredBy(summary.position());
    return isCovered && !isYoung(change, summary)
        ? Verdict.CONSISTENT
        : judgeByContents(change, summary, shown);
  }

  /** Compares a change with an answer by contents alone. */
  static Verdict judgeByContents(RingRecord record, ReadSummary summary, Members shown) {
    Change change = record.change();
    Uuid uuid = change.uuid();
    if (uuid == null || record.isBroadFor(summary)) {
      return Verdict.UNSURE;
    }
    boolean isShown = shown.contains(uuid);
    int order = isShown ? order(record, shown.csn(uuid)) : 0;
    return switch (truth(change, summary.query())) {
      case TRUE -> isShown ? atLeast(order) : Verdict.STALE;
      case FALSE, UNDEFINED, NO_MATCH -> isShown ? newer(order) : Verdict.CONSISTENT;
      case UNKNOWN -> isShown && order != UNCOMPARABLE ? atLeast(order) : Verdict.UNSURE;
    };
  }

  private static final int UNCOMPARABLE = Integer.MIN_VALUE;

  /** Compares the shown state with the one that the change has made; above 0 if newer. */
  private static int order(RingRecord record, @Nullable Csn shown) {
    Csn changeCsn = record.change().csn();
    int order = shown == null || changeCsn == null ? UNCOMPARABLE : shown.compareTo(changeCsn);
    return order > 0 && record.isBehind() ? UNCOMPARABLE : order;
  }

  private static Verdict atLeast(int order) {
    return order == UNCOMPARABLE ? Verdict.UNSURE : order < 0 ? Verdict.STALE : Verdict.CONSISTENT;
  }

  private static Verdict newer(int order) {
    return order > 0 ? Verdict.CONSISTENT : Verdict.STALE;
  }

  /** Returns whether the query finds the entry as the change has left it. */
  private static Truth truth(Change change, Query query) {
    if (change instanceof Deleted || change.dn() == null) {
      return Truth.FALSE;
    }
    Image image = change.image();
    if (image != null) {
      return query.matches(image);
    }
    return query.inScope(change.dn()) == Truth.FALSE ? Truth.FALSE : Truth.UNKNOWN;
  }
}
