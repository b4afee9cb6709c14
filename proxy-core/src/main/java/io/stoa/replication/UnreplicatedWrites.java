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
  static final Object ANYBODY = new Object();

  /**
   * Maximum number of missing writes that are examined for a read: 512. A server that lacks more
   * may not answer it.
   */
  private static final int MOST_LOOKED_AT = 512;

  /** Maximum number of writes near a read for which readers are noted one by one: 64. */
  private static final int FEW = 64;

  private final int most;

  /** All writes, in the order of their start. */
  private final Set<UnreplicatedWrite> all = new LinkedHashSet<>();

  private final WritesByEntry nearby = new WritesByEntry();

  /** Watermarks of sessions that have seen too many writes to note each. */
  private final ReadWatermarks seers = new ReadWatermarks();

  /** Writes in flight, by the tick of their start. */
  private final NavigableMap<Long, UnreplicatedWrite> underWay = new TreeMap<>();

  /** Writes with a position whose writer was removed, in the order of the removals. */
  private final Queue<UnreplicatedWrite> orphans = new ArrayDeque<>();

  private final AtomicLong ticks = new AtomicLong();

  /**
   * Low watermarks by writer, or by group for removed writers. A server below one may lack a write
   * that is forgotten here.
   */
  private volatile Map<Object, Position> floors = Map.of();

  /** Writers with writes that were forgotten before their position was known. */
  private volatile Map<Object, Lost> lost = Map.of();

  private volatile boolean any;

  /** Tick of the last change of the rules for comparing names. */
  private long renamed;

  /**
   * The last time of forgotten writes of one writer.
   *
   * @param tick tick at which one of them was last in flight
   * @param settleAfter time until which one of them may take effect
   */
  private record Lost(long tick, long settleAfter) {
    /** True if a position of the writer, read then, covers all of them. */
    boolean isIn(long earliestUnderWay, long asked) {
      return tick <= earliestUnderWay && asked - settleAfter >= 0;
    }

    Lost and(Lost later) {
      boolean longer = later.settleAfter - settleAfter > 0;
      return new Lost(Math.max(tick, later.tick), longer ? later.settleAfter : settleAfter);
    }
  }

  /** Creates it for a maximum number of writes. */
  UnreplicatedWrites(int most) {
    this.most = most;
  }

  /** True if no write is remembered, so that no position is needed. */
  boolean isEmpty() {
    return !any;
  }

  /** Returns the number of starts and ends of writes so far. */
  long tick() {
    return ticks.get();
  }

  /**
   * Returns the low watermarks: the position that a server must have reached to lack no forgotten
   * write, by writer or group.
   */
  Map<Object, Position> floors() {
    return floors;
  }

  /**
   * Returns the writers with forgotten writes of unknown position. No other server is known to have
   * these.
   */
  Set<Object> lostAt() {
    return lost.keySet();
  }

  /**
   * Adds a write that is about to be sent.
   *
   * @param deadline time at which it ends if its end is not reported before
   */
  synchronized UnreplicatedWrite begin(
      Object session, Object writer, Footprint footprint, long deadline) {
    UnreplicatedWrite change =
        new UnreplicatedWrite(session, writer, footprint, ticks.incrementAndGet(), deadline);
    underWay.put(change.begun(), change);
    keep(change);
    return change;
  }

  private void keep(UnreplicatedWrite change) {
    if (all.add(change)) {
      nearby.add(change);
      any = true;
    }
    if (all.size() > most) {
      makeRoom(all.iterator().next());
    }
  }

  /**
   * Forgets a write for lack of room. Afterwards only servers that surely have it are read from.
   * Writes of removed writers set no watermark, since no server may ever receive them.
   */
  private void makeRoom(UnreplicatedWrite change) {
    Position position = change.position();
    if (position == null) {
      lose(change);
    } else if (!change.orphaned()) {
      raise(change.source(), position);
    }
    remove(change);
  }

  private void lose(UnreplicatedWrite change) {
    Map<Object, Lost> more = new HashMap<>(lost);
    more.merge(change.writer(), new Lost(ticks.get(), change.settleAfter()), Lost::and);
    lost = Map.copyOf(more);
  }

  private void find(Object server) {
    Map<Object, Lost> less = new HashMap<>(lost);
    less.remove(server);
    lost = Map.copyOf(less);
  }

  private void raise(Object source, Position position) {
    Map<Object, Position> raised = new HashMap<>(floors);
    raised.merge(source, position, Position::merge);
    floors = Map.copyOf(raised);
  }

  private void remove(UnreplicatedWrite change) {
    if (all.remove(change)) {
      nearby.remove(change);
    }
    reckon();
  }

  private void reckon() {
    any = !all.isEmpty();
    if (!any) {
      seers.clear();
    }
  }

  /**
   * Ends a write: the writer has answered it, or it is given up.
   *
   * @param settleAfter time until which it may still take effect
   */
  synchronized void end(UnreplicatedWrite change, Object writer, long settleAfter) {
    if (change.orphaned() && change.writer() == writer) {
      return; // no server will report its position
    }
    boolean known = all.contains(change);
    if (known) {
      nearby.remove(change);
    }
    change.end(writer, ticks.incrementAndGet(), settleAfter);
    if (known) {
      nearby.add(change);
    }
    if (underWay.remove(change.begun()) == null) {
      keepLate(change);
    } else if (!known) {
      lose(change); // evicted for lack of room while in flight
    }
  }

  /** Keeps a write that was answered after its deadline, and may have been forgotten. */
  private void keepLate(UnreplicatedWrite change) {
    if (change.begun() <= renamed && !all.contains(change)) {
      change.spread();
    }
    keep(change);
  }

  /** Removes a write that has not left Stoa and will not, so that no server can lack it. */
  synchronized void cancel(UnreplicatedWrite change) {
    underWay.remove(change.begun());
    remove(change);
  }

  /**
   * Ends the writes whose deadline has passed, since no answer will.
   *
   * @param settleAfter time until which they may still take effect
   */
  synchronized void endOverdue(long now, long settleAfter) {
    while (!underWay.isEmpty() && underWay.firstEntry().getValue().overdue(now)) {
      UnreplicatedWrite overdue = underWay.firstEntry().getValue();
      end(overdue, overdue.writer(), settleAfter);
    }
  }

  /** Marks a write that may take effect at another server than the one for which it began. */
  synchronized void roams(UnreplicatedWrite change) {
    change.roam();
  }

  /**
   * Called before a server is asked for its position.
   *
   * @param others true for a writer whose writes the server may take
   * @return the tick before which no write is in flight at the server
   */
  synchronized long earliestUnderWay(Object server, Predicate<Object> others) {
    for (UnreplicatedWrite change : underWay.values()) {
      if (change.mayBeAt(server, others)) {
        return change.begun();
      }
    }
    return ticks.get();
  }

  /**
   * Called when a writer has reported its position.
   *
   * @param earliestUnderWay result of {@link #earliestUnderWay} at the request
   * @param asked time of the request
   */
  synchronized void told(Object server, Position position, long earliestUnderWay, long asked) {
    for (UnreplicatedWrite change : nearby.all().shownBy(server, earliestUnderWay, asked)) {
      nearby.remove(change);
      change.settle(nearby.all().after(server, position));
      nearby.add(change);
    }
    nearby.all().unsettled().forEach(one -> one.guess(server, earliestUnderWay, asked, position));
    Lost own = lost.get(server);
    if (own != null && own.isIn(earliestUnderWay, asked)) {
      raise(server, position);
      find(server);
    }
  }

  /**
   * Forgets the writes that all servers have.
   *
   * @param positions positions of all servers that should receive the writes of a writer
   */
  synchronized void forget(Function<Object, Collection<Position>> positions) {
    for (Object writer : nearby.all().writers()) {
      Collection<Position> there = positions.apply(writer);
      if (!there.isEmpty()) {
        forget(writer, there);
      }
    }
  }

  /**
   * Raises the watermark and forgets the writes. Another thread finds the write or its watermark; a
   * server without the write may come back.
   */
  private void forget(Object writer, Collection<Position> there) {
    List<UnreplicatedWrite> had =
        nearby.forget(writer, change -> there.stream().allMatch(change::isHadAt));
    for (int i = 0; i < had.size(); i++) {
      Position position = had.get(i).position();
      boolean last = i + 1 == had.size() || had.get(i + 1).source() != had.get(i).source();
      if (last && position != null) {
        raise(had.get(i).source(), position); // a server that has reached it has those before
      }
    }
    had.forEach(all::remove);
    reckon();
  }

  /**
   * Removes naming contexts that no longer exist: no server can lack writes there.
   *
   * @param writers true for the servers that held them
   */
  synchronized void without(Set<String> contexts, Predicate<Object> writers) {
    Stream.concat(all.stream(), underWay.values().stream())
        .filter(change -> writers.test(change.writer()))
        .forEach(change -> change.without(contexts));
    Map<Object, Position> lowered = new HashMap<>(floors);
    lowered.replaceAll((writer, at) -> writers.test(writer) ? at.without(contexts) : at);
    floors = Map.copyOf(lowered);
  }

  /**
   * Called when a server is removed or no longer reports its position. Writes without a known or
   * probable position are dropped, as it can no longer be known which servers have them.
   *
   * @param group its replication group
   * @param there positions of the other servers of the group
   * @param until end of the grace period in which these may receive its writes
   */
  synchronized void gone(Object server, Object group, Collection<Position> there, long until) {
    Stream.concat(List.copyOf(all).stream(), List.copyOf(underWay.values()).stream())
        .filter(change -> change.writer() == server)
        .forEach(change -> orphan(change, group, until));
    find(server);
    bequeath(server, group, there);
  }

  /**
   * Transfers the watermark of a removed server to its group. If no remaining server has reached
   * it, the watermark is dropped, since none ever will.
   */
  private void bequeath(Object server, Object group, Collection<Position> there) {
    Map<Object, Position> kept = new HashMap<>(floors);
    Position floor = kept.remove(server);
    if (floor != null && there.stream().anyMatch(position -> position.covers(floor))) {
      kept.merge(group, floor, Position::merge);
    }
    if (there.isEmpty()) {
      kept.remove(group);
    }
    floors = Map.copyOf(kept);
  }

  private void orphan(UnreplicatedWrite change, Object group, long until) {
    settleForGuess(change);
    change.orphan(group, until);
    underWay.remove(change.begun());
    if (change.position() == null) {
      remove(change);
    } else {
      orphans.add(change);
    }
  }

  /** Takes the probable position as final, since the writer will report no better one. */
  private void settleForGuess(UnreplicatedWrite change) {
    Position guess = change.guess();
    if (guess != null && all.contains(change)) {
      nearby.remove(change);
      change.settle(nearby.all().after(change.writer(), guess));
      nearby.add(change);
    }
  }

  /**
   * Forgets the writes of removed writers that no remaining server received in the grace period.
   *
   * @param positions positions of the other servers in the group of a server
   */
  synchronized void endOrphans(long now, Function<Object, Collection<Position>> positions) {
    while (!orphans.isEmpty() && orphans.element().isLost(now)) {
      UnreplicatedWrite lost = orphans.remove();
      if (positions.apply(lost.writer()).stream().noneMatch(lost::isHadAt)) {
        remove(lost);
      }
    }
  }

  /**
   * Called when the rules for comparing names have changed. Stored places are no longer comparable.
   */
  synchronized void renamed() {
    renamed = ticks.get();
    all.forEach(UnreplicatedWrite::spread);
    nearby.spread();
  }

  /** Extends one write to any entry, since the rules for comparing names changed as it began. */
  synchronized void renamed(UnreplicatedWrite change) {
    boolean known = all.contains(change);
    if (known) {
      nearby.remove(change);
    }
    change.spread();
    if (known) {
      nearby.add(change);
    }
  }

  /**
   * Called when a session has received an answer. The session may have seen all writes to the
   * entries it read. A read of derived attributes may have seen any write.
   */
  synchronized void seen(Object session, Footprint read) {
    if (nearby.size(read) > FEW) {
      seers.seen(session, ticks.get());
      return;
    }
    nearby
        .of(read, change -> read.wide() || read.meets(change.footprint()))
        .forEach(change -> change.seenBy(session));
  }

  /**
   * True if a server may answer a read.
   *
   * @param session the reading session; {@link #ANYBODY} if the read must show the writes of all
   * @param harmless true for writes that may be missing
   */
  synchronized boolean allows(
      Object session,
      Footprint read,
      ReplicaPosition reach,
      Predicate<UnreplicatedWrite> harmless) {
    if (nearby.lacked(read, reach) > MOST_LOOKED_AT) {
      return false;
    }
    Predicate<UnreplicatedWrite> concerns = concerns(session, read);
    AtomicInteger looked = new AtomicInteger();
    return nearby.lacked(
        read,
        reach,
        change ->
            reach.has(change)
                || (looked.incrementAndGet() <= MOST_LOOKED_AT
                    && (!concerns.test(change) || harmless.test(change))));
  }

  /** Returns the entries with writes that concern a read and that a server may lack. */
  synchronized Set<Octets> lacked(Object session, Footprint read, ReplicaPosition reach) {
    Predicate<UnreplicatedWrite> concerns = concerns(session, read);
    Set<Octets> entries = new HashSet<>();
    nearby.lacked(
        read,
        reach,
        change -> {
          Octets place = change.footprint().place();
          if (place != null && concerns.test(change) && !reach.has(change)) {
            entries.add(place);
          }
          return true;
        });
    return entries;
  }

  private Predicate<UnreplicatedWrite> concerns(Object session, Footprint read) {
    if (session == ANYBODY) {
      return change -> read.meets(change.footprint());
    }
    long seen = seers.until(session);
    return change -> change.concerns(session, read, seen);
  }

  /** Returns the number of remembered writes. */
  synchronized int size() {
    return all.size();
  }
}
