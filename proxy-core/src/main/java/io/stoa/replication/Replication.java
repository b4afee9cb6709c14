// SPDX-License-Identifier: Apache-2.0
package io.stoa.replication;

import io.stoa.ldap.csn.Position;
import io.stoa.replication.PrimaryTimeline.FirstSeen;
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
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The position and lag of each server.
 *
 * <p>Lag is the time since a primary first showed a mark that the server has not reached. Stoa's
 * own clock measures it. The timestamps in marks come from other clocks, and do not advance while
 * there are no writes.
 *
 * <p>Threading: thread-safe.
 */
public final class Replication {
  private static final Logger LOG = LoggerFactory.getLogger(Replication.class);

  /** A replica has caught up when its lag is below this fraction of the limit: 1/4. */
  private static final int CAUGHT_UP_PART = 4;

  private final long maxLagNanos;
  private final LongSupplier clock;
  private final Map<Object, ReplicaState> servers = new ConcurrentHashMap<>();
  private final Map<Object, PrimaryTimeline> timelines = new HashMap<>();

  /** Group of each removed server, while writes that it took are remembered. */
  private final Map<Object, Object> removedGroups =
      Collections.synchronizedMap(new WeakHashMap<>());

  private volatile long primaryAnswered;
  private volatile long lastMoveNanos;

  /**
   * Creates it without servers.
   *
   * @param clock time in nanoseconds, as of {@link System#nanoTime}
   */
  public Replication(ReplicationConfig config, LongSupplier clock) {
    this.maxLagNanos = config.maxLag().toNanos();
    this.clock = clock;
    this.lastMoveNanos = clock.getAsLong();
  }

  /**
   * Consequences of a report for the writes of other servers. Immutable.
   *
   * @param lostContexts naming contexts that no primary reports any more
   * @param stoppedReporting true if the server has stopped reporting positions, so that the servers
   *     that have its writes are unknown
   */
  public record PositionEffects(Set<String> lostContexts, boolean stoppedReporting) {
    static final PositionEffects NONE = new PositionEffects(Set.of(), false);
  }

  /**
   * A snapshot of one server. Immutable.
   *
   * @param position its last reported position; empty if there is none
   * @param lag time by which it is behind
   * @param behind true if the lag is above the limit
   * @param uncovered number of reads that it was given although it may lack required writes
   */
  public record Status(String position, Duration lag, boolean behind, long uncovered) {
    /** Status of a server that is not known. */
    public static final Status UNKNOWN = new Status("", Duration.ZERO, false, 0);
  }

  /**
   * Adds a server.
   *
   * @param server key of the server, compared by identity
   * @param group the servers that replicate from each other
   * @param name name for log lines
   * @param up true while the server is usable
   * @param writes true while writes go there; null if the server is not a primary
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
    chooseReference(group);
    hold(known, now);
  }

  /**
   * Called when a server becomes usable or unusable. A server that comes back must report its
   * position before it is read from.
   */
  public synchronized void onStateChange(Object server, boolean usable) {
    ReplicaState known = servers.get(server);
    if (known != null) {
      long now = clock.getAsLong();
      known.onStateChange(usable, now);
      chooseReference(known.group);
      hold(known, now);
    }
  }

  /** Updates the servers that are awaited, as time has passed. Called at intervals. */
  public synchronized void updateHolds() {
    long now = clock.getAsLong();
    servers.values().forEach(known -> hold(known, now));
  }

  /**
   * Chooses the reference primary of a group: the primary that takes the writes. The present
   * reference stays while it is up, until the new one keeps up with it.
   */
  private void chooseReference(Object group) {
    ReplicaState chief = primary(group, known -> known.reference && known.up.getAsBoolean());
    ReplicaState writer = primary(group, known -> known.preferred.getAsBoolean());
    if (writer != null && (chief == null || writer.isCaughtUp())) {
      primaries(group).forEach(known -> known.reference = known == writer);
    }
  }

