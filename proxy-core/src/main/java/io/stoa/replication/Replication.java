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
    this.primaryAnswered = lastMoveNanos;
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
    ReplicaState replica = new ReplicaState(group, name, up, writes, now);
    servers.put(server, replica);
    chooseReference(group);
    hold(replica, now);
  }

  /**
   * Called when a server becomes usable or unusable. A server that comes back must report its
   * position before it is read from.
   */
  public synchronized void onStateChange(Object server, boolean usable) {
    ReplicaState replica = servers.get(server);
    if (replica != null) {
      long now = clock.getAsLong();
      replica.onStateChange(usable, now);
      chooseReference(replica.group);
      hold(replica, now);
    }
  }

  /** Updates the servers that are awaited, as time has passed. Called at intervals. */
  public synchronized void updateHolds() {
    long now = clock.getAsLong();
    servers.values().forEach(replica -> hold(replica, now));
  }

  /**
   * Chooses the reference primary of a group: the primary that takes the writes. The present
   * reference stays while it is up, until the new one keeps up with it.
   */
  private void chooseReference(Object group) {
    ReplicaState reference =
        primary(group, replica -> replica.reference && replica.up.getAsBoolean());
    ReplicaState writer = primary(group, replica -> replica.preferred.getAsBoolean());
    if (writer != null && (reference == null || writer.isCaughtUp())) {
      primaries(group).forEach(replica -> replica.reference = replica == writer);
    }
  }

  private void hold(ReplicaState replica, long now) {
    if (replica.updateHold(hasReferencePosition(replica), now, maxLagNanos)) {
      LOG.warn(
          "upstream {} gets reads although it reports no position: it answers, but "
              + "has reported none within maxLag. Reads there may be stale",
          replica.name);
    }
  }

  /** True if a primary of the group has reported a position to compare with. */
  private boolean hasReferencePosition(ReplicaState replica) {
    return primary(replica.group, ReplicaState::hasPosition) != null;
  }

  /** Called before a server is asked for its position. */
  synchronized void onRequest(Object server, long now) {
    ReplicaState replica = servers.get(server);
    if (replica != null) {
      replica.onRequest(now);
    }
  }

  /** Removes a server. */
  synchronized void remove(Object server) {
    ReplicaState replica = servers.remove(server);
    if (replica != null) {
      removedGroups.put(server, replica.group);
      chooseReference(replica.group);
    }
  }

  /** Returns the replication group of a server, also if it was removed; null if it is unknown. */
  @Nullable Object group(Object server) {
    ReplicaState replica = servers.get(server);
    return replica == null ? removedGroups.get(server) : replica.group;
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
    ReplicaState replica = servers.get(server);
    if (replica == null) {
      return PositionEffects.NONE;
    }
    long now = clock.getAsLong();
    Set<String> lostContexts = replica.takeLostContexts(position, contexts, now, maxLagNanos);
    boolean lacksContexts = !position.contexts().containsAll(replica.position.contexts());
    if (position.isEmpty() || (lacksContexts && lostContexts.isEmpty())) {
      replica.hide(now);
    } else {
      accept(replica, asked, position, now);
    }
    Set<String> unreported =
        lostContexts.isEmpty() ? lostContexts : unreportedContexts(replica, lostContexts);
    boolean stoppedReporting =
        replica.primary && !replica.writesDropped && replica.hasStoppedReporting(now, maxLagNanos);
    if (stoppedReporting) {
      LOG.warn(
          "upstream {} has stopped reporting its position: writes that it took are no "
              + "longer tracked. Check that the service account may read its CSNs",
          replica.name);
      replica.dropWrites();
    }
    replica.onAnswer(asked);
    review(now);
    return new PositionEffects(unreported, stoppedReporting);
  }

  /**
   * Returns the naming contexts that no primary reports any more: no server can lack writes there.
   */
  private Set<String> unreportedContexts(ReplicaState replica, Set<String> contexts) {
    LOG.info(
        "upstream {} no longer holds the naming contexts {}: their writes are no "
            + "longer tracked for it",
        replica.name,
        contexts);
    Set<String> unreported = new HashSet<>(contexts);
    primaries(replica.group).forEach(primary -> unreported.removeAll(primary.position.contexts()));
    return unreported;
  }

  private void accept(ReplicaState replica, long asked, Position position, long now) {
    if (!position.equals(replica.position)) {
      replica.position = position;
      lastMoveNanos = now; // after the position, so that a thread that sees this time finds it
    }
    if (replica.primary) {
      timeline(replica.group)
          .observe(primaryPosition(replica), now, replica.asked == 0 ? asked : replica.asked);
      primaryAnswered = now;
    }
    replica.asked = asked;
    replica.reveal();
    replica.writesDropped = false;
  }

  private void review(long now) {
    servers.values().forEach(replica -> review(replica, now));
    Set<Object> groups = new HashSet<>();
    servers.values().forEach(replica -> groups.add(replica.group));
    for (Object group : groups) {
      forget(group, now);
      chooseReference(group);
    }
  }

  /**
   * Drops marks that all servers of a group have. A server without a report may lack any of them.
   */
  private void forget(Object group, long now) {
    List<Position> positions = new ArrayList<>(servers.size());
    for (ReplicaState replica : servers.values()) {
      if (replica.group == group) {
        positions.add(replica.position);
      }
    }
    timeline(group).forget(positions, now - maxLagNanos);
  }

  private PrimaryTimeline timeline(Object group) {
    return timelines.computeIfAbsent(group, none -> new PrimaryTimeline());
  }

  private void review(ReplicaState replica, long now) {
    replica.comparable =
        hasReferencePosition(replica)
            && primary(replica.group, replica::isUncomparableWith) == null;
    FirstSeen first =
        replica.comparable ? timeline(replica.group).firstMissing(replica.position) : null;
    replica.asOf = first == null ? primariesAskedAt(replica) : first.notBefore();
    boolean isAnswering =
        !replica.isUnanswered(now); // such a server may have received later marks by now
    boolean misses = first != null && (!isAnswering || first.seen() - replica.asked <= 0);
    if (first != null && misses) {
      replica.missingSince = first.seen();
    }
    replica.lags = misses;
    updateBehind(replica, now);
    hold(replica, now);
  }

  /** Returns the time up to which a server with all known marks is as new as the primaries. */
  private long primariesAskedAt(ReplicaState replica) {
    return primaries(replica.group).stream()
        .filter(primary -> primary.up.getAsBoolean() && primary.hasPosition())
        .mapToLong(primary -> primary.asked)
        .reduce((one, other) -> one - other < 0 ? one : other)
        .orElse(replica.asked);
  }

  /**
   * Judges a server. A server that was behind stays so until its lag is below a quarter of the
   * limit. A server that no longer reports its position is behind.
   */
  private void updateBehind(ReplicaState replica, long now) {
    long limit = replica.behind ? maxLagNanos / CAUGHT_UP_PART : maxLagNanos;
    boolean lost = hasReferencePosition(replica) && replica.hasStoppedReporting(now, maxLagNanos);
    boolean behind = !replica.reference && (lost || replica.lag(now) > limit);
    if (behind != replica.behind) {
      replica.behind = behind;
      log(replica, lost, now);
    }
  }

  private static void log(ReplicaState replica, boolean lost, long now) {
    if (!replica.behind && replica.hidesPosition()) {
      LOG.info(
          "upstream {} gets reads again: no primary reports a position to compare "
              + "with, so its lag is unknown",
          replica.name);
    } else if (!replica.behind) {
      LOG.info("upstream {} has caught up", replica.name);
    } else if (lost) {
      LOG.warn(
          "upstream {} gets no reads: it has stopped reporting its position, so its "
              + "lag is unknown",
          replica.name);
    } else {
      long millis = TimeUnit.NANOSECONDS.toMillis(replica.lag(now));
      LOG.warn(
          "upstream {} gets no reads: it lags {} ms behind the primary (limit maxLag)",
          replica.name,
          millis);
    }
  }

  /** Returns the last positions of all primaries of its group, merged. */
  private Position primaryPosition(ReplicaState replica) {
    Position all = Position.NONE;
    for (ReplicaState primary : primaries(replica.group)) {
      all = all.merge(primary.position);
    }
    return all;
  }

  /** Returns the primaries of a group. Runs at each report, so it avoids the cost of a stream. */
  private List<ReplicaState> primaries(Object group) {
    List<ReplicaState> primaries = new ArrayList<>(servers.size());
    for (ReplicaState replica : servers.values()) {
      if (replica.primary && replica.group == group) {
        primaries.add(replica);
      }
    }
    return primaries;
  }

  /** Returns the first primary of a group that passes a test; null if none does. */
  private @Nullable ReplicaState primary(Object group, Predicate<ReplicaState> condition) {
    return primaries(group).stream().filter(condition).findFirst().orElse(null);
  }

  /** True if positions can show whether a server has what was written at another. */
  boolean isComparable(Object server, Object writer) {
    ReplicaState replica = servers.get(server);
    ReplicaState other = servers.get(writer);
    return replica != null
        && other != null
        && replica.group == other.group
        && replica.comparable
        && other.comparable;
  }

  /**
   * True if a server must have reached a position to have what was written at a source.
   *
   * @param source a server, or a group, which stands for its removed servers
   */
  boolean mustReach(Object server, Object source, Position position) {
    ReplicaState replica = servers.get(server);
    if (replica == null || replica.group != source) {
      return isComparable(server, source);
    }
    return replica.position.comparableWith(position);
  }

  /** True if two servers are in the same replication group. */
  boolean isSameGroup(Object server, Object writer) {
    Object group = group(server);
    return group != null && group == group(writer);
  }

  /** True if a server is down, so that it cannot be asked. */
  boolean isDown(Object server) {
    ReplicaState replica = servers.get(server);
    return replica != null && !replica.up.getAsBoolean();
  }

  /** True if positions can show which servers have the writes of this one. */
  boolean hasComparablePosition(Object server) {
    ReplicaState replica = servers.get(server);
    return replica != null && replica.comparable;
  }

  /**
   * Returns the last reported position of a server. Empty if it has never reported one, or no
   * longer reports it. For the reference primary, the last position holds longer.
   */
  Position position(Object server) {
    ReplicaState replica = servers.get(server);
    return replica == null || (replica.hidesPosition() && !replica.reference)
        ? Position.NONE
        : replica.position;
  }

  /**
   * Returns the comparable positions of the group of a server, which may be removed. Servers that
   * get no reads are left out, so that writes are not remembered one by one for them.
   */
  List<Position> positions(Object server) {
    Object group = group(server);
    return servers.values().stream()
        .filter(replica -> replica.group == group && replica.comparable)
        .filter(replica -> replica.up.getAsBoolean() && !replica.behind && !replica.held)
        .map(replica -> replica.position)
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
    Position position = position(server);
    Position otherPosition = position(other);
    return isSameGroup(server, other)
        && position.covers(otherPosition)
        && !otherPosition.covers(position);
  }

  /**
   * True if a server gets no reads: its lag is above the limit, or it is awaited and not known yet.
   */
  public boolean isBehind(Object server) {
    ReplicaState replica = servers.get(server);
    return replica != null && !replica.reference && (replica.held || replica.behind);
  }

  /** Returns the known age of a server's state relative to a primary, in nanoseconds. */
  long stalenessNanos(Object server) {
    ReplicaState replica = servers.get(server);
    if (replica == null || replica.reference || !replica.hasPosition()) {
      return 0;
    }
    ReplicaState livePrimary = primary(replica.group, one -> one.up.getAsBoolean());
    long now = livePrimary != null ? clock.getAsLong() : primaryAnswered;
    return Math.max(0, now - replica.asOf);
  }

  /** Returns the time of the last change of any position. */
  public long lastMoveNanos() {
    return lastMoveNanos;
  }

  /** True if a position has changed within a time, or a server lags or is awaited. */
  public boolean hasRecentMoves(Duration within) {
    return clock.getAsLong() - lastMoveNanos < within.toNanos()
        || servers.values().stream().anyMatch(replica -> replica.lags || replica.held);
  }

  /** Returns a consistent snapshot of a server, never one in the middle of a report. */
  public synchronized Status status(Object server) {
    ReplicaState replica = servers.get(server);
    return replica == null
        ? Status.UNKNOWN
        : new Status(
            replica.position.toString(),
            Duration.ofNanos(replica.lag(clock.getAsLong())),
            replica.behind,
            replica.uncoveredReads.sum());
  }

  /** Counts a read that a server gets although it may lack required writes, for lack of another. */
  public void countUncovered(Object server) {
    ReplicaState replica = servers.get(server);
    if (replica != null) {
      replica.uncoveredReads.increment();
    }
  }
}
