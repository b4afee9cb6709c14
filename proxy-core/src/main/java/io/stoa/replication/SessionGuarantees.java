// SPDX-License-Identifier: Apache-2.0
package io.stoa.replication;

import io.stoa.ldap.csn.Position;
import io.stoa.ldap.filter.FilterAttributes;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.RequestOp;
import io.stoa.ldap.protocol.RequestOp.BindOp;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Operation;
import io.stoa.operation.ReadFrom;
import io.stoa.operation.Restriction;
import io.stoa.replication.Replication.News;
import io.stoa.replication.ReplicationConfig.Session;
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
 *   <li>A session that has read a server's state has seen all that this server had. Later reads
 *       need a server that has it, too.
 *   <li>A server that reports no position is eligible only for reads that no remembered write
 *       concerns.
 *   <li>When a server is removed, its writes are waited for only as long as another one may still
 *       receive them.
 * </ol>
 *
 * <p><b>Without it</b> sessions read what they wrote before, or older states: the mutants {@code
 * NO_SESSIONS}, {@code NO_SIGHTINGS} and {@code NO_PENDING}.
 *
 * <p>Threading: thread-safe; {@link UnreplicatedWrites} has one lock.
 */
public final class SessionGuarantees {
  private static final int MOST_CHANGES = 10_000;
  private static final Object EVERYBODY = new Object();

  private final Session scope;
  private final Supplier<Duration> pause;
  private final Supplier<Duration> longest;
  private final long lagNanos;
  private final Supplier<ServerProfile> profile;
  private final LongSupplier clock;
  private final Replication replication;
  private final UnreplicatedWrites changes = new UnreplicatedWrites(MOST_CHANGES);
  private final WaitingChanges waiting = new WaitingChanges(this);
  private final Map<Object, Runnable> askers = new ConcurrentHashMap<>();
  private volatile Derived derived = Derived.of(ServerProfile.EXACT);

  /**
   * Makes it for no servers.
   *
   * @param pause how long a change whose outcome is not known may still happen
   * @param longest how long a change may be under way at most
   * @param profile by which names of entries are compared
   * @param clock in the time of {@link System#nanoTime}
   */
  public SessionGuarantees(
      ReplicationConfig config,
      Supplier<Duration> pause,
      Supplier<Duration> longest,
      Supplier<ServerProfile> profile,
      LongSupplier clock) {
    this.scope = config.session();
    this.pause = pause;
    this.longest = longest;
    this.lagNanos = config.maxLag().toNanos();
    this.profile = profile;
    this.clock = clock;
    this.replication = new Replication(config, clock);
  }

  /** Changes that have not been sent yet. */
  public WaitingChanges waiting() {
    return waiting;
  }

  ServerProfile profile() {
    return profile.get();
  }

  /** How far servers have got. */
  public Replication replication() {
    return replication;
  }

  /** What one directory derives from other entries. Immutable. */
  private record Derived(ServerProfile profile, Set<Octets> keys) {
    static Derived of(ServerProfile profile) {
      return new Derived(profile, Footprint.derived(profile));
    }
  }

  /** A question to a server. Immutable. */
  public record Question(Object server, long asked, long earliestUnderWay) {}

  /** A server is about to be asked for its position. */
  public Question ask(Object server) {
    long now = clock.getAsLong();
    changes.endOverdue(now, now + pause.get().toNanos());
    changes.endOrphans(now, replication::others);
    replication.asking(server, now);
    Predicate<Object> others = writer -> replication.together(server, writer);
    return new Question(server, now, changes.earliestUnderWay(server, others));
  }

  /**
   * It has told it; empty if it has not. One that says less than before tells of no change, until
   * it is taken for one that has less.
   *
   * @param contexts the naming contexts that it has, and was asked for
   * @return whether it has told all that it is expected to
   */
  public boolean told(Question question, Position position, Set<String> contexts) {
    Object server = question.server();
    News news = replication.told(server, question.asked(), position, contexts);
    if (!news.nowhere().isEmpty()) {
      changes.without(news.nowhere(), writer -> replication.together(server, writer));
    }
    if (news.ceased()) {
      forsake(server);
    }
    boolean whole = position.equals(replication.position(server));
    if (whole && !position.isEmpty()) {
      changes.told(question.server(), position, question.earliestUnderWay(), question.asked());
      changes.forget(replication::positions);
    }
    return whole;
  }

  /** A server is used no more: what only it has said is not known any longer. */
  public void gone(Object server) {
    askers.remove(server);
    replication.remove(server); // before, or something could still be begun there
    forsake(server);
  }

