// SPDX-License-Identifier: Apache-2.0
package io.stoa.replication;

import io.stoa.ldap.csn.Position;
import io.stoa.replication.PrimaryTimeline.Sighting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How far each server has got. Lag is the time since a mark was first seen at a primary that the
 * server has not reached, by Stoa's own clock: marks hold times of other clocks, and say nothing
 * while nobody writes. Thread-safe.
 */
public final class Replication {
  private static final Logger LOG = LoggerFactory.getLogger(Replication.class);

  /** Whoever was behind has caught up when less than this part of the limit is left. */
  private static final int CAUGHT_UP_PART = 4;

  private final long maxLagNanos;
  private final LongSupplier clock;
  private final Map<Object, ReplicaState> servers = new ConcurrentHashMap<>();
  private final Map<Object, PrimaryTimeline> sightings = new HashMap<>();

  /** In which groups servers were that are used no more, as long as anything they took is known. */
  private final Map<Object, Object> departed = Collections.synchronizedMap(new WeakHashMap<>());

  private volatile long primaryAnswered;
  private volatile long moved;

  /**
   * Makes it for no servers.
   *
   * @param clock in the time of {@link System#nanoTime}
   */
  public Replication(ReplicationConfig config, LongSupplier clock) {
    this.maxLagNanos = config.maxLag().toNanos();
    this.clock = clock;
    this.moved = clock.getAsLong();
  }

  /**
   * What a server has told that concerns others. Immutable.
   *
   * @param nowhere naming contexts of which nobody who takes writes tells any more
   * @param ceased whether it does not tell any more, and nobody can say who has what it took
   */
  public record News(Set<String> nowhere, boolean ceased) {
    static final News NONE = new News(Set.of(), false);
  }

  /**
   * A server at one moment. Immutable.
   *
   * @param position as it has told it last; empty if it never has
   * @param lag how far it is behind
   * @param behind whether that is too far
   * @param uncovered reads that it was given although it may lack what they had to show
   */
  public record Status(String position, Duration lag, boolean behind, long uncovered) {
    /** Of a server of which nothing is known. */
    public static final Status UNKNOWN = new Status("", Duration.ZERO, false, 0);
  }

  /**
   * Makes a server known.
   *
   * @param server what it is known by from now on
   * @param group of servers that follow each other
   * @param name as it is logged
   * @param up whether it can be used now
   * @param writes whether writes go there now; null if it is no primary
   */
  public synchronized void add(
      Object server,
      Object group,
      String name,
      BooleanSupplier up,
      @Nullable BooleanSupplier writes) {
    long now = clock.getAsLong();
    ReplicaState known = new ReplicaState(group, name, up, writes, now);
    servers.put(server, known);
    appoint(group);
    hold(known, now);
  }

  /**
   * A server can be used from now on, or cannot: whoever comes back is to tell before it is read.
   */
  public synchronized void moved(Object server, boolean usable) {
    ReplicaState known = servers.get(server);
    if (known != null) {
      long now = clock.getAsLong();
      known.moved(usable, now);
      appoint(known.group);
      hold(known, now);
    }
  }

  /** Some time has passed, in which servers that were awaited may not have told. */
  public synchronized void pass() {
    long now = clock.getAsLong();
    servers.values().forEach(known -> hold(known, now));
  }

  /**
   * Of several primaries the one that takes the writes judges the others, as long as it can be
   * used; one that has come back, once it keeps up with whoever has done so meanwhile.
   */
  private void appoint(Object group) {
    List<ReplicaState> primaries = primaries(group);
    ReplicaState chief =
        ReplicaState.only(primaries, known -> known.chief && known.up.getAsBoolean());
    ReplicaState writer = ReplicaState.only(primaries, known -> known.preferred.getAsBoolean());
    if (writer != null && (chief == null || writer.keepsUp())) {
      primaries.forEach(known -> known.chief = known == writer);
    }
  }

  private void hold(ReplicaState known, long now) {
    if (known.hold(judged(known), now, maxLagNanos)) {
      LOG.warn("upstream {} is read from although it does not tell how far it has got", known.name);
    }
  }

  /** Whether anybody tells by whom a server can be judged. */
  private boolean judged(ReplicaState known) {
    return ReplicaState.only(primaries(known.group), ReplicaState::tells) != null;
  }

  /** A server is about to be asked for its position. */
  synchronized void asking(Object server, long now) {
    ReplicaState known = servers.get(server);
    if (known != null) {
      known.asking(now);
    }
  }

  /** A server is used no more. */
  synchronized void remove(Object server) {
    ReplicaState known = servers.remove(server);
    if (known != null) {
      departed.put(server, known.group);
      appoint(known.group);
    }
  }

  /** Those that are to have what is written at a server; null if it was never known. */
  @Nullable Object group(Object server) {
    ReplicaState known = servers.get(server);
    return known == null ? departed.get(server) : known.group;
  }

