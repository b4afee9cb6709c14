// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence;

import io.stoa.change.Position;
import io.stoa.ldap.Octets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The changes that went through Stoa and that some server may not have yet, and where they were
 * made. Thread-safe.
 */
final class RecentChanges {
  private final int most;
  private final Set<RecentChange> all = new LinkedHashSet<>();
  private final NavigableMap<Octets, Set<RecentChange>> places = new TreeMap<>();

  /** Those that concern more than one entry. */
  private final Set<RecentChange> broad = new LinkedHashSet<>();

  /** By when they were begun, in ticks. */
  private final NavigableMap<Long, RecentChange> underWay = new TreeMap<>();

  private final AtomicLong ticks = new AtomicLong();

  /** Who has not reached what each writer had may lack a change that is no longer known here. */
  private volatile Map<Object, Position> floors = Map.of();

  /** Of whose changes some are no longer known, and until when in ticks and time they happened. */
  private volatile Map<Object, Lost> lost = Map.of();

  private volatile boolean any;

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
  RecentChanges(int most) {
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

  /** Whether something is no longer known here, and nobody knows who has it. */
  boolean forgetful() {
    return !lost.isEmpty();
  }

  /**
   * A change is about to be sent.
   *
   * @param deadline when it is over, if nobody says before that it is
   */
  synchronized RecentChange begin(
      Object session, Object writer, Footprint footprint, long deadline) {
    RecentChange change =
        new RecentChange(session, writer, footprint, ticks.incrementAndGet(), deadline);
    underWay.put(change.begun(), change);
    keep(change);
    return change;
  }

  private void keep(RecentChange change) {
    if (all.add(change)) {
      index(change);
      any = true;
    }
    if (all.size() > most) {
      giveUp(all.iterator().next());
    }
  }

  private void index(RecentChange change) {
    Footprint footprint = change.footprint();
    Octets place = footprint.place();
    if (footprint.deep() || footprint.wide() || place == null) {
      broad.add(change);
    } else {
      places.computeIfAbsent(place, none -> new LinkedHashSet<>(2)).add(change);
    }
  }

  /** Has no room for it any more: only who has surely got it may be read from. */
  private void giveUp(RecentChange change) {
    Position position = change.position();
    if (position == null) {
      lose(change);
    } else if (!change.orphaned()) {
      raise(change.writer(), position);
    }
    remove(change);
  }

  private void lose(RecentChange change) {
    Map<Object, Lost> more = new HashMap<>(lost);
    more.merge(change.writer(), new Lost(ticks.get(), change.settleAfter()), Lost::and);
    lost = Map.copyOf(more);
  }

  private void find(Object server) {
    Map<Object, Lost> less = new HashMap<>(lost);
    less.remove(server);
    lost = Map.copyOf(less);
  }

  private void raise(Object writer, Position position) {
    Map<Object, Position> raised = new HashMap<>(floors);
    raised.merge(writer, position, Position::merge);
    floors = Map.copyOf(raised);
  }

  private void remove(RecentChange change) {
    all.remove(change);
    broad.remove(change);
    Octets place = change.footprint().place();
    Set<RecentChange> there = place == null ? null : places.get(place);
    if (there != null && there.remove(change) && there.isEmpty()) {
      places.remove(place);
    }
    any = !all.isEmpty();
  }

  /** It was answered by this server, or given up; it may still happen before a time. */
  synchronized void end(RecentChange change, Object writer, long settleAfter) {
    if (change.orphaned() && change.writer() == writer) {
      return; // nobody will ever tell who has it
    }
    change.end(writer, ticks.incrementAndGet(), settleAfter);
    if (underWay.remove(change.begun()) == null) {
      keep(change); // it was answered later than anything should be
    } else if (!all.contains(change)) {
      lose(change); // there was no room for it while it was under way
    }
  }

  /** It has certainly not left Stoa, and will not: there is nothing that anybody could lack. */
  synchronized void cancel(RecentChange change) {
    underWay.remove(change.begun());
    remove(change);
  }

  /** Ends what is overdue: nobody will. It may still happen before a time. */
  synchronized void endOverdue(long now, long settleAfter) {
    while (!underWay.isEmpty() && underWay.firstEntry().getValue().overdue(now)) {
      RecentChange overdue = underWay.firstEntry().getValue();
      end(overdue, overdue.writer(), settleAfter);
    }
  }

  /** It may be done at another server than the one for which it was begun. */
  synchronized void roams(RecentChange change) {
    change.roam();
  }

  /** A server is about to be asked for its position: all that was begun before has ended there. */
  synchronized long earliestUnderWay(Object server) {
    for (RecentChange change : underWay.values()) {
      if (change.mayBeAt(server)) {
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
    for (RecentChange change : all) {
      if (change.isIn(server, earliestUnderWay, asked)) {
        change.settle(position);
      }
    }
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
    for (RecentChange change : List.copyOf(all)) {
      Collection<Position> there = positions.apply(change.writer());
      if (!there.isEmpty() && there.stream().allMatch(change::isHadAt)) {
        giveUp(change);
      }
    }
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
   */
  synchronized void gone(Object server) {
    Stream.concat(List.copyOf(all).stream(), List.copyOf(underWay.values()).stream())
        .filter(change -> change.writer() == server)
        .forEach(this::orphan);
    find(server);
    Map<Object, Position> kept = new HashMap<>(floors);
    kept.remove(server);
    floors = Map.copyOf(kept);
  }

  private void orphan(RecentChange change) {
    change.orphan();
    underWay.remove(change.begun());
    if (change.position() == null) {
      remove(change);
    }
  }

  /** What places are called has changed: the old ones cannot be compared any more. */
  synchronized void renamed() {
    for (RecentChange change : all) {
      change.spread(Footprint.ANYWHERE);
    }
    places.clear();
    broad.addAll(all);
  }

  /** A session has been answered: it may have seen what was there then. */
  synchronized void seen(Object session, Footprint read) {
    for (RecentChange change : near(read)) {
      if (read.meets(change.footprint())) {
        change.seenBy(session);
      }
    }
  }

  /** Whether a read may be answered by one that has certain changes. */
  synchronized boolean allows(Object session, Footprint read, Predicate<RecentChange> has) {
    for (RecentChange change : near(read)) {
      if (change.concerns(session, read) && !has.test(change)) {
        return false;
      }
    }
    return true;
  }

  /** The same of a read that must show what anybody has done: whether a password is right. */
  synchronized boolean allowsAnybody(Footprint read, Predicate<RecentChange> has) {
    for (RecentChange change : near(read)) {
      if (read.meets(change.footprint()) && !has.test(change)) {
        return false;
      }
    }
    return true;
  }

  /** All that may concern a read. */
  private Iterable<RecentChange> near(Footprint read) {
    Octets place = read.place();
    if (place == null || read.wide()) {
      return all;
    }
    if (!read.deep()) {
      Set<RecentChange> there = places.getOrDefault(place, Set.of());
      return broad.isEmpty() ? there : together(List.of(there));
    }
    List<Set<RecentChange>> below = new ArrayList<>();
    for (Map.Entry<Octets, Set<RecentChange>> entry : places.tailMap(place, true).entrySet()) {
      if (!Footprint.begins(entry.getKey(), place)) {
        break;
      }
      below.add(entry.getValue());
    }
    return together(below);
  }

  private Iterable<RecentChange> together(List<Set<RecentChange>> sets) {
    List<RecentChange> together = new ArrayList<>(broad);
    sets.forEach(together::addAll);
    return together;
  }

  /** How many there are. */
  synchronized int size() {
    return all.size();
  }
}