  private void forsake(Object server) {
    Object group = replication.group(server);
    if (group != null) {
      long until = clock.getAsLong() + lagNanos;
      changes.gone(server, group, replication.others(server), until);
    }
  }

  /**
   * How a server is to be asked soon for its position, since it has answered a write.
   *
   * @param ask never waits
   */
  public void whenWritten(Object server, Runnable ask) {
    askers.put(server, ask);
  }

  /** A server is to be asked for its position as soon as may be. */
  public void hurry(Object server) {
    Runnable ask = askers.get(server);
    if (ask != null) {
      ask.run();
    }
  }

  /** Whether changes are known that some server may lack. */
  public boolean busy() {
    return !changes.isEmpty();
  }

  /** How many changes are known that some server may lack. */
  public int remembered() {
    return changes.size();
  }

  /** How names of entries are compared has changed. */
  public void renamed() {
    changes.renamed();
  }

  /**
   * A change is about to be sent; null if its server does not tell where it is had.
   *
   * @param owner whose password it changes, by a request that has no target; null if it is no such
   *     change, or that is not known
   */
  public @Nullable UnreplicatedWrite begin(
      Operation operation, Request request, byte @Nullable [] owner, Object writer) {
    ServerProfile present = profile.get();
    Footprint password = owner == null ? null : Footprint.ofPassword(owner, present);
    byte[] name = password == null ? request.op().target() : owner;
    boolean compares = replication.compares(writer);
    if (!compares || !PositionScope.of(replication.position(writer), name, present)) {
      return null;
    }
    Footprint footprint = password == null ? Footprint.written(request.op(), present) : password;
    long deadline = clock.getAsLong() + longest.get().toNanos();
    UnreplicatedWrite change = changes.begin(session(operation), writer, footprint, deadline);
    if (profile.get() != present) {
      changes.renamed(change); // only those that were known by then have been told
    }
    if (!replication.compares(writer)) {
      changes.cancel(change); // its server has gone meanwhile, and nobody would ever end it
      return null;
    }
    if (operation.session().restriction() != Restriction.NONE) {
      changes.roams(change); // its client may have a connection to another server
    }
    return change;
  }

  /** It may be done at another server than that for which it was begun. */
  public void roams(UnreplicatedWrite change) {
    changes.roams(change);
  }

  /**
   * It was answered by this server, or will not be.
   *
   * @param known whether it is known what became of it
   */
  public void end(UnreplicatedWrite change, Object writer, boolean known) {
    long now = clock.getAsLong();
    if (known) {
      Footprint there = new Footprint(change.footprint().place(), false, false, null);
      changes.seen(change.owner(), there); // the answer tells of what others have done there
    }
    changes.end(
        change, writer, now + (known ? UnreplicatedWrite.PENDING_NANOS : pause.get().toNanos()));
    if (known) {
      hurry(writer);
    }
  }

  /** It has certainly not been sent, and will not be. */
  public void cancel(UnreplicatedWrite change) {
    changes.cancel(change);
  }

  /** Whether it can be said of a server whether it has what is written at another. */
  public boolean comparable(Object server, Object writer) {
    return replication.comparable(server, writer);
  }

  /**
   * What a read must show. Immutable.
   *
   * @param ofAnybody whether that is what anybody has done
   * @param binder the entry as which its server may have to let it bind; null if there is none
   * @param found by what it finds entries; null if its answer does not tell what concerns it
   * @param profile by which names of entries are compared
   */
  public record Reading(
      Object session,
      Footprint footprint,
      boolean ofAnybody,
      @Nullable Footprint binder,
      @Nullable FilterAttributes found,
      ServerProfile profile) {

    /** Whether its answer is another one after the change only if it shows the changed entry. */
    boolean tells(Footprint written) {
      Set<Octets> touched = written.touched();
      return found != null && touched != null && written.place() != null && !found.touches(touched);
    }
  }

  /** What an operation must show; null if that is nothing in particular. */
  public @Nullable Reading reading(Operation operation) throws LdapProtocolException {
    return changes.isEmpty() ? null : reading(operation, operation.request());
  }

  @Nullable Reading reading(Operation operation, Request request) {
    ServerProfile present = profile.get();
    Derived known = derived;
    if (known.profile() != present) {
      known = Derived.of(present);
      derived = known;
    }
    RequestOp op = request.op();
    Footprint footprint = Footprint.read(op, present, known.keys());
    return footprint == null
        ? null
        : new Reading(
            session(operation),
            footprint,
            op instanceof BindOp,
            op instanceof BindOp ? null : binder(operation, present),
            StaleCandidates.found(request, footprint, present),
            present);
  }