  /**
   * A server has been asked for its position.
   *
   * @param asked when it was
   * @param position empty if it did not tell
   * @param contexts that it has, and was asked for
   * @return what of that others are to hear of
   */
  public synchronized News told(
      Object server, long asked, Position position, Set<String> contexts) {
    ReplicaState known = servers.get(server);
    if (known == null) {
      return News.NONE;
    }
    long now = clock.getAsLong();
    Set<String> gone = known.givesUp(position, contexts, now, maxLagNanos);
    boolean less = !position.contexts().containsAll(known.position.contexts());
    if (position.isEmpty() || (less && gone.isEmpty())) {
      hides(known, now);
    } else {
      tells(known, asked, position, now);
    }
    Set<String> nowhere = gone.isEmpty() ? gone : gone(known, gone);
    known.answered(asked);
    boolean ceased = known.primary && !known.forsaken && lost(known, now);
    if (ceased) {
      LOG.warn(
          "upstream {} no longer tells how far it has got, nor who has its writes", known.name);
      known.forsake();
    }
    review(now);
    return new News(nowhere, ceased);
  }

  /** What no primary tells of any more nobody can lack. */
  private Set<String> gone(ReplicaState known, Set<String> contexts) {
    LOG.info("upstream {} no longer has the naming contexts {}", known.name, contexts);
    Set<String> nowhere = new HashSet<>(contexts);
    primaries(known.group).forEach(primary -> nowhere.removeAll(primary.position.contexts()));
    return nowhere;
  }

  private static void hides(ReplicaState known, long now) {
    if (known.tells() && !known.hides) {
      known.hidesSince = now;
      known.hides = true;
    }
  }

  private void tells(ReplicaState known, long asked, Position position, long now) {
    if (!position.equals(known.position)) {
      known.position = position;
      moved = now; // who looks again for that finds it
    }
    if (known.primary) {
      sightings(known.group).show(present(known), now, known.asked == 0 ? asked : known.asked);
      primaryAnswered = now;
    }
    known.asked = asked;
    known.hides = false;
    known.forsaken = false;
  }

  private void review(long now) {
    servers.values().forEach(known -> review(known, now));
    Set<Object> groups = new HashSet<>();
    servers.values().forEach(known -> groups.add(known.group));
    for (Object group : groups) {
      forget(group, now);
      appoint(group);
    }
  }

  /** Who has not told yet is one of those who may lack anything. */
  private void forget(Object group, long now) {
    List<Position> told = new ArrayList<>(servers.size());
    for (ReplicaState known : servers.values()) {
      if (known.group == group) {
        told.add(known.position);
      }
    }
    sightings(group).forget(told, now - maxLagNanos);
  }

  private PrimaryTimeline sightings(Object group) {
    return sightings.computeIfAbsent(group, none -> new PrimaryTimeline());
  }

  private void review(ReplicaState known, long now) {
    known.compares = known.comparesWith(servers.values());
    Sighting first = known.compares ? sightings(known.group).missing(known.position) : null;
    known.asOf = first == null ? primariesAsked(known) : first.notBefore();
    boolean heard = !known.unheard(now); // then it may have by now what was seen after that
    boolean misses = first != null && (!heard || first.seen() - known.asked <= 0);
    if (first != null && misses) {
      known.missingSince = first.seen();
    }
    known.lags = misses;
    judge(known, now);
    hold(known, now);
  }

  /** Who has all that the primaries had shown then is as new as they were. */
  private long primariesAsked(ReplicaState known) {
    ReplicaState first = null;
    for (ReplicaState primary : primaries(known.group)) {
      boolean tells = primary.up.getAsBoolean() && primary.tells();
      if (tells && (first == null || primary.asked - first.asked < 0)) {
        first = primary;
      }
    }
    return first == null ? known.asked : first.asked;
  }

  /** Too far behind until most of that is caught up; who no longer tells may be anywhere. */
  private void judge(ReplicaState known, long now) {
    long limit = known.behind ? maxLagNanos / CAUGHT_UP_PART : maxLagNanos;
    boolean lost = judged(known) && lost(known, now);
    boolean behind = !known.chief && (lost || known.lag(now) > limit);
    if (behind != known.behind) {
      known.behind = behind;
      log(known, lost, now);
    }
  }

  private boolean lost(ReplicaState known, long now) {
    long patience = known.seemsToHaveLess() ? 2 * maxLagNanos : maxLagNanos;
    return known.hides && now - known.hidesSince > patience;
  }