  private void hold(ReplicaState known, long now) {
    if (known.updateHold(hasReferencePosition(known), now, maxLagNanos)) {
      LOG.warn(
          "upstream {} gets reads although it reports no position: it answers, but "
              + "has reported none within maxLag. Reads there may be stale",
          known.name);
    }
  }

  /** True if a primary of the group has reported a position to compare with. */
  private boolean hasReferencePosition(ReplicaState known) {
    return primary(known.group, ReplicaState::hasPosition) != null;
  }

  /** Called before a server is asked for its position. */
  synchronized void onRequest(Object server, long now) {
    ReplicaState known = servers.get(server);
    if (known != null) {
      known.onRequest(now);
    }
  }

  /** Removes a server. */
  synchronized void remove(Object server) {
    ReplicaState known = servers.remove(server);
    if (known != null) {
      removedGroups.put(server, known.group);
      chooseReference(known.group);
    }
  }

  /** Returns the replication group of a server, also if it was removed; null if it is unknown. */
  @Nullable Object group(Object server) {
    ReplicaState known = servers.get(server);
    return known == null ? removedGroups.get(server) : known.group;
  }

  /**
   * Called when a server has answered a request for its position.
   *
   * @param asked time of the request
   * @param position the reported position; empty if the answer has none
   * @param contexts the naming contexts that the server holds, and was asked for
   * @return consequences for the writes of other servers
   */
  public synchronized PositionEffects onPosition(
      Object server, long asked, Position position, Set<String> contexts) {
    ReplicaState known = servers.get(server);
    if (known == null) {
      return PositionEffects.NONE;
    }
    long now = clock.getAsLong();
    Set<String> gone = known.takeLostContexts(position, contexts, now, maxLagNanos);
    boolean less = !position.contexts().containsAll(known.position.contexts());
    if (position.isEmpty() || (less && gone.isEmpty())) {
      known.hide(now);
    } else {
      accept(known, asked, position, now);
    }
    Set<String> nowhere = gone.isEmpty() ? gone : unreportedContexts(known, gone);
    known.onAnswer(asked);
    boolean ceased =
        known.primary && !known.writesDropped && known.hasStoppedReporting(now, maxLagNanos);
    if (ceased) {
      LOG.warn(
          "upstream {} has stopped reporting its position: writes that it took are no "
              + "longer tracked. Check that the service account may read its CSNs",
          known.name);
      known.dropWrites();
    }
    review(now);
    return new PositionEffects(nowhere, ceased);
  }

  /**
   * Returns the naming contexts that no primary reports any more: no server can lack writes there.
   */
  private Set<String> unreportedContexts(ReplicaState known, Set<String> contexts) {
    LOG.info(
        "upstream {} no longer holds the naming contexts {}: their writes are no "
            + "longer tracked for it",
        known.name,
        contexts);
    Set<String> nowhere = new HashSet<>(contexts);
    primaries(known.group).forEach(primary -> nowhere.removeAll(primary.position.contexts()));
    return nowhere;
  }

  private void accept(ReplicaState known, long asked, Position position, long now) {
    if (!position.equals(known.position)) {
      known.position = position;
      lastMoveNanos = now; // after the position, so that a thread that sees this time finds it
    }
    if (known.primary) {
      timeline(known.group)
          .observe(primaryPosition(known), now, known.asked == 0 ? asked : known.asked);
      primaryAnswered = now;
    }
    known.asked = asked;
    known.reveal();
    known.writesDropped = false;
  }

  private void review(long now) {
    servers.values().forEach(known -> review(known, now));
    Set<Object> groups = new HashSet<>();
    servers.values().forEach(known -> groups.add(known.group));
    for (Object group : groups) {
      forget(group, now);
      chooseReference(group);
    }
  }