  /**
   * Whether a server can be the right one for a read: it has whatever that must show.
   *
   * @param checked whether the answer is not shown if it shows what is {@link #unseen}
   */
  public boolean admits(Object server, @Nullable Reading reading, boolean checked) {
    ReplicaPosition reach = ReplicaPosition.of(replication, server);
    boolean has =
        reading == null
            || (allowed(reading, reach, change -> checked && reading.tells(change.footprint()))
                && knows(reading.binder(), reach));
    return has && lacksNothingForgotten(server, reach.position()); // what is forgotten meanwhile
  }

  /** Who is bound with what is kept is one entry, which may have been added or changed. */
  private static @Nullable Footprint binder(Operation operation, ServerProfile present) {
    ClientIdentity identity = operation.session().identity();
    byte[] name = identity.credentials() == null ? null : identity.dn();
    Octets place = name == null ? null : Footprint.place(name, present);
    return place == null ? null : new Footprint(place, false, false, null);
  }

  /**
   * Whether a password that is right is so there, too: whoever has changed it. What never was of
   * one entry does not count, or all clients would read at the writer after each rename.
   */
  private boolean knows(@Nullable Footprint binder, ReplicaPosition reach) {
    return binder == null
        || changes.allows(
            UnreplicatedWrites.ANYBODY, binder, reach, change -> !change.ofOneEntry());
  }

  /** What a server that was admitted to be checked may lack. */
  public StaleCandidates unseen(Object server, Reading reading) {
    ReplicaPosition reach = ReplicaPosition.of(replication, server);
    Set<Octets> places = changes.lacked(shownTo(reading), reading.footprint(), reach);
    return new StaleCandidates(places, reading.profile());
  }

  /** Whether what was read from these servers may be shown. */
  public boolean admits(List<ReadFrom> sources, Operation operation) throws LdapProtocolException {
    if (sources.isEmpty()) {
      return true; // on the path of each hit
    }
    Reading reading = reading(operation);
    for (ReadFrom from : sources) {
      if (reading != null
          && !allowed(reading, ReplicaPosition.of(replication, from), change -> false)) {
        return false;
      }
    }
    for (ReadFrom from : sources) { // last: another thread may forget a change meanwhile
      if (!lacksNothingForgotten(from.server(), from.position())) {
        return false;
      }
    }
    return true;
  }

  private boolean lacksNothingForgotten(Object server, Position position) {
    for (Object writer : changes.lostAt()) {
      if (server != writer && replication.together(server, writer)) {
        return false;
      }
    }
    for (Map.Entry<Object, Position> floor : changes.floors().entrySet()) {
      boolean owed = replication.owes(server, floor.getKey(), floor.getValue());
      if (owed && !position.covers(floor.getValue())) {
        return false;
      }
    }
    return true;
  }

  private boolean allowed(
      Reading reading, ReplicaPosition reach, Predicate<UnreplicatedWrite> harmless) {
    return changes.allows(shownTo(reading), reading.footprint(), reach, harmless);
  }

  private static Object shownTo(Reading reading) {
    return reading.ofAnybody() ? UnreplicatedWrites.ANYBODY : reading.session();
  }

  /** A read has been answered: its session must not see anything older any more. */
  public void seen(Operation operation, Request request) {
    if (!changes.isEmpty()) {
      note(operation, request);
    }
  }

  /**
   * A part of the answer to a read is given, or its end: what has begun since an earlier part may
   * be shown by this one.
   *
   * @param noted what this has returned for the part before; 0 for the first
   */
  public long seen(Operation operation, Request request, long noted) {
    long now = changes.isEmpty() ? noted : changes.tick(); // what begins meanwhile is not there yet
    if (now != noted) {
      note(operation, request);
    }
    return now;
  }

  private void note(Operation operation, Request request) {
    Reading reading = reading(operation, request);
    if (reading != null) {
      changes.seen(reading.session(), reading.footprint());
    }
  }

  /** What is known of a server that is about to be read from. */
  public ReadFrom readFrom(Object server) {
    long tick = changes.tick(); // before the position: what ended later is not claimed
    return new ReadFrom(
        server, replication.position(server), replication.behindNanos(server), tick);
  }

  /** Who is a guest in one directory is the same client in all. */
  Object session(Operation operation) {
    ClientSession session = operation.origin().session();
    return switch (scope) {
      case IDENTITY -> session.identity().name();
      case CONNECTION -> session;
      case PROXY -> EVERYBODY;
    };
  }
}
