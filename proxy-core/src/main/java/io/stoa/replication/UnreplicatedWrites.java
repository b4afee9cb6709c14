// SPDX-License-Identifier: Apache-2.0
package io.stoa.replication;

import io.stoa.ldap.csn.Position;
import io.stoa.ldap.protocol.Octets;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The writes through Stoa that a server may lack, and the low watermarks of those forgotten.
 *
 * <p>Ticks count the starts and ends of writes. The writer of a write is the server that took it.
 *
 * <p>Threading: thread-safe; one lock, and volatile fields for the fast path.
 */
final class UnreplicatedWrites {
  /** Stands for all sessions. */
  static final Object ALL_SESSIONS = new Object();

  /**
   * Maximum number of missing writes that are examined for a read: 512. A server that lacks more
   * may not answer it.
   */
  private static final int MAX_EXAMINED = 512;

  /**
   * Maximum number of writes near a read among which the last seen one is searched: 64. Of more,
   * the session counts as having seen all.
   */
  private static final int MAX_NOTED = 64;

  private final int maxWrites;

  /** All writes, in the order of their start. */
  private final Set<UnreplicatedWrite> all = new LinkedHashSet<>();

  private final WritesByEntry byEntry = new WritesByEntry();

  /** The writes of others that each session may have seen. */
  private final ReadWatermarks watermarks = new ReadWatermarks();

  /** Writes in flight, by the tick of their start. */
  private final NavigableMap<Long, UnreplicatedWrite> inFlight = new TreeMap<>();

  /** Writes with a position whose writer was removed, in the order of the removals. */
  private final Queue<UnreplicatedWrite> writesOfRemovedWriters = new ArrayDeque<>();

  private final AtomicLong ticks = new AtomicLong();

  /**
   * Low watermarks by writer, or by group for removed writers. A server below one may lack a write
   * that is forgotten here.
   */
  private volatile Map<Object, Position> lowWatermarks = Map.of();

  /**
   * For each writer, one write that stands for those forgotten before their position was known.
   * This write begins before all others and may be anywhere: it concerns each read of each session.
   */
  private final Map<Object, UnreplicatedWrite> evicted = new HashMap<>();

  private volatile boolean hasWrites;

  /** Creates it for a maximum number of writes. */
  UnreplicatedWrites(int maxWrites) {
    this.maxWrites = maxWrites;
  }

  /** True if no write is remembered, so that no position is needed. */
  boolean isEmpty() {
    return !hasWrites;
  }

  /** Returns the number of starts and ends of writes so far. */
  long tick() {
    return ticks.get();
  }

  /**
   * Returns the low watermarks: the position that a server must have reached to lack no forgotten
   * write, by writer or group.
   */
  Map<Object, Position> lowWatermarks() {
    return lowWatermarks;
  }

  /**
   * Adds a write that is about to be sent.
   *
   * @param now the present time
   * @param deadline time at which it ends if its end is not reported before
   */
  synchronized UnreplicatedWrite begin(
      Object session, Object writer, Footprint footprint, long now, long deadline) {
    UnreplicatedWrite change =
        new UnreplicatedWrite(session, writer, footprint, ticks.incrementAndGet(), now);
    change.setDeadline(deadline);
    inFlight.put(change.beginTick(), change);
    keep(change);
    return change;
  }

  private void keep(UnreplicatedWrite change) {
    if (all.add(change)) {
      byEntry.add(change);
      hasWrites = true;
    }
    if (all.size() > maxWrites) {
      evict(all.iterator().next());
    }
  }

  /**
   * Forgets a write for lack of room. Afterwards only servers that surely have it are read from.
   * Writes of removed writers set no watermark, since no server may ever receive them.
   */
  private void evict(UnreplicatedWrite change) {
    Position position = change.position();
    if (position != null && !change.isWriterRemoved()) {
      raiseWatermark(change.watermarkKey(), position); // before it is removed
    }
    remove(change);
    if (position == null) {
      absorb(change);
    }
  }

  /** Adds an evicted write to the one that stands for all such writes of its writer. */
  private void absorb(UnreplicatedWrite change) {
    Object writer = change.writer();
    long settleAfter = change.settleAfter();
    UnreplicatedWrite absorbed =
        evicted.computeIfAbsent(
            writer,
            key -> new UnreplicatedWrite(ALL_SESSIONS, key, Footprint.ANYWHERE, 0, settleAfter));
    if (all.remove(absorbed)) {
      byEntry.remove(absorbed);
    }
    boolean isLater = settleAfter - absorbed.settleAfter() > 0;
    absorbed.end(writer, ticks.get(), isLater ? settleAfter : absorbed.settleAfter());
    keep(absorbed);
  }

  private void raiseWatermark(Object source, Position position) {
    Map<Object, Position> raised = new HashMap<>(lowWatermarks);
    raised.merge(source, position, Position::merge);
    lowWatermarks = Map.copyOf(raised);
  }

