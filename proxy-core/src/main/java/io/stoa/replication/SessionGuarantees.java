// SPDX-License-Identifier: Apache-2.0
package io.stoa.replication;

import io.stoa.ldap.csn.Position;
import io.stoa.ldap.filter.FilterAttributes;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.RequestOp;
import io.stoa.ldap.protocol.RequestOp.BindOp;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Operation;
import io.stoa.operation.ReadSource;
import io.stoa.operation.Restriction;
import io.stoa.replication.Replication.PositionEffects;
import io.stoa.replication.ReplicationConfig.SessionScope;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The guarantees of a session while replicas lag: read-your-writes and monotonic reads (Terry et
 * al., 1994).
 *
 * <p><b>Problem.</b> Reads are spread over replicas. A client that has written at the primary must
 * not read an older state at a replica, nor step back in time between two replicas.
 *
 * <p><b>Rule.</b> Each write is remembered from the moment before it is sent until every server has
 * it, together with the entries that it may concern. A server may answer a read if it took these
 * writes itself, or has a position that covers them.
 *
 * <p><b>Invariants.</b>
 *
 * <ol>
 *   <li>A write counts as soon as it may have taken effect, which is before its answer ({@link
 *       #begin}). A write of unknown outcome counts until it can no longer happen.
 *   <li>A session that has read an entry counts as having seen the last write that may concern it,
 *       and all that began before. Later reads need a server that has these, too.
 *   <li>A server that reports no position is eligible only for reads that no unreplicated write
 *       concerns.
 *   <li>When a server is removed, its writes are waited for only as long as another one may still
 *       receive them.
 * </ol>
 *
 * <p><b>Bounds.</b> Beyond a bound, fewer servers are eligible.
 *
 * <ul>
 *   <li>10,000 writes are remembered. Of one more, the oldest is evicted. If its position is known,
 *       only servers that have reached the position get reads. Otherwise it concerns each read, and
 *       a server needs a later position of its writer. A write of a removed writer is forgotten.
 *   <li>64 writes are examined for the last one that a session may have seen. With more of them
 *       near a read, the session counts as having seen all writes so far.
 *   <li>512 writes that a server lacks are examined for a read. A server that lacks more near the
 *       read does not get it.
 *   <li>10,000 sessions have their own watermark. Of one more, the lower half of the watermarks is
 *       evicted. The highest of these then holds for all sessions.
 * </ul>
 *
 * <p><b>Without it</b> sessions read what they wrote before, or older states: the mutants {@code
 * NO_SESSIONS}, {@code NO_SEEN_WRITES} and {@code NO_PENDING}.
 *
 * <p>Threading: thread-safe; {@link UnreplicatedWrites} has one lock.
 */
public final class SessionGuarantees {
  private static final int MAX_CHANGES = 10_000;
  private static final Object ALL_CLIENTS = new Object();

  private final SessionScope scope;
  private final Supplier<Duration> pause;
  private final Supplier<Duration> maxInFlight;
  private final long lagNanos;
  private final Supplier<ServerProfile> profile;
  private final LongSupplier clock;
  private final Replication replication;
  private final UnreplicatedWrites changes = new UnreplicatedWrites(MAX_CHANGES);
  private final WaitingChanges waitingChanges = new WaitingChanges(this);
  private final Map<Object, Runnable> positionRequesters = new ConcurrentHashMap<>();
  private volatile Derived derived = Derived.of(ServerProfile.EXACT);

  /**
   * Creates it without servers.
   *
   * @param pause time for which a write of unknown outcome may still take effect
   * @param maxInFlight maximum time for which a write may be in flight
   * @param profile schema by which names of entries are compared
   * @param clock time in nanoseconds, as of {@link System#nanoTime}
   */
  public SessionGuarantees(
      ReplicationConfig config,
      Supplier<Duration> pause,
      Supplier<Duration> maxInFlight,
      Supplier<ServerProfile> profile,
      LongSupplier clock) {
    this.scope = config.session();
    this.pause = pause;
    this.maxInFlight = maxInFlight;
    this.lagNanos = config.maxLag().toNanos();
    this.profile = profile;
    this.clock = clock;
    this.replication = new Replication(config, clock);
  }

  /** Returns the writes that wait in Stoa and are not sent yet. */
  public WaitingChanges waiting() {
    return waitingChanges;
  }

  ServerProfile profile() {
    return profile.get();
  }

  /** Returns the positions and lag of the servers. */
  public Replication replication() {
    return replication;
  }

  /** Attributes that a directory derives from other entries. Immutable. */
  private record Derived(ServerProfile profile, Set<Octets> keys) {
    static Derived of(ServerProfile profile) {
      return new Derived(profile, Footprint.derived(profile));
    }
  }

  /**
   * A request for a server's position. Immutable.
   *
   * @param askedNanos time of the request
   * @param earliestInFlight tick before which no write was in flight at the server
   */
  public record PositionRequest(Object server, long askedNanos, long earliestInFlight) {}

  /** Called before a server is asked for its position. */
  public PositionRequest startRequest(Object server) {
    long now = clock.getAsLong();
    changes.endOverdue(now, now + pause.get().toNanos());
    changes.dropUnreceived(now, replication::otherPositions);
    replication.onRequest(server, now);
    Predicate<Object> others = writer -> replication.isSameGroup(server, writer);
    return new PositionRequest(server, now, changes.earliestInFlight(server, others));
  }

  /**
   * Called when a server has answered. A position with fewer contexts than before settles no write,
   * until the server is taken to have lost these contexts.
   *
   * @param position the reported position; empty if the answer has none
   * @param contexts the naming contexts that the server holds, and was asked for
   * @return true if the server has reported all that it is expected to
   */
  public boolean onPosition(PositionRequest request, Position position, Set<String> contexts) {
    Object server = request.server();
    PositionEffects effects =
        replication.onPosition(server, request.askedNanos(), position, contexts);
    if (!effects.lostContexts().isEmpty()) {
      changes.removeContexts(
          effects.lostContexts(), writer -> replication.isSameGroup(server, writer));
    }
    if (effects.stoppedReporting()) {
      dropWrites(server);
    }
    boolean whole = position.equals(replication.position(server));
    if (whole && !position.isEmpty()) {
      changes.onPosition(
          request.server(), position, request.earliestInFlight(), request.askedNanos());
      changes.forget(replication::positions);
    }
    return whole;
  }

  /** Called when a server is removed. Writes that only it could report are dropped. */
  public void onServerRemoved(Object server) {
    positionRequesters.remove(server);
    replication.remove(server); // first, so that no further write begins there
    dropWrites(server);
  }

  private void dropWrites(Object server) {
    Object group = replication.group(server);
    if (group != null) {
      long until = clock.getAsLong() + lagNanos;
      changes.onWriterRemoved(server, group, replication.otherPositions(server), until);
    }
  }

  /**
   * Sets the task that asks a server for its position soon after it has answered a write.
   *
   * @param requester a task that does not block
   */
  public void setPositionRequester(Object server, Runnable requester) {
    positionRequesters.put(server, requester);
  }

  /** Asks a server for its position as soon as possible. */
  public void requestPosition(Object server) {
    Runnable requester = positionRequesters.get(server);
    if (requester != null) {
      requester.run();
    }
  }

  /** True if writes are remembered that a server may lack. */
  public boolean hasUnreplicatedWrites() {
    return !changes.isEmpty();
  }

  /** Returns the number of writes that a server may lack. */
  public int unreplicatedWrites() {
    return changes.size();
  }

  /**
   * Remembers a write that is about to be sent.
   *
   * @param owner name of the user whose password a request without a target changes; null for other
   *     requests, or if the user is not known
   * @param writer the server that it is sent to
   * @return the write; null if positions cannot show which servers have it
   */
  public @Nullable UnreplicatedWrite begin(
      Operation operation, Request request, byte @Nullable [] owner, Object writer) {
    ServerProfile serverProfile = profile.get();
    boolean isOwnerKnown = owner != null && Footprint.place(owner, serverProfile) != null;
    byte[] name = isOwnerKnown ? owner : request.op().target();
    boolean isComparable = replication.hasComparablePosition(writer);
    if (!isComparable || !PositionScope.covers(replication.position(writer), name, serverProfile)) {
      return null;
    }
    Footprint footprint = Footprint.written(request.op(), owner, serverProfile);
    long now = clock.getAsLong();
    long deadline = now + maxInFlight.get().toNanos();
    UnreplicatedWrite change = changes.begin(session(operation), writer, footprint, now, deadline);
    if (!replication.hasComparablePosition(writer)) {
      changes.cancel(change); // removed meanwhile, so no call would end the write
      return null;
    }
    if (operation.session().restriction() != Restriction.NONE) {
      changes.markElsewhere(change); // its client may have a connection to another server
    }
    return change;
  }

  /** Marks a write that may take effect at another server than the one for which it began. */
  public void markElsewhere(UnreplicatedWrite change) {
    changes.markElsewhere(change);
  }

  /**
   * Ends a write that was answered by this server, or will not be answered.
   *
   * @param isOutcomeKnown true if its outcome is known
   */
  public void end(UnreplicatedWrite change, Object writer, boolean isOutcomeKnown) {
    long now = clock.getAsLong();
    if (isOutcomeKnown) {
      changes.onAnswer(
          change.owner(),
          change.footprint().entryOnly()); // the result tells of other writes to the entry
    }
    changes.end(
        change,
        writer,
        now + (isOutcomeKnown ? UnreplicatedWrite.PENDING_NANOS : pause.get().toNanos()));
    if (isOutcomeKnown) {
      requestPosition(writer);
    }
  }

  /** Forgets a write that was certainly not sent, and will not be. */
  public void cancel(UnreplicatedWrite change) {
    changes.cancel(change);
  }

  /** True if positions can show whether a server has what was written at another. */
  public boolean isComparable(Object server, Object writer) {
    return replication.isComparable(server, writer);
  }

  /**
   * The writes that a read must show. Immutable.
   *
   * @param session the session that reads
   * @param footprint the entries that it reads
   * @param ofAllSessions true if it must show the writes of all sessions
   * @param binder the client's own entry, if a server may have to check its password; null
   *     otherwise
   * @param filterAttributes attributes by which it finds entries; null if its answer does not show
   *     whether a write concerns it
   */
  public record ReadRequirement(
      Object session,
      Footprint footprint,
      boolean ofAllSessions,
      @Nullable Footprint binder,
      @Nullable FilterAttributes filterAttributes) {
    /** Returns the schema by which names of entries are compared. */
    ServerProfile profile() {
      return footprint.profile();
    }

    /** True if a write changes the answer only where the answer shows the written entry. */
    boolean showsEffectOf(Footprint written) {
      Set<Octets> touched = written.touched();
      return filterAttributes != null
          && touched != null
          && written.place() != null
          && written.profile() == profile()
          && !filterAttributes.touches(touched);
    }
  }

  /** Returns the writes that an operation must show; null if there are none in particular. */
  public @Nullable ReadRequirement reading(Operation operation) {
    return changes.isEmpty() ? null : reading(operation, operation.request());
  }

  @Nullable ReadRequirement reading(Operation operation, Request request) {
    ServerProfile serverProfile = profile.get();
    Derived current = derived;
    if (current.profile() != serverProfile) {
      current = Derived.of(serverProfile);
      derived = current;
    }
    RequestOp op = request.op();
    Footprint footprint = Footprint.read(op, serverProfile, current.keys());
    return footprint == null
        ? null
        : new ReadRequirement(
            session(operation),
            footprint,
            op instanceof BindOp,
            op instanceof BindOp ? null : binder(operation, serverProfile),
            StaleCandidates.filterAttributes(request, footprint, serverProfile));
  }

  /**
   * True if a server is eligible for a read: it has all writes that the read must show.
   *
   * @param checked true if an answer that shows an entry of {@link #staleCandidates} is discarded
   */
  public boolean admits(Object server, @Nullable ReadRequirement requirement, boolean checked) {
    ReplicaPosition replica = ReplicaPosition.of(replication, server);
    boolean has =
        requirement == null
            || (allowed(
                    requirement,
                    replica,
                    change -> checked && requirement.showsEffectOf(change.footprint()))
                && hasPassword(requirement.binder(), replica));
    return has && reachesLowWatermarks(server, replica.position()); // writes forgotten since then
  }

  /**
   * Returns the client's own entry if its bind is kept for rebinds; another session may have
   * written to it. Null otherwise.
   */
  private static @Nullable Footprint binder(Operation operation, ServerProfile profile) {
    ClientIdentity identity = operation.session().identity();
    byte[] name = identity.credentials() == null ? null : identity.dn();
    return name == null ? null : Footprint.ofEntry(name, profile);
  }

  /**
   * True if the server has the client's present password, whichever session has set it. Writes that
   * never concerned one entry do not count. Otherwise all clients would read at the writer after a
   * rename.
   */
  private boolean hasPassword(@Nullable Footprint binder, ReplicaPosition replica) {
    return binder == null
        || changes.isAllowed(
            UnreplicatedWrites.ALL_SESSIONS,
            binder,
            replica,
            change -> change.footprint().place() == null);
  }

  /** Returns the entries that a server, admitted with {@code checked}, may show stale. */
  public StaleCandidates staleCandidates(Object server, ReadRequirement requirement) {
    ReplicaPosition replica = ReplicaPosition.of(replication, server);
    Set<Octets> places =
        changes.missingEntries(shownTo(requirement), requirement.footprint(), replica);
    return new StaleCandidates(places, requirement.profile());
  }

  /** True if an answer that was read from these servers may be shown to an operation. */
  public boolean admits(List<ReadSource> sources, Operation operation) {
    if (sources.isEmpty()) {
      return true; // fast path of each hit
    }
    ReadRequirement requirement = reading(operation);
    for (ReadSource source : sources) {
      if (requirement != null
          && !allowed(requirement, ReplicaPosition.of(replication, source), change -> false)) {
        return false;
      }
    }
    for (ReadSource source : sources) { // last: a write may be forgotten now
      if (!reachesLowWatermarks(source.server(), source.position())) {
        return false;
      }
    }
    return true;
  }

  private boolean reachesLowWatermarks(Object server, Position position) {
    for (Map.Entry<Object, Position> watermark : changes.lowWatermarks().entrySet()) {
      boolean mustReach = replication.mustReach(server, watermark.getKey(), watermark.getValue());
      if (mustReach && !position.covers(watermark.getValue())) {
        return false;
      }
    }
    return true;
  }

  private boolean allowed(
      ReadRequirement requirement, ReplicaPosition replica, Predicate<UnreplicatedWrite> harmless) {
    return changes.isAllowed(shownTo(requirement), requirement.footprint(), replica, harmless);
  }

  private static Object shownTo(ReadRequirement requirement) {
    return requirement.ofAllSessions() ? UnreplicatedWrites.ALL_SESSIONS : requirement.session();
  }

  /** Called when a read is answered. Its session must see no older state afterwards. */
  public void onAnswer(Operation operation, Request request) {
    if (!changes.isEmpty()) {
      note(operation, request);
    }
  }

  /**
   * Called for each part of an answer, and for its end. A part may show writes that began after an
   * earlier part.
   *
   * @param noted return value of the call for the part before; 0 for the first part
   * @return the value for the next call
   */
  public long onAnswer(Operation operation, Request request, long noted) {
    long now = changes.isEmpty() ? noted : changes.tick(); // a later write is not in this part
    if (now != noted) {
      note(operation, request);
    }
    return now;
  }

  private void note(Operation operation, Request request) {
    ReadRequirement requirement = reading(operation, request);
    if (requirement != null) {
      changes.onAnswer(requirement.session(), requirement.footprint());
    }
  }

  /** Returns the known position of a server that is about to be read from. */
  public ReadSource readFrom(Object server) {
    long tick = changes.tick(); // before the position, so that no later end is claimed
    return new ReadSource(
        server, replication.position(server), replication.stalenessNanos(server), tick);
  }

  /**
   * Returns the session of an operation. A client with foreign sessions has one for all
   * directories.
   */
  Object session(Operation operation) {
    ClientSession session = operation.origin().session();
    return switch (scope) {
      case IDENTITY -> session.identity().name();
      case CONNECTION -> session.key();
      case PROXY -> ALL_CLIENTS;
    };
  }
}
