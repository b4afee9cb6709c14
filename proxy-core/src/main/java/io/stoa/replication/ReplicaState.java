// SPDX-License-Identifier: Apache-2.0
package io.stoa.replication;

import io.stoa.ldap.csn.Position;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The state of one server: its last reported position, its lag, and whether it gets reads.
 *
 * <p>Threading: thread-safe for reading; written under the lock of {@link Replication}.
 */
final class ReplicaState {
  /**
   * Time after which a server that does not answer is read from all the same: 1 s since it came up.
   */
  private static final long REPORT_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Time without an answer after which a server may lack all that it has not reported: 1 s. */
  private static final long UNANSWERED_NANOS = TimeUnit.SECONDS.toNanos(1);

  final Object group;
  final String name;
  final boolean primary;
  final BooleanSupplier up;

  /** True while writes go to this server. */
  final BooleanSupplier preferred;

  /**
   * True for the reference primary of the group: the others are compared with it, and it gets reads
   * whatever its position.
   */
  volatile boolean reference;

  /** The last reported position; empty before the first. */
  volatile Position position = Position.NONE;

  /** Time of the request that returned the position. */
  volatile long asked;

  /** The server's state was not older than that of a primary at this time. */
  volatile long asOf;

  /** Time at which the first missing mark was seen at a primary; valid only if the server lags. */
  volatile long missingSince;

  /** True if the position can be compared with those of the primaries. */
  volatile boolean comparable;

  volatile boolean lags;
  volatile boolean behind;

  private volatile Phase phase = Phase.NEW;

  /**
   * Time since when the server no longer reports a position that it has reported before; valid only
   * if {@link #hidesPosition}.
   */
  private long hidesSince;

  /**
   * Naming contexts that the server has reported before, and no longer holds by its own account.
   */
  private Set<String> missingContexts = Set.of();

  private long missingContextsSince;

  private boolean usable;
  private long awaitedSince;
  private long stateChangedAt;

  /** True if its writes were dropped, since it no longer reports positions. */
  boolean writesDropped;

  /** Time of the first unanswered request for the position; valid only if {@link #requestOpen}. */
  private long requestOpenSince;

  private boolean requestOpen;

  /** True if it gets no reads until it reports its position. */
  volatile boolean held;

  /** Number of reads that it was given although it may lack required writes. */
  final LongAdder uncoveredReads = new LongAdder();

  /**
   * The answers of a server since it was added or has returned. In the first three phases it is
   * awaited: it gets no reads while other servers can answer.
   */
  private enum Phase {
    /** The server has not answered yet. */
    NEW,
    /** The server has answered without a position. */
    MUTE,
    /** The server has answered with less than it reported before, or was lost while it hid that. */
    HIDING_AWAITED,
    /** The last position counts, if there is one. */
    CURRENT,
    /** The server reports less than before, although it was not lost. */
    HIDING
  }

  ReplicaState(
      Object group, String name, BooleanSupplier up, @Nullable BooleanSupplier writes, long now) {
    this.awaitedSince = now;
    this.stateChangedAt = now;
    this.group = group;
    this.name = name;
    this.primary = writes != null;
    this.preferred = writes == null ? () -> false : writes;
    this.up = up;
    this.usable = up.getAsBoolean();
  }

  /** True if the server has reported a position. */
  boolean hasPosition() {
    return !position.isEmpty();
  }

  /** True if another server has a position with which that of this server cannot be compared. */
  boolean isUncomparableWith(ReplicaState other) {
    return other.hasPosition() && !position.comparableWith(other.position);
  }

  /**
   * Marks the writes of the server as dropped. The position of a reference primary is cleared:
   * other servers can no longer be compared with it.
   */
  void dropWrites() {
    writesDropped = true;
    if (reference) {
      position = Position.NONE;
      reveal();
    }
  }

  private void moveTo(Phase next) {
    phase = next;
  }

  private boolean isAwaited() {
    return phase.compareTo(Phase.CURRENT) < 0;
  }

  /** True if the server no longer reports a position that it has reported before. */
  boolean hidesPosition() {
    return phase == Phase.HIDING_AWAITED || phase == Phase.HIDING;
  }

  /** Called when the server has reported no position, or less than before. */
  void hide(long now) {
    if (hasPosition() && !hidesPosition()) {
      hidesSince = now;
      moveTo(isAwaited() ? Phase.HIDING_AWAITED : Phase.HIDING);
    }
  }

