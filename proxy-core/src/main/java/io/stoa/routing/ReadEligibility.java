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
 * Decides which servers may answer a read while some lag behind others.
 *
 * <p>Threading: thread-safe.
 *
 * @param consistency rules for servers that report positions
 * @param coherence rules for servers that do not
 */
public record ReadEligibility(
    ServerGroup branch, SessionGuarantees consistency, WriteCoherence coherence) {
  /**
   * Time for which a read waits for writes of a lost server: 80 ms after the loss. The loss itself
   * may take 750 ms to be noticed, and a client should wait less than 1 s in all.
   */
  private static final long ARRIVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(80);

  /** True if the choice of the server matters. */
  boolean matters() {
    return branch.backends().size() > 1;
  }

  /**
   * Returns the only server that may answer a read: the others may lack a write, and their
   * positions cannot show whether they do. Null if other servers may answer.
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

  /**
   * True if the server answers, or if no server is up. Where another is up, an older answer is
   * better than none.
   */
  boolean isBest(Backend server) {
    return server.answers() || branch.backends().stream().noneMatch(Backend::up);
  }

  private boolean follows(Backend backend, Backend writer) {
    return backend != writer && consistency.comparable(backend, writer);
  }

  /** Narrows servers to those with the writes that an operation must show, and an allowed lag. */
  Predicate<Backend> knowing(Operation operation, Predicate<Backend> eligible)
      throws LdapProtocolException {
    return matters() ? eligible.and(of(operation)).and(this::keepsUp) : eligible;
  }

  /** Returns a test for servers with the writes that an operation must show. */
  Predicate<Backend> of(Operation operation) throws LdapProtocolException {
    return known(operation, false);
  }

  /**
   * Returns a test for servers with the writes that an operation must show.
   *
   * @param checked true if servers count whose answer is checked for stale entries
   */
  Known known(Operation operation, boolean checked) throws LdapProtocolException {
    Mark mark = coherence.writer(operation.request());
    Backend taker = mark == null ? branch.primary() : mark.server();
    return new Known(consistency, mark, taker, consistency.reading(operation), checked);
  }

  /**
   * Judges which servers have the writes that an operation must show. Each server is judged once,
   * for one choice.
   *
   * <p>Threading: event loop.
   */
  static final class Known implements Predicate<Backend> {
    private final SessionGuarantees consistency;
    private final @Nullable Mark mark;
    private final Backend taker;
    private final @Nullable Reading reading;
    private final boolean checked;
    private final Map<Backend, Boolean> verdicts = new HashMap<>();

    /**
     * Creates it without judgements.
     *
     * @param mark latest write that other servers may lack, with its server; null if there is none
     * @param taker server with which the others are compared
     * @param reading writes that must be shown; null if there are none in particular
     * @param checked true if the answer is checked
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

    /** True if the server's position can show whether it has the required writes. */
    boolean mayTell(Backend backend) {
      return consistency.comparable(backend, taker) && (mark == null || !mark.alone());
    }

    /** Returns a test for messages of an answer that may be stale; null if none can be. */
    @Nullable Predicate<LdapMessage> unwanted(Backend backend) {
      if (!checked || reading == null || reading.found() == null || !test(backend)) {
        return null; // a server used without the required writes may show any state
      }
      StaleCandidates unseen = consistency.unseen(backend, reading);
      return unseen.isEmpty() ? null : unseen::isShownBy;
    }
  }

  /** True if the server's lag is below the limit. */
  boolean keepsUp(Backend backend) {
    return !consistency.replication().behind(backend);
  }

  /** True if a server has the writes that an operation must show, and an allowed lag. */
  boolean knows(Operation operation, Backend server) throws LdapProtocolException {
    return !matters() || (of(operation).test(server) && keepsUp(server));
  }

  /**
   * Counts the choice of a server that may lack required writes.
   *
   * @param known judges the servers; null if all have the writes
   */
  void note(@Nullable Known known, @Nullable Backend chosen) {
    if (known != null && chosen != null && !known.test(chosen)) {
      uncovered(chosen);
    }
  }

  /** Counts a read at a server that may lack required writes. */
  void uncovered(Backend server) {
    branch.missAll();
    consistency.replication().uncovered(server);
  }

  /** True if no other of these servers that is up is known to have more writes. */
  boolean isForemost(Backend backend, Predicate<Backend> others) {
    return branch.backends().stream()
        .filter(other -> other.up() && others.test(other))
        .noneMatch(other -> consistency.replication().isAheadOf(other, backend));
  }

  /**
   * True if waiting may help an operation. A server with the required writes was lost a moment ago.
   * No remaining server is known to have them, but one of these can still report them.
   *
   * @param eligible true for servers that may be used at all
   */
  boolean awaits(Known known, Predicate<Backend> eligible) {
    long since = System.nanoTime() - ARRIVAL_NANOS;
    Predicate<Backend> answering = eligible.and(one -> one.answers() && !one.lostSince(since));
    return branch.backends().stream().anyMatch(one -> one.lostSince(since) && known.test(one))
        && branch.backends().stream().anyMatch(answering.and(known::mayTell))
        && branch.backends().stream().noneMatch(answering.and(known));
  }

  /** True if a server was lost a moment ago. */
  boolean losing() {
    return matters() && lost() > 0;
  }

  private long lost() {
    long since = System.nanoTime() - ARRIVAL_NANOS;
    return branch.backends().stream().filter(one -> one.lostSince(since)).count();
  }

  /** Returns a number that changes when waiting reads should be examined again. */
  long news() {
    return consistency.replication().moved() + lost();
  }

  /** Asks all servers for their positions at once. */
  void hurry() {
    branch.backends().forEach(consistency::hurry);
  }

  /**
   * Called before a write is sent. The result is ended by {@link #written} or {@link #notWritten}.
   */
  @Nullable UnreplicatedWrite begin(Operation operation, Request request, Backend writer) {
    return matters()
        ? consistency.begin(operation, request, PasswordOwner.of(operation, request), writer)
        : null;
  }

  /** Called when a write may be sent to another server. */
  void goesOn(@Nullable UnreplicatedWrite change) {
    if (change != null) {
      consistency.roams(change);
    }
  }

  /**
   * Called when a server has answered a write, or will not answer it.
   *
   * @param known true if the outcome is known
   */
  void written(Request request, @Nullable UnreplicatedWrite change, Backend writer, boolean known) {
    coherence.written(request, writer, change != null);
    if (change != null) {
      consistency.end(change, writer, known);
    }
  }

  /**
   * Called when a write has certainly not left Stoa. While no server takes writes, failed attempts
   * do not keep clients from reading.
   */
  void notWritten(@Nullable UnreplicatedWrite change) {
    if (change != null) {
      consistency.cancel(change);
    }
  }

  /** Called before an operation is sent to a server. */
  void sending(Operation operation, Backend to) {
    if (matters()) {
      operation.readFrom(consistency.readFrom(to));
    }
  }

  /** Watches the answer to a read, since it may show writes of other sessions. */
  void watch(Operation operation, Request request) {
    if (matters()) {
      operation.sink(new ReadSink(operation, request, consistency));
    }
  }
}
