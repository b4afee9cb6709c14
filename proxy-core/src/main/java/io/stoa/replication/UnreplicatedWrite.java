// SPDX-License-Identifier: Apache-2.0
package io.stoa.replication;

import io.stoa.ldap.csn.Position;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A change that went through Stoa and that some server may not have yet. Confined to the lock of
 * {@link UnreplicatedWrites}, to which it belongs.
 */
public final class UnreplicatedWrite {
  /** When so many sessions have seen it, it counts as seen by all. */
  private static final int MOST_SEERS = 64;

  /**
   * A directory may have answered a change while one with a lower number is pending, and keeps its
   * position back: for so long it says nothing of what was answered just before. What is under way
   * through Stoa is known; this is for the others.
   */
  static final long PENDING_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final Object owner;
  private final long begun;
  private final long deadline;
  private final Set<Object> seers = new HashSet<>();
  private Footprint footprint;
  private Object writer;
  private boolean displaced;
  private boolean seenByAll;
  private boolean ended;
  private boolean roaming;
  private @Nullable Object heirs;
  private long waitsUntil;
  private long endTick;
  private long settleAfter;
  private @Nullable Position position;
  private @Nullable Position guess;

  UnreplicatedWrite(Object owner, Object writer, Footprint footprint, long begun, long deadline) {
    this.owner = owner;
    this.writer = writer;
    this.footprint = footprint;
    this.begun = begun;
    this.deadline = deadline;
  }

  /** When it was sent, in ticks. */
  long begun() {
    return begun;
  }

  /** Whether it should have been answered, or given up, before that time. */
  boolean overdue(long now) {
    return now - deadline > 0;
  }

  Footprint footprint() {
    return footprint;
  }

  /** It is not known any more where it happened. */
  void spread() {
    displaced |= footprint.place() != null;
    footprint = Footprint.ANYWHERE;
  }

  /**
   * Whether it may be of any one entry. Not what never was of one; but what no longer tells which,
   * since names are compared anew, may be of each, until all have it.
   */
  boolean ofOneEntry() {
    return displaced || footprint.place() != null;
  }

  /** Who has done it. */
  Object owner() {
    return owner;
  }

  Object writer() {
    return writer;
  }

  /** It may be done at another server than its writer. */
  void roam() {
    roaming = true;
  }

  /** Whether a server may have it under way, if it is one of those that may take it instead. */
  boolean mayBeAt(Object server, Predicate<Object> instead) {
    return writer == server || (roaming && instead.test(writer));
  }

  /**
   * Its writer is used no more.
   *
   * @param group those that followed it
   * @param until when it is waited for one of these to have it
   */
  void orphan(Object group, long until) {
    heirs = group;
    waitsUntil = until;
  }

  /** Whether nobody is to have it any more who has not got it before that time. */
  boolean isLost(long now) {
    return now - waitsUntil > 0;
  }

  /** Whether its writer is used no more. */
  boolean orphaned() {
    return heirs != null;
  }

  /** Of whom it is known who has what they took: its writer, or the group that has lost it. */
  Object source() {
    Object group = heirs;
    return group == null ? writer : group;
  }

  /** It may still happen before that time. */
  long settleAfter() {
    return settleAfter;
  }

  /**
   * A server has answered it, or it is given up. If it was given up before, it is answered after
   * all: what was taken for its position is none.
   *
   * @param by the server that took it
   * @param tick when, in ticks
   * @param after it may still happen before that time
   */
  void end(Object by, long tick, long after) {
    writer = by;
    ended = true;
    endTick = tick;
    settleAfter = after;
    position = null;
    guess = null;
  }

  /** Its writer has told a position: whether the change is in it. */
  boolean isIn(Object server, long earliestUnderWay, long asked) {
    return ended
        && position == null
        && writer == server
        && endTick <= earliestUnderWay
        && asked - settleAfter >= 0;
  }

  /**
   * Its writer has told a position too early: a change with a lower number may still be pending,
   * and keep back the position which tells of this one. Who has reached it probably has the change,
   * which counts only if nobody can tell any better.
   */
  void guess(Object server, long earliestUnderWay, long asked, Position at) {
    if (isIn(server, earliestUnderWay, asked + PENDING_NANOS)) {
      guess = at;
    }
  }

  /** What its writer has told too early; null if it has told nothing, or told in time. */
  @Nullable Position guess() {
    return position == null ? guess : null;
  }

  /** Whether its writer had it when something was read there. */
  boolean wasDoneAt(Object server, long tick) {
    return writer == server && ended && endTick <= tick;
  }

  /** Who has reached this position has the change. */
  void settle(Position at) {
    position = at;
  }

  /** Some naming contexts are no more. */
  void without(Set<String> contexts) {
    Position own = position;
    position = own == null ? null : own.without(contexts);
  }

  /** Null if it is not known yet. */
  @Nullable Position position() {
    return position;
  }

  /** Whether a server with that position has it. */
  boolean isHadAt(Position reached) {
    Position own = position;
    return own != null && reached.covers(own);
  }

  /** Whether a server with that position probably has it. */
  boolean isProbablyHadAt(Position reached) {
    Position own = position == null ? guess : position;
    return own != null && reached.covers(own);
  }

  /** A session may have seen it: its later reads must show it, too. */
  void seenBy(Object session) {
    if (!seenByAll && !owner.equals(session)) {
      seers.add(session);
      seenByAll = seers.size() > MOST_SEERS;
    }
  }

  /**
   * Whether a read of a session must show it, if it is about it at all.
   *
   * @param seenUntil the session may have seen all that was begun until then, in ticks
   */
  boolean concerns(Object session, Footprint read, long seenUntil) {
    boolean own = owner.equals(session);
    boolean known = own || seenByAll || begun <= seenUntil || seers.contains(session);
    boolean wide = read.wide() || (own && footprint.wide());
    return known && (wide || read.meets(footprint));
  }
}