  /**
   * Called when the server has reported all that it did before, or nothing counts any more. An
   * awaited server is new again: the request may be older than its return. {@link #onAnswer} then
   * judges the answer.
   */
  void reveal() {
    if (hidesPosition()) {
      moveTo(isAwaited() ? Phase.NEW : Phase.CURRENT);
    }
  }

  /**
   * True if the server has hidden its position for too long. If it only reports fewer naming
   * contexts, twice the time is allowed.
   */
  boolean hasStoppedReporting(long now, long maxLagNanos) {
    long patience = missingContexts.isEmpty() ? maxLagNanos : 2 * maxLagNanos;
    return hidesPosition() && now - hidesSince > patience;
  }

  /**
   * Checks a reported position for naming contexts that the server no longer holds.
   *
   * @param requestedContexts the naming contexts that the server holds now, and was asked for
   * @param maxLagNanos time for which the contexts must be missing before they are given up
   * @return the naming contexts that are given up; empty while their absence may be temporary
   */
  Set<String> takeLostContexts(
      Position reported, Set<String> requestedContexts, long now, long maxLagNanos) {
    Set<String> absentContexts = new HashSet<>(position.contexts());
    absentContexts.removeAll(reported.contexts());
    boolean hides = reported.isEmpty() || !Collections.disjoint(absentContexts, requestedContexts);
    Set<String> seen = hides ? Set.of() : absentContexts;
    if (!seen.equals(missingContexts)) {
      missingContexts = seen;
      missingContextsSince = now;
    }
    boolean lasts = !seen.isEmpty() && now - missingContextsSince > maxLagNanos;
    missingContexts = lasts ? Set.of() : missingContexts;
    return lasts ? seen : Set.of();
  }

  /** Called when the server becomes usable or unusable, or is reached by another address. */
  void onStateChange(boolean usable, long now) {
    stateChangedAt = now;
    if (usable != this.usable) {
      requestOpen = false;
      awaitedSince = now;
      this.usable = usable;
      if (!usable) {
        moveTo(hidesPosition() ? Phase.HIDING_AWAITED : Phase.NEW);
      }
    }
  }

  /** Called before the server is asked for its position. */
  void onRequest(long now) {
    requestOpenSince = requestOpen ? requestOpenSince : now;
    requestOpen = true;
  }

  /** True if a request has been unanswered for more than 1 s. */
  boolean isUnanswered(long now) {
    return requestOpen && now - requestOpenSince > UNANSWERED_NANOS;
  }

  /**
   * Called when the server has answered, with or without a position.
   *
   * @param asked time of the request
   */
  void onAnswer(long asked) {
    boolean since = asked - awaitedSince >= 0;
    requestOpen &= !since;
    if (since && isAwaited() && !hidesPosition()) {
      moveTo(hasPosition() ? Phase.CURRENT : Phase.MUTE);
    }
  }

  /**
   * Decides whether the server gets reads before it has reported its position. One that does not
   * answer is given reads after 1 s. One that answers without a position, such as a server that is
   * being loaded, is given reads after {@code maxLagNanos}. One that has reported positions before
   * gets none until it reports again: it may have been emptied.
   *
   * @param hasReferencePosition true if its position would show its lag
   * @param maxLagNanos maximum wait in nanoseconds
   * @return true if it gets reads from now on although it answers without a position
   */
  boolean updateHold(boolean hasReferencePosition, long now, long maxLagNanos) {
    boolean mute = phase == Phase.MUTE;
    boolean awaited = usable && (mute || phase == Phase.NEW);
    boolean timedOut = awaited && now - awaitedSince > (mute ? maxLagNanos : REPORT_TIMEOUT_NANOS);
    boolean wasHeld = held;
    if (timedOut) {
      moveTo(Phase.CURRENT);
    }
    held = isAwaited() && hasReferencePosition && !reference;
    return timedOut && wasHeld && mute;
  }

  /**
   * True if no missing change is known, according to a position read after the server last moved.
   */
  boolean isCaughtUp() {
    return hasPosition() && !lags && !behind && !held && asked - stateChangedAt >= 0;
  }

  /**
   * Returns the lag in nanoseconds: the time since a primary first showed what the server lacks.
   */
  long lag(long now) {
    return lags ? now - missingSince : 0;
  }
}