  private void remove(UnreplicatedWrite change) {
    if (all.remove(change)) {
      byEntry.remove(change);
    }
    updateEmptiness();
  }

  private void updateEmptiness() {
    hasWrites = !all.isEmpty();
    if (!hasWrites) {
      watermarks.clear();
    }
  }

  /**
   * Ends a write: the writer has answered it, or it is given up.
   *
   * @param settleAfter time until which it may still take effect
   */
  synchronized void end(UnreplicatedWrite change, Object writer, long settleAfter) {
    if (change.isWriterRemoved() && change.writer() == writer) {
      return; // no server will report its position
    }
    if (change.isWriterRemoved()) {
      writesOfRemovedWriters.remove(change); // a server that is present has answered late
    }
    boolean isTracked = all.contains(change);
    if (isTracked) {
      byEntry.remove(change);
    }
    change.end(writer, ticks.incrementAndGet(), settleAfter);
    if (isTracked) {
      byEntry.add(change);
    }
    if (inFlight.remove(change.beginTick()) == null) {
      keep(change); // answered after its deadline, and may have been forgotten
    } else if (!isTracked) {
      absorb(change); // evicted for lack of room while in flight
    }
  }

  /** Removes a write that has not left Stoa and will not, so that no server can lack it. */
  synchronized void cancel(UnreplicatedWrite change) {
    inFlight.remove(change.beginTick());
    remove(change);
  }

  /**
   * Ends the writes whose deadline has passed, since no answer will.
   *
   * @param settleAfter time until which they may still take effect
   */
  synchronized void endOverdue(long now, long settleAfter) {
    while (!inFlight.isEmpty() && inFlight.firstEntry().getValue().isOverdue(now)) {
      UnreplicatedWrite overdue = inFlight.firstEntry().getValue();
      end(overdue, overdue.writer(), settleAfter);
    }
  }

  /** Marks a write that may take effect at another server than the one for which it began. */
  synchronized void markElsewhere(UnreplicatedWrite change) {
    change.markElsewhere();
  }

  /**
   * Called before a server is asked for its position.
   *
   * @param others true for a writer whose writes the server may take
   * @return the tick before which no write is in flight at the server
   */
  synchronized long earliestInFlight(Object server, Predicate<Object> others) {
    for (UnreplicatedWrite change : inFlight.values()) {
      if (change.mayBeAt(server, others)) {
        return change.beginTick();
      }
    }
    return ticks.get();
  }

  /**
   * Called when a writer has reported its position.
   *
   * @param earliestUnderWay result of {@link #earliestInFlight} at the request
   * @param asked time of the request
   */
  synchronized void onPosition(
      Object server, Position position, long earliestUnderWay, long asked) {
    for (UnreplicatedWrite change : byEntry.all().settledBy(server, earliestUnderWay, asked)) {
      byEntry.remove(change);
      change.settle(byEntry.all().ascending(server, position));
      byEntry.add(change);
    }
    byEntry
        .all()
        .unsettled()
        .forEach(one -> one.noteProbablePosition(server, earliestUnderWay, asked, position));
  }

  /**
   * Forgets the writes that all servers have.
   *
   * @param positions positions of all servers that should receive the writes of a writer
   */
  synchronized void forget(Function<Object, Collection<Position>> positions) {
    for (Object writer : byEntry.all().writers()) {
      Collection<Position> replicaPositions = positions.apply(writer);
      if (!replicaPositions.isEmpty()) {
        forget(writer, replicaPositions);
      }
    }
  }

  /**
   * Raises the watermark and forgets the writes. Another thread finds the write or its watermark; a
   * server without the write may come back.
   */
  private void forget(Object writer, Collection<Position> replicaPositions) {
    List<UnreplicatedWrite> forgotten =
        byEntry.forget(writer, change -> replicaPositions.stream().allMatch(change::isCoveredBy));
    for (int i = 0; i < forgotten.size(); i++) {
      Position position = forgotten.get(i).position();
      boolean last =
          i + 1 == forgotten.size()
              || forgotten.get(i + 1).watermarkKey() != forgotten.get(i).watermarkKey();
      if (last && position != null) {
        raiseWatermark(
            forgotten.get(i).watermarkKey(),
            position); // a server that has reached it has those before
      }
    }
    forgotten.forEach(all::remove);
    updateEmptiness();
  }

  /**
   * Removes naming contexts that no longer exist: no server can lack writes there.
   *
   * @param writers true for the servers that held them
   */
  synchronized void removeContexts(Set<String> contexts, Predicate<Object> writers) {
    Stream.concat(all.stream(), inFlight.values().stream())
        .filter(change -> writers.test(change.writer()))
        .forEach(change -> change.removeContexts(contexts));
    Map<Object, Position> lowered = new HashMap<>(lowWatermarks);
    lowered.replaceAll((writer, at) -> writers.test(writer) ? at.without(contexts) : at);
    lowWatermarks = Map.copyOf(lowered);
  }

