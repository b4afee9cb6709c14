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
 * The changes that went through Stoa and that some server may not have yet, and where they were
 * made. Thread-safe.
 */
final class UnreplicatedWrites {
  /** Stands for all sessions. */
  static final Object ANYBODY = new Object();

  /**
   * Among more that it lacks a server is not looked for what concerns a read: it may not answer.
   */
  private static final int MOST_LOOKED_AT = 512;

  /** Of so many near a read it is noted for each who has seen it. */
  private static final int FEW = 64;

  private final int most;

  /** In the order in which they were begun. */
  private final Set<UnreplicatedWrite> all = new LinkedHashSet<>();

  private final WritesByEntry nearby = new WritesByEntry();

  /** Who has seen too much for noting it for each change. */
  private final ReadWatermarks seers = new ReadWatermarks();

  /** By when they were begun, in ticks. */
  private final NavigableMap<Long, UnreplicatedWrite> underWay = new TreeMap<>();

  /** Those that were told of, and whose server is used no more: in the order of that. */
  private final Queue<UnreplicatedWrite> orphans = new ArrayDeque<>();

  private final AtomicLong ticks = new AtomicLong();

  /**
   * Who has not reached what each writer had, or the writers that a group has lost, may lack a
   * change that is no longer known here.
   */
  private volatile Map<Object, Position> floors = Map.of();

  /** Of whose changes some are no longer known, and until when in ticks and time they happened. */
  private volatile Map<Object, Lost> lost = Map.of();

  private volatile boolean any;

  /** When, in ticks, what places are called has changed last. */
  private long renamed;

  /** When the last of some changes was under way, in ticks, and until when it may happen. */
  private record Lost(long tick, long settleAfter) {
    /** Whether a position for which their writer was asked then shows them. */
    boolean isIn(long earliestUnderWay, long asked) {
      return tick <= earliestUnderWay && asked - settleAfter >= 0;
    }

    Lost and(Lost later) {
      boolean longer = later.settleAfter - settleAfter > 0;
      return new Lost(Math.max(tick, later.tick), longer ? later.settleAfter : settleAfter);
    }
  }

  /** Makes it for so many changes. */
  UnreplicatedWrites(int most) {
    this.most = most;
  }

  /** Whether there is nothing to ask for. */
  boolean isEmpty() {
    return !any;
  }

  /** How many changes have begun or ended. */
  long tick() {
    return ticks.get();
  }

  /** What a server has reached that lacks nothing which is no longer known here, by writers. */
  Map<Object, Position> floors() {
    return floors;
  }

  /** Of whose changes some are no longer known here, and nobody knows who else has them. */
  Set<Object> lostAt() {
    return lost.keySet();
  }

  /**
   * A change is about to be sent.
   *
   * @param deadline when it is over, if nobody says before that it is
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
   * Has no room for it any more: only who has surely got it may be read from. What a server took
   * that is used no more nobody may ever have.
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

  /** It was answered by this server, or given up; it may still happen before a time. */
  synchronized void end(UnreplicatedWrite change, Object writer, long settleAfter) {
    if (change.orphaned() && change.writer() == writer) {
      return; // nobody will ever tell who has it
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
      lose(change); // there was no room for it while it was under way
    }
  }

  /** It was answered later than anything should be, and may be forgotten already. */
  private void keepLate(UnreplicatedWrite change) {
    if (change.begun() <= renamed && !all.contains(change)) {
      change.spread();
    }
    keep(change);
  }

  /** It has certainly not left Stoa, and will not: there is nothing that anybody could lack. */
  synchronized void cancel(UnreplicatedWrite change) {
    underWay.remove(change.begun());
    remove(change);
  }

  /** Ends what is overdue: nobody will. It may still happen before a time. */
  synchronized void endOverdue(long now, long settleAfter) {
    while (!underWay.isEmpty() && underWay.firstEntry().getValue().overdue(now)) {
      UnreplicatedWrite overdue = underWay.firstEntry().getValue();
      end(overdue, overdue.writer(), settleAfter);
    }
  }

  /** It may be done at another server than the one for which it was begun. */
  synchronized void roams(UnreplicatedWrite change) {
    change.roam();
  }

  /**
   * A server is about to be asked for its position: all that was begun before has ended there.
   *
   * @param others whether what was to be done there may be done at the server
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
   * A server that writes has told its position.
   *
   * @param earliestUnderWay as it was for the server when it was asked
   * @param asked when that was
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
   * Forgets what everybody has.
   *
   * @param positions of all servers that are to have what is written at one
   */
  synchronized void forget(Function<Object, Collection<Position>> positions) {
    for (Object writer : nearby.all().writers()) {
      Collection<Position> there = positions.apply(writer);
      if (!there.isEmpty()) {
        forget(writer, there);
      }
    }
  }

  /** Whoever looks finds the change, or else what stands for it: one may return that lacks it. */
  private void forget(Object writer, Collection<Position> there) {
    List<UnreplicatedWrite> had =
        nearby.forget(writer, change -> there.stream().allMatch(change::isHadAt));
    for (int i = 0; i < had.size(); i++) {
      Position position = had.get(i).position();
      boolean last = i + 1 == had.size() || had.get(i + 1).source() != had.get(i).source();
      if (last && position != null) {
        raise(had.get(i).source(), position); // who has reached it has those before
      }
    }
    had.forEach(all::remove);
    reckon();
  }

  /**
   * Some naming contexts are no more: what was done there nobody can lack.
   *
   * @param writers where they were
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
   * A server is used no more: of what it took, and has not told since, nobody can say any longer
   * who has it.
   *
   * @param group those that followed it
   * @param there the positions of those of them that are left
   * @param until when what none of them has is waited for
   */
  synchronized void gone(Object server, Object group, Collection<Position> there, long until) {
    Stream.concat(List.copyOf(all).stream(), List.copyOf(underWay.values()).stream())
        .filter(change -> change.writer() == server)
        .forEach(change -> orphan(change, group, until));
    find(server);
    bequeath(server, group, there);
  }

  /** What nobody has who is left nobody will ever have: to ask for it would be in vain. */
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

  /** Its server will never tell any better. */
  private void settleForGuess(UnreplicatedWrite change) {
    Position guess = change.guess();
    if (guess != null && all.contains(change)) {
      nearby.remove(change);
      change.settle(nearby.all().after(change.writer(), guess));
      nearby.add(change);
    }
  }

  /**
   * Forgets what went with its server: nobody who is left has got it in time.
   *
   * @param positions of those that are left of the group of a server
   */
  synchronized void endOrphans(long now, Function<Object, Collection<Position>> positions) {
    while (!orphans.isEmpty() && orphans.element().isLost(now)) {
      UnreplicatedWrite lost = orphans.remove();
      if (positions.apply(lost.writer()).stream().noneMatch(lost::isHadAt)) {
        remove(lost);
      }
    }
  }

  /** What places are called has changed: the old ones cannot be compared any more. */
  synchronized void renamed() {
    renamed = ticks.get();
    all.forEach(UnreplicatedWrite::spread);
    nearby.spread();
  }

  /** The same while it was asked where one change happens. */
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
   * A session has been answered: it may have seen what was there then. What follows from other
   * entries may follow from any change.
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
   * Whether a read may be answered from a server.
   *
   * @param session {@link #ANYBODY} if it must show what anybody has done
   * @param harmless what may be lacking
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

  /** The entries whose changes concern a read, and are not known to be had by a server. */
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

  /** How many there are. */
  synchronized int size() {
    return all.size();
  }
}