  private static void log(ReplicaState known, boolean lost, long now) {
    if (!known.behind && known.hides) {
      LOG.info(
          "upstream {} is read from again: nobody tells any more what it may lack", known.name);
    } else if (!known.behind) {
      LOG.info("upstream {} has caught up", known.name);
    } else if (lost) {
      LOG.warn("upstream {} gets no reads: it no longer tells how far it has got", known.name);
    } else {
      long millis = TimeUnit.NANOSECONDS.toMillis(known.lag(now));
      LOG.warn("upstream {} gets no reads: it is {} ms behind", known.name, millis);
    }
  }

  /** What all primaries of its group have shown last, together. */
  private Position present(ReplicaState known) {
    Position all = Position.NONE;
    for (ReplicaState primary : primaries(known.group)) {
      all = all.merge(primary.position);
    }
    return all;
  }

  private List<ReplicaState> primaries(Object group) {
    return ReplicaState.primaries(servers.values(), group);
  }

  /** Whether it can be said of a server whether it has what was written at another. */
  boolean comparable(Object server, Object writer) {
    ReplicaState known = servers.get(server);
    ReplicaState other = servers.get(writer);
    return known != null
        && other != null
        && known.group == other.group
        && known.compares
        && other.compares;
  }

  /**
   * Whether a server must have reached a position to have what was written at a source.
   *
   * @param source a server, or a group: the servers that were in it, and are used no more
   */
  boolean owes(Object server, Object source, Position position) {
    ReplicaState known = servers.get(server);
    if (known == null || known.group != source) {
      return comparable(server, source);
    }
    return known.position.comparableWith(position);
  }

  /** Whether a server is one of those that may have what is written at another. */
  boolean together(Object server, Object writer) {
    Object group = group(server);
    return group != null && group == group(writer);
  }

  /** Whether a server cannot be used, and so not be asked. */
  boolean isDown(Object server) {
    ReplicaState known = servers.get(server);
    return known != null && !known.up.getAsBoolean();
  }

  /** Whether it can be said of servers whether they have what is written at this one. */
  boolean compares(Object server) {
    ReplicaState known = servers.get(server);
    return known != null && known.compares;
  }

  /**
   * The position that a server has told last; empty if it never has, or says itself that it is
   * there no more. The primary that judges others is believed longer.
   */
  Position position(Object server) {
    ReplicaState known = servers.get(server);
    return known == null || (known.hides && !known.chief) ? Position.NONE : known.position;
  }

  /**
   * Those of all servers that can be compared with one, which may be used no more, and that can be
   * read from: for one that cannot, what all others have is not remembered one by one.
   */
  List<Position> positions(Object server) {
    Object group = group(server);
    return servers.values().stream()
        .filter(known -> known.group == group && known.compares)
        .filter(known -> known.up.getAsBoolean() && !known.behind && !known.held)
        .map(known -> known.position)
        .toList();
  }

  /** Those of all others of the group of a server. */
  List<Position> others(Object server) {
    Object group = group(server);
    return servers.entrySet().stream()
        .filter(one -> one.getValue().group == group && one.getKey() != server)
        .map(one -> one.getValue().position)
        .toList();
  }

  /** Whether a server is known to have all that another has, and more. */
  public boolean isAheadOf(Object server, Object other) {
    Position far = position(server);
    Position near = position(other);
    return together(server, other) && far.covers(near) && !near.covers(far);
  }

  /**
   * Whether a server is not to be read from: it is too far behind, or that is not known yet. It is
   * judged before it is let in.
   */
  public boolean behind(Object server) {
    ReplicaState known = servers.get(server);
    return known != null && !known.chief && (known.held || known.behind);
  }

  /** How much older what a server answers now may be than what a primary would, as far as known. */
  long behindNanos(Object server) {
    ReplicaState known = servers.get(server);
    if (known == null || known.chief || !known.tells()) {
      return 0;
    }
    ReplicaState alive = ReplicaState.only(primaries(known.group), one -> one.up.getAsBoolean());
    long now = alive != null ? clock.getAsLong() : primaryAnswered;
    return Math.max(0, now - known.asOf);
  }

  /** When any position has changed last. */
  public long moved() {
    return moved;
  }

  /** Whether any position has changed within a time, or a server lags or is awaited. */
  public boolean moving(Duration within) {
    return clock.getAsLong() - moved < within.toNanos()
        || servers.values().stream().anyMatch(known -> known.lags || known.held);
  }

  /** A server as it is now, and not in the midst of being judged by what it has told. */
  public synchronized Status status(Object server) {
    ReplicaState known = servers.get(server);
    return known == null
        ? Status.UNKNOWN
        : new Status(
            known.position.toString(),
            Duration.ofNanos(known.lag(clock.getAsLong())),
            known.behind,
            known.uncovered.sum());
  }

  /** A server is given a read although it may lack what that must show: no other is there. */
  public void uncovered(Object server) {
    ReplicaState known = servers.get(server);
    if (known != null) {
      known.uncovered.increment();
    }
  }
}