  /**
   * Drops marks that all servers of a group have. A server without a report may lack any of them.
   */
  private void forget(Object group, long now) {
    List<Position> told = new ArrayList<>(servers.size());
    for (ReplicaState known : servers.values()) {
      if (known.group == group) {
        told.add(known.position);
      }
    }
    timeline(group).forget(told, now - maxLagNanos);
  }

  private PrimaryTimeline timeline(Object group) {
    return timelines.computeIfAbsent(group, none -> new PrimaryTimeline());
  }

  private void review(ReplicaState known, long now) {
    known.comparable =
        hasReferencePosition(known) && primary(known.group, known::isUncomparableWith) == null;
    FirstSeen first = known.comparable ? timeline(known.group).firstMissing(known.position) : null;
    known.asOf = first == null ? primariesAskedAt(known) : first.notBefore();
    boolean heard = !known.isUnanswered(now); // such a server may have received later marks by now
    boolean misses = first != null && (!heard || first.seen() - known.asked <= 0);
    if (first != null && misses) {
      known.missingSince = first.seen();
    }
    known.lags = misses;
    updateBehind(known, now);
    hold(known, now);
  }

  /** Returns the time up to which a server with all known marks is as new as the primaries. */
  private long primariesAskedAt(ReplicaState known) {
    return primaries(known.group).stream()
        .filter(primary -> primary.up.getAsBoolean() && primary.hasPosition())
        .mapToLong(primary -> primary.asked)
        .reduce((one, other) -> one - other < 0 ? one : other)
        .orElse(known.asked);
  }

  /**
   * Judges a server. A server that was behind stays so until its lag is below a quarter of the
   * limit. A server that no longer reports its position is behind.
   */
  private void updateBehind(ReplicaState known, long now) {
    long limit = known.behind ? maxLagNanos / CAUGHT_UP_PART : maxLagNanos;
    boolean lost = hasReferencePosition(known) && known.hasStoppedReporting(now, maxLagNanos);
    boolean behind = !known.reference && (lost || known.lag(now) > limit);
    if (behind != known.behind) {
      known.behind = behind;
      log(known, lost, now);
    }
  }

  private static void log(ReplicaState known, boolean lost, long now) {
    if (!known.behind && known.hidesPosition()) {
      LOG.info(
          "upstream {} gets reads again: no primary reports a position to compare "
              + "with, so its lag is unknown",
          known.name);
    } else if (!known.behind) {
      LOG.info("upstream {} has caught up", known.name);
    } else if (lost) {
      LOG.warn(
          "upstream {} gets no reads: it has stopped reporting its position, so its "
              + "lag is unknown",
          known.name);
    } else {
      long millis = TimeUnit.NANOSECONDS.toMillis(known.lag(now));
      LOG.warn(
          "upstream {} gets no reads: it lags {} ms behind the primary (limit maxLag)",
          known.name,
          millis);
    }
  }

  /** Returns the last positions of all primaries of its group, merged. */
  private Position primaryPosition(ReplicaState known) {
    Position all = Position.NONE;
    for (ReplicaState primary : primaries(known.group)) {
      all = all.merge(primary.position);
    }
    return all;
  }

  /** Returns the primaries of a group. Runs at each report, so it avoids the cost of a stream. */
  private List<ReplicaState> primaries(Object group) {
    List<ReplicaState> primaries = new ArrayList<>(servers.size());
    for (ReplicaState known : servers.values()) {
      if (known.primary && known.group == group) {
        primaries.add(known);
      }
    }
    return primaries;
  }

  /** Returns the first primary of a group that passes a test; null if none does. */
  private @Nullable ReplicaState primary(Object group, Predicate<ReplicaState> test) {
    return primaries(group).stream().filter(test).findFirst().orElse(null);
  }

  /** True if positions can show whether a server has what was written at another. */
  boolean isComparable(Object server, Object writer) {
    ReplicaState known = servers.get(server);
    ReplicaState other = servers.get(writer);
    return known != null
        && other != null
        && known.group == other.group
        && known.comparable
        && other.comparable;
  }