  /**
   * Called when a server is removed or no longer reports its position. Writes without a known or
   * probable position are dropped, as it can no longer be known which servers have them.
   *
   * @param group its replication group
   * @param positions positions of the other servers of the group
   * @param until end of the grace period in which these may receive its writes
   */
  synchronized void onWriterRemoved(
      Object server, Object group, Collection<Position> positions, long until) {
    Stream.concat(List.copyOf(all).stream(), List.copyOf(inFlight.values()).stream())
        .filter(change -> change.writer() == server)
        .forEach(change -> removeWriter(change, group, until));
    evicted.remove(server);
    transferWatermark(server, group, positions);
  }

  /**
   * Transfers the watermark of a removed server to its group. If no remaining server has reached
   * it, the watermark is dropped, since none ever will.
   */
  private void transferWatermark(Object server, Object group, Collection<Position> positions) {
    Map<Object, Position> transferred = new HashMap<>(lowWatermarks);
    Position watermark = transferred.remove(server);
    if (watermark != null && positions.stream().anyMatch(position -> position.covers(watermark))) {
      transferred.merge(group, watermark, Position::merge);
    }
    if (positions.isEmpty()) {
      transferred.remove(group);
    }
    lowWatermarks = Map.copyOf(transferred);
  }

  private void removeWriter(UnreplicatedWrite change, Object group, long until) {
    settleProbable(change);
    change.onWriterRemoved(group, until);
    inFlight.remove(change.beginTick());
    if (change.position() == null) {
      remove(change);
    } else {
      writesOfRemovedWriters.add(change);
    }
  }

  /** Takes the probable position as final, since the writer will report no better one. */
  private void settleProbable(UnreplicatedWrite change) {
    Position probable = change.probablePosition();
    if (probable != null && all.contains(change)) {
      byEntry.remove(change);
      change.settle(byEntry.all().ascending(change.writer(), probable));
      byEntry.add(change);
    }
  }

  /**
   * Forgets the writes of removed writers that no remaining server received in the grace period.
   *
   * @param positions positions of the other servers in the group of a server
   */
  synchronized void dropUnreceived(long now, Function<Object, Collection<Position>> positions) {
    while (!writesOfRemovedWriters.isEmpty() && writesOfRemovedWriters.element().isLost(now)) {
      UnreplicatedWrite lost = writesOfRemovedWriters.remove();
      if (positions.apply(lost.writer()).stream().noneMatch(lost::isCoveredBy)) {
        remove(lost);
      }
    }
  }

  /**
   * Called when a session has received an answer. The session may have seen all writes to the
   * entries it read. A read of derived attributes may have seen any write. The session counts as
   * having seen all writes that began before the last of these.
   */
  synchronized void onAnswer(Object session, Footprint read) {
    if (byEntry.size(read) > MAX_NOTED) {
      watermarks.raise(session, ticks.get());
    } else {
      byEntry
          .of(read)
          .filter(change -> change.isSeenBy(session, read))
          .forEach(change -> watermarks.raise(session, change.beginTick()));
    }
  }

  /**
   * True if a server may answer a read.
   *
   * @param session the reading session; {@link #ALL_SESSIONS} if the read must show the writes of
   *     all
   * @param harmless true for writes that may be missing
   */
  synchronized boolean isAllowed(
      Object session,
      Footprint read,
      ReplicaPosition replica,
      Predicate<UnreplicatedWrite> harmless) {
    if (byEntry.countMissing(read, replica) > MAX_EXAMINED) {
      return false;
    }
    Predicate<UnreplicatedWrite> concerns = concerns(session, read);
    AtomicInteger examined = new AtomicInteger();
    return byEntry.allMissingMatch(
        read,
        replica,
        change ->
            replica.has(change)
                || (examined.incrementAndGet() <= MAX_EXAMINED
                    && (!concerns.test(change) || harmless.test(change))));
  }

  /** Returns the entries with writes that concern a read and that a server may lack. */
  synchronized Set<Octets> missingEntries(Object session, Footprint read, ReplicaPosition replica) {
    Predicate<UnreplicatedWrite> concerns = concerns(session, read);
    Set<Octets> entries = new HashSet<>();
    byEntry.allMissingMatch(
        read,
        replica,
        change -> {
          Octets place = change.footprint().place();
          if (place != null && concerns.test(change) && !replica.has(change)) {
            entries.add(place);
          }
          return true;
        });
    return entries;
  }

  private Predicate<UnreplicatedWrite> concerns(Object session, Footprint read) {
    if (session == ALL_SESSIONS) {
      return change -> read.overlaps(change.footprint());
    }
    long seen = watermarks.watermark(session);
    return change -> change.concerns(session, read, seen);
  }

  /** Returns the number of unreplicated writes. */
  synchronized int size() {
    return all.size();
  }
}
