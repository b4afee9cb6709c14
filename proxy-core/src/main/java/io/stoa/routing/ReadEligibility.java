// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing;

import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Request;
import io.stoa.operation.Operation;
import io.stoa.operation.PasswordOwner;
import io.stoa.replication.SessionGuarantees;
import io.stoa.replication.SessionGuarantees.Reading;
import io.stoa.replication.StaleCandidates;
import io.stoa.replication.UnreplicatedWrite;
import io.stoa.routing.WriteCoherence.Mark;
import io.stoa.upstream.balancing.ServerGroup;
import io.stoa.upstream.server.Backend;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which servers may answer a read although some lag behind others. Thread-safe.
 *
 * @param consistency for servers that tell how far they have got
 * @param coherence for those that do not
 */
public record ReadEligibility(
    ServerGroup branch, SessionGuarantees consistency, WriteCoherence coherence) {
  /**
   * So long after its loss it is waited for what a server may have handed on. By then three
   * quarters of a second may have passed until the loss was noticed, and nobody is to wait for a
   * whole one.
   */
  private static final long ARRIVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(80);

  /** Whether it matters which server is asked. */
  boolean matters() {
    return branch.backends().size() > 1;
  }

  /**
   * The one server that may answer a read, since others may not have a write yet, and none tells
   * whether it has; null if that is no reason.
   */
  @Nullable Backend only(Request request) {
    Mark mark = matters() ? coherence.writer(request) : null;
    if (mark == null || !isBest(mark.server())) {
      return null;
    }
    Backend writer = mark.server();
    boolean told = !mark.alone() && branch.backends().stream().anyMatch(b -> follows(b, writer));
    return told ? null : writer;
  }

  /** Whether a server answers, or no other does: better an older answer than none. */
  boolean isBest(Backend server) {
    return server.answers() || branch.backends().stream().noneMatch(Backend::up);
  }

  private boolean follows(Backend backend, Backend writer) {
    return backend != writer && consistency.comparable(backend, writer);
  }

  /** Of some servers, those that have what an operation must show, and are not too far behind. */
  Predicate<Backend> knowing(Operation operation, Predicate<Backend> eligible)
      throws LdapProtocolException {
    return matters() ? eligible.and(of(operation)).and(this::keepsUp) : eligible;
  }

  /** Which servers have what an operation must show. */
  Predicate<Backend> of(Operation operation) throws LdapProtocolException {
    return known(operation, false);
  }

  /**
   * The same.
   *
   * @param checked whether those count that may be asked if what they answer is looked at
   */
  Known known(Operation operation, boolean checked) throws LdapProtocolException {
    Mark mark = coherence.writer(operation.request());
    Backend taker = mark == null ? branch.primary() : mark.server();
    return new Known(consistency, mark, taker, consistency.reading(operation), checked);
  }

  /**
   * What is known of which server has what an operation must show. Each is judged once, for the one
   * choice that this is made for. Event-loop confined.
   */
  static final class Known implements Predicate<Backend> {
    private final SessionGuarantees consistency;
    private final @Nullable Mark mark;
    private final Backend taker;
    private final @Nullable Reading reading;
    private final boolean checked;
    private final Map<Backend, Boolean> verdicts = new HashMap<>();

    /**
     * Nothing is known yet.
     *
     * @param mark who took a write lately that others may not have; null if nobody did
     * @param taker with whom servers are compared
     * @param reading what must be shown; null if that is nothing in particular
     * @param checked whether what is answered is looked at
     */
    Known(
        SessionGuarantees consistency,
        @Nullable Mark mark,
        Backend taker,
        @Nullable Reading reading,
        boolean checked) {
      this.consistency = consistency;
      this.mark = mark;
      this.taker = taker;
      this.reading = reading;
      this.checked = checked;
    }

    @Override
    public boolean test(Backend backend) {
      return verdicts.computeIfAbsent(backend, this::judge);
    }

    private boolean judge(Backend backend) {
      boolean told = consistency.comparable(backend, taker);
      boolean known = mark == null || taker == backend || mayTell(backend);
      return known && (!told || consistency.admits(backend, reading, checked));
    }

    /** Whether a server can tell whether it has what must be shown. */
    boolean mayTell(Backend backend) {
      return consistency.comparable(backend, taker) && (mark == null || !mark.alone());
    }

    /** What no part of a server's answer may be; null if it may be anything. */
    @Nullable Predicate<LdapMessage> unwanted(Backend backend) {
      if (!checked || reading == null || reading.found() == null || !test(backend)) {
        return null; // one that is asked although it is not fresh may show what it has
      }
      StaleCandidates unseen = consistency.unseen(backend, reading);
      return unseen.isEmpty() ? null : unseen::isShownBy;
    }
  }

  /** Whether a server is not too far behind. */
  boolean keepsUp(Backend backend) {
    return !consistency.replication().behind(backend);
  }

  /** Whether a server has what an operation must show, and is not too far behind. */
  boolean knows(Operation operation, Backend server) throws LdapProtocolException {
    return !matters() || (of(operation).test(server) && keepsUp(server));
  }

  /**
   * A server has been chosen.
   *
   * @param known which servers have what is to be seen; null if all have
   */
  void note(@Nullable Known known, @Nullable Backend chosen) {
    if (known != null && chosen != null && !known.test(chosen)) {
      uncovered(chosen);
    }
  }

  /** A server is given a read although it may lack what that must show. */
  void uncovered(Backend server) {
    branch.missAll();
    consistency.replication().uncovered(server);
  }

  /** Whether no other of some servers that are up is known to have more. */
  boolean isForemost(Backend backend, Predicate<Backend> others) {
    return branch.backends().stream()
        .filter(other -> other.up() && others.test(other))
        .noneMatch(other -> consistency.replication().isAheadOf(other, backend));
  }

  /**
   * Whether what an operation must show may become known of a server that answers: one that had it
   * has been lost a moment ago, and nobody else is known to have it.
   *
   * @param eligible which servers may be asked at all
   */
  boolean awaits(Known known, Predicate<Backend> eligible) {
    long since = System.nanoTime() - ARRIVAL_NANOS;
    Predicate<Backend> answering = eligible.and(one -> one.answers() && !one.lostSince(since));
    return branch.backends().stream().anyMatch(one -> one.lostSince(since) && known.test(one))
        && branch.backends().stream().anyMatch(answering.and(known::mayTell))
        && branch.backends().stream().noneMatch(answering.and(known));
  }

  /** Whether a server has been lost a moment ago. */
  boolean losing() {
    return matters() && lost() > 0;
  }

  private long lost() {
    long since = System.nanoTime() - ARRIVAL_NANOS;
    return branch.backends().stream().filter(one -> one.lostSince(since)).count();
  }

  /** Changes whenever it is worthwhile to look again whether what is awaited is known. */
  long news() {
    return consistency.replication().moved() + lost();
  }

  /** Has all be asked at once what they have. */
  void hurry() {
    branch.backends().forEach(consistency::hurry);
  }

  /** A write is about to be sent; what is begun is to be ended by {@link #written}. */
  @Nullable UnreplicatedWrite begin(Operation operation, Request request, Backend writer) {
    return matters()
        ? consistency.begin(operation, request, PasswordOwner.of(operation, request), writer)
        : null;
  }

  /** A write may be about to be sent to another server. */
  void goesOn(@Nullable UnreplicatedWrite change) {
    if (change != null) {
      consistency.roams(change);
    }
  }

  /**
   * A write has been answered by a server, or will not be.
   *
   * @param known whether it is known what became of it
   */
  void written(Request request, @Nullable UnreplicatedWrite change, Backend writer, boolean known) {
    coherence.written(request, writer, change != null);
    if (change != null) {
      consistency.end(change, writer, known);
    }
  }

  /**
   * A write has certainly not left Stoa: others have all there is, and while no server takes writes
   * the attempts of clients do not keep anybody from what is known.
   */
  void notWritten(@Nullable UnreplicatedWrite change) {
    if (change != null) {
      consistency.cancel(change);
    }
  }

  /** An operation is about to be sent to a server. */
  void sending(Operation operation, Backend to) {
    if (matters()) {
      operation.readFrom(consistency.readFrom(to));
    }
  }

  /** Watches what becomes of a read: its session may have seen what others have written. */
  void watch(Operation operation, Request request) {
    if (matters()) {
      operation.sink(new ReadSink(operation, request, consistency));
    }
  }
}
