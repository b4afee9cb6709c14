// SPDX-License-Identifier: Apache-2.0
package io.stoa.replication;

import io.stoa.ldap.csn.Position;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A write through Stoa that a server may lack. Its writer is the server that took it, or to which
 * it was sent.
 *
 * <p>Times called ticks count the starts and ends of writes.
 *
 * <p>Threading: guarded by the lock of {@link UnreplicatedWrites}, to which it belongs.
 */
public final class UnreplicatedWrite {
  /**
   * Time for which a writer's position may not cover a write that is already answered: 20 ms. A
   * write with a lower CSN may be pending and hold the position back. Writes in flight through Stoa
   * are known; this covers those of other clients.
   */
  static final long PENDING_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final Object owner;
  private final long beginTick;
  private long deadline;
  private final Footprint footprint;
  private Object writer;
  private boolean ended;
  private boolean mayBeElsewhere;
  private @Nullable Object successors;
  private long graceUntil;
  private long endTick;
  private long settleAfter;
  private @Nullable Position position;
  private @Nullable Position probablePosition;

  UnreplicatedWrite(Object owner, Object writer, Footprint footprint, long beginTick, long now) {
    this.owner = owner;
    this.writer = writer;
    this.footprint = footprint;
    this.beginTick = beginTick;
    this.settleAfter = now;
    this.deadline = now;
  }

  /** Sets the time at which it ends if its end is not reported before. */
  void setDeadline(long newDeadline) {
    deadline = newDeadline;
  }

  /** Returns the tick at which it was sent. */
  long beginTick() {
    return beginTick;
  }

  /** True if its deadline for an answer has passed. */
  boolean isOverdue(long now) {
    return now - deadline > 0;
  }

  Footprint footprint() {
    return footprint;
  }

  /** Returns the session that wrote it. */
  Object owner() {
    return owner;
  }

  Object writer() {
    return writer;
  }

  /** Marks it as one that may take effect at another server than its writer. */
  void markElsewhere() {
    mayBeElsewhere = true;
  }

  /**
   * True if it may be in flight at a server.
   *
   * @param others true for a writer whose writes the server may take
   */
  boolean mayBeAt(Object server, Predicate<Object> others) {
    return writer == server || (mayBeElsewhere && others.test(writer));
  }

  /**
   * Called when the writer is removed.
   *
   * @param group the replication group of the writer
   * @param until end of the grace period in which a server of the group may receive it
   */
  void onWriterRemoved(Object group, long until) {
    successors = group;
    graceUntil = until;
  }

  /** True if the grace period has passed: a server without this write will not receive it. */
  boolean isLost(long now) {
    return now - graceUntil > 0;
  }

  /** True if its writer was removed. */
  boolean isWriterRemoved() {
    return successors != null;
  }

  /** Returns the key of its low watermark: the writer, or the group of a removed writer. */
  Object watermarkKey() {
    Object group = successors;
    return group == null ? writer : group;
  }

  /** Returns the time until which the write may still take effect. */
  long settleAfter() {
    return settleAfter;
  }

  /**
   * Ends the write: a server has answered it, or it is given up. A late answer replaces an earlier
   * end, and the position of that is void.
   *
   * @param newWriter the server that took it
   * @param tick tick of the end
   * @param after time until which it may still take effect
   */
  void end(Object newWriter, long tick, long after) {
    writer = newWriter;
    successors = null;
    ended = true;
    endTick = tick;
    settleAfter = after;
    position = null;
    probablePosition = null;
  }

  /**
   * True if a position of the server covers this write: the server took it, it ended before the
   * request, and it can no longer take effect later.
   */
  boolean isSettledBy(Object server, long earliestUnderWay, long asked) {
    return ended
        && position == null
        && writer == server
        && endTick <= earliestUnderWay
        && asked - settleAfter >= 0;
  }

  /**
   * Notes a position that was read too early to cover the write for certain. A pending write with a
   * lower CSN may have held it back. A server at this position probably has the write. Such a
   * position counts only while the writer cannot report.
   */
  void noteProbablePosition(Object server, long earliestUnderWay, long asked, Position at) {
    if (isSettledBy(server, earliestUnderWay, asked + PENDING_NANOS)) {
      probablePosition = at;
    }
  }

  /** Returns the probable position; null if there is none, or if the position is known. */
  @Nullable Position probablePosition() {
    return position == null ? probablePosition : null;
  }

  /** True if its writer had it when an answer was read there. */
  boolean hadEndedAt(Object server, long tick) {
    return writer == server && ended && endTick <= tick;
  }

  /** Sets the position of the write: a server that has reached it has the write. */
  void settle(Position at) {
    position = at;
  }

  /** Removes naming contexts that no longer exist from the position. */
  void removeContexts(Set<String> contexts) {
    Position writePosition = position;
    position = writePosition == null ? null : writePosition.without(contexts);
  }

  /** Returns the position of the write; null if it is not known yet. */
  @Nullable Position position() {
    return position;
  }

  /** True if a server at this position has the write. */
  boolean isCoveredBy(Position replicaPosition) {
    Position writePosition = position;
    return writePosition != null && replicaPosition.covers(writePosition);
  }

  /** True if a server at this position probably has the write. */
  boolean isProbablyCoveredBy(Position replicaPosition) {
    Position writePosition = position == null ? probablePosition : position;
    return writePosition != null && replicaPosition.covers(writePosition);
  }

  /** True if the answer to a read of a session may have shown the write of another session. */
  boolean isSeenBy(Object session, Footprint read) {
    return !owner.equals(session) && (read.wide() || read.overlaps(footprint));
  }

  /**
   * True if a read of a session must show the write, provided that it reads its entries.
   *
   * @param seenUntil the session may have seen all writes that began by this tick
   */
  boolean concerns(Object session, Footprint read, long seenUntil) {
    boolean isOwner = owner.equals(session);
    boolean wide = read.wide() || (isOwner && footprint.wide());
    return (isOwner || beginTick <= seenUntil) && (wide || read.overlaps(footprint));
  }
}