  /**
   * True if a server must have reached a position to have what was written at a source.
   *
   * @param source a server, or a group, which stands for its removed servers
   */
  boolean mustReach(Object server, Object source, Position position) {
    ReplicaState known = servers.get(server);
    if (known == null || known.group != source) {
      return isComparable(server, source);
    }
    return known.position.comparableWith(position);
  }

  /** True if two servers are in the same replication group. */
  boolean isSameGroup(Object server, Object writer) {
    Object group = group(server);
    return group != null && group == group(writer);
  }

  /** True if a server is down, so that it cannot be asked. */
  boolean isDown(Object server) {
    ReplicaState known = servers.get(server);
    return known != null && !known.up.getAsBoolean();
  }

  /** True if positions can show which servers have the writes of this one. */
  boolean hasComparablePosition(Object server) {
    ReplicaState known = servers.get(server);
    return known != null && known.comparable;
  }

  /**
   * Returns the last reported position of a server. Empty if it has never reported one, or no
   * longer reports it. For the reference primary, the last position holds longer.
   */
  Position position(Object server) {
    ReplicaState known = servers.get(server);
    return known == null || (known.hidesPosition() && !known.reference)
        ? Position.NONE
        : known.position;
  }

  /**
   * Returns the comparable positions of the group of a server, which may be removed. Servers that
   * get no reads are left out, so that writes are not remembered one by one for them.
   */
  List<Position> positions(Object server) {
    Object group = group(server);
    return servers.values().stream()
        .filter(known -> known.group == group && known.comparable)
        .filter(known -> known.up.getAsBoolean() && !known.behind && !known.held)
        .map(known -> known.position)
        .toList();
  }

  /** Returns the positions of all other servers of the group. */
  List<Position> otherPositions(Object server) {
    Object group = group(server);
    return servers.entrySet().stream()
        .filter(one -> one.getValue().group == group && one.getKey() != server)
        .map(one -> one.getValue().position)
        .toList();
  }

  /** True if a server has all that another has, and more, according to their positions. */
  public boolean isAheadOf(Object server, Object other) {
    Position far = position(server);
    Position near = position(other);
    return isSameGroup(server, other) && far.covers(near) && !near.covers(far);
  }

  /**
   * True if a server gets no reads: its lag is above the limit, or it is awaited and not known yet.
   */
  public boolean isBehind(Object server) {
    ReplicaState known = servers.get(server);
    return known != null && !known.reference && (known.held || known.behind);
  }

  /** Returns the known age of a server's state relative to a primary, in nanoseconds. */
  long stalenessNanos(Object server) {
    ReplicaState known = servers.get(server);
    if (known == null || known.reference || !known.hasPosition()) {
      return 0;
    }
    ReplicaState alive = primary(known.group, one -> one.up.getAsBoolean());
    long now = alive != null ? clock.getAsLong() : primaryAnswered;
    return Math.max(0, now - known.asOf);
  }

  /** Returns the time of the last change of any position. */
  public long lastMoveNanos() {
    return lastMoveNanos;
  }

  /** True if a position has changed within a time, or a server lags or is awaited. */
  public boolean hasRecentMoves(Duration within) {
    return clock.getAsLong() - lastMoveNanos < within.toNanos()
        || servers.values().stream().anyMatch(known -> known.lags || known.held);
  }

  /** Returns a consistent snapshot of a server, never one in the middle of a report. */
  public synchronized Status status(Object server) {
    ReplicaState known = servers.get(server);
    return known == null
        ? Status.UNKNOWN
        : new Status(
            known.position.toString(),
            Duration.ofNanos(known.lag(clock.getAsLong())),
            known.behind,
            known.uncoveredReads.sum());
  }

  /** Counts a read that a server gets although it may lack required writes, for lack of another. */
  public void countUncovered(Object server) {
    ReplicaState known = servers.get(server);
    if (known != null) {
      known.uncoveredReads.increment();
    }
  }
}
