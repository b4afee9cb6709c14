// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing;

import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.Request;
import io.stoa.operation.Operation;
import io.stoa.operation.PasswordOwner;
import io.stoa.replication.SessionGuarantees;
import io.stoa.replication.SessionGuarantees.ReadRequirement;
import io.stoa.replication.StaleCandidates;
import io.stoa.replication.UnreplicatedWrite;
import io.stoa.routing.WriteCoherence.WriteMark;
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
  private static final long CATCH_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(80);

  /** True if the choice of the server matters. */
  boolean hasChoice() {
    return branch.backends().size() > 1;
  }

  /**
   * Returns the only server that may answer a read: the others may lack a write, and their
   * positions cannot show whether they do. Null if other servers may answer.
   */
  @Nullable Backend onlyServer(Operation operation) {
    return hasChoice() ? onlyServer(operation.request()) : null;
  }

  /** Returns the only server that may answer a read if there are several; null for any. */
  @Nullable Backend onlyServer(Request request) {
    WriteMark mark = coherence.requiredServer(request);
    if (mark == null || !isBest(mark.server())) {
      return null;
    }
    Backend writer = mark.server();
    boolean othersComparable =
        !mark.isExclusive() && branch.backends().stream().anyMatch(b -> follows(b, writer));
    return othersComparable ? null : writer;
  }

  /**
   * True if the server answers, or if no server is up. Where another is up, an older answer is
   * better than none.
   */
  boolean isBest(Backend server) {
    return server.isResponding() || branch.backends().stream().noneMatch(Backend::isUp);
  }

  private boolean follows(Backend backend, Backend writer) {
    return backend != writer && consistency.isComparable(backend, writer);
  }

  /** Narrows servers to those with the writes that an operation must show, and an allowed lag. */
  Predicate<Backend> eligible(Operation operation, Predicate<Backend> eligible) {
    return hasChoice()
        ? eligible.and(hasRequiredWrites(operation)).and(this::isWithinLag)
        : eligible;
  }

  /** Returns a test for servers with the writes that an operation must show. */
  Predicate<Backend> hasRequiredWrites(Operation operation) {
    return judgeFor(operation, false);
  }

  /**
   * Returns a test for servers with the writes that an operation must show.
   *
   * @param checked true if servers count whose answer is checked for stale entries
   */
  ServerJudge judgeFor(Operation operation, boolean checked) {
    WriteMark mark = coherence.requiredServer(operation.request());
    Backend reference = mark == null ? branch.primary() : mark.server();
    return new ServerJudge(consistency, mark, reference, consistency.reading(operation), checked);
  }

  /**
   * Judges which servers have the writes that an operation must show. Each server is judged once,
   * for one choice.
   *
   * <p>Threading: event loop.
   */
  static final class ServerJudge implements Predicate<Backend> {
    private final SessionGuarantees guarantees;
    private final @Nullable WriteMark mark;
    private final Backend reference;
    private final @Nullable ReadRequirement reading;
    private final boolean checked;
    private final Map<Backend, Boolean> verdicts = new HashMap<>();

    /**
     * Creates it without judgements.
     *
     * @param mark latest write that other servers may lack, with its server; null if there is none
     * @param reference server with which the others are compared
     * @param reading writes that must be shown; null if there are none in particular
     * @param checked true if the answer is checked
     */
    ServerJudge(
        SessionGuarantees guarantees,
        @Nullable WriteMark mark,
        Backend reference,
        @Nullable ReadRequirement reading,
        boolean checked) {
      this.guarantees = guarantees;
      this.mark = mark;
      this.reference = reference;
      this.reading = reading;
      this.checked = checked;
    }

    @Override
    public boolean test(Backend backend) {
      return verdicts.computeIfAbsent(backend, this::judge);
    }

    private boolean judge(Backend backend) {
      boolean comparable = guarantees.isComparable(backend, reference);
      boolean known = mark == null || reference == backend || hasComparablePosition(backend);
      return known && (!comparable || guarantees.admits(backend, reading, checked));
    }

    /** True if the server's position can show whether it has the required writes. */
    boolean hasComparablePosition(Backend backend) {
      return guarantees.isComparable(backend, reference) && (mark == null || !mark.isExclusive());
    }

    /** Returns a test for messages of an answer that may be stale; null if none can be. */
    @Nullable Predicate<LdapMessage> staleTest(Backend backend) {
      if (!checked || reading == null || reading.filterAttributes() == null || !test(backend)) {
        return null; // a server used without the required writes may show any state
      }
      StaleCandidates candidates = guarantees.staleCandidates(backend, reading);
      return candidates.isEmpty() ? null : candidates::isShownBy;
    }
  }

  /** True if the server's lag is below the limit. */
  boolean isWithinLag(Backend backend) {
    return !consistency.replication().isBehind(backend);
  }

  /** True if a server has the writes that an operation must show, and an allowed lag. */
  boolean isEligible(Operation operation, Backend server) {
    return !hasChoice() || (hasRequiredWrites(operation).test(server) && isWithinLag(server));
  }

  /**
   * Counts the choice of a server that may lack required writes.
   *
   * @param judge judges the servers; null if all have the writes
   */
  void countIfUncovered(@Nullable ServerJudge judge, @Nullable Backend chosen) {
    if (judge != null && chosen != null && !judge.test(chosen)) {
      countUncovered(chosen);
    }
  }

  /** Counts a read at a server that may lack required writes. */
  void countUncovered(Backend server) {
    branch.requestReconnects();
    consistency.replication().countUncovered(server);
  }

  /** True if no other of these servers that is up is known to have more writes. */
  boolean isFurthestAhead(Backend backend, Predicate<Backend> others) {
    return branch.backends().stream()
        .filter(other -> other.isUp() && others.test(other))
        .noneMatch(other -> consistency.replication().isAheadOf(other, backend));
  }

  /**
   * True if waiting may help an operation. A server with the required writes was lost a moment ago.
   * No remaining server is known to have them, but one of these can still report them.
   *
   * @param eligible true for servers that may be used at all
   */
  boolean mayCatchUp(ServerJudge judge, Predicate<Backend> eligible) {
    long since = System.nanoTime() - CATCH_UP_NANOS;
    Predicate<Backend> answering =
        eligible.and(one -> one.isResponding() && !one.wasLostSince(since));
    return branch.backends().stream().anyMatch(one -> one.wasLostSince(since) && judge.test(one))
        && branch.backends().stream().anyMatch(answering.and(judge::hasComparablePosition))
        && branch.backends().stream().noneMatch(answering.and(judge));
  }

  /** True if a server was lost a moment ago. */
  boolean hasRecentLoss() {
    return hasChoice() && recentLosses() > 0;
  }

  private long recentLosses() {
    long since = System.nanoTime() - CATCH_UP_NANOS;
    return branch.backends().stream().filter(one -> one.wasLostSince(since)).count();
  }

  /** Returns a number that changes when waiting reads should be examined again. */
  long version() {
    return consistency.replication().lastMoveNanos() + recentLosses();
  }

  /** Asks all servers for their positions at once. */
  void requestPositions() {
    branch.backends().forEach(consistency::requestPosition);
  }

  /**
   * Called before a write is sent. The result is ended by {@link #endWrite} or {@link
   * #cancelWrite}.
   */
  @Nullable UnreplicatedWrite beginWrite(Operation operation, Request request, Backend writer) {
    return hasChoice()
        ? consistency.begin(operation, request, PasswordOwner.of(operation, request), writer)
        : null;
  }

  /** Called when a write may be sent to another server. */
  void markElsewhere(@Nullable UnreplicatedWrite change) {
    if (change != null) {
      consistency.markElsewhere(change);
    }
  }

  /**
   * Called when a server has answered a write, or will not answer it.
   *
   * @param outcomeKnown true if the outcome is known
   */
  void endWrite(
      Request request, @Nullable UnreplicatedWrite change, Backend writer, boolean outcomeKnown) {
    coherence.onWrite(request, writer, change != null);
    if (change != null) {
      consistency.end(change, writer, outcomeKnown);
    }
  }

  /**
   * Called when a write has certainly not left Stoa. While no server takes writes, failed attempts
   * do not keep clients from reading.
   */
  void cancelWrite(@Nullable UnreplicatedWrite change) {
    if (change != null) {
      consistency.cancel(change);
    }
  }

  /** Called before an operation is sent to a server. */
  void onSending(Operation operation, Backend server) {
    if (hasChoice()) {
      operation.addSource(consistency.readFrom(server));
    }
  }

  /** Watches the answer to a read, since it may show writes of other sessions. */
  void watch(Operation operation) {
    if (hasChoice()) {
      operation.setSink(new ReadSink(operation, operation.request(), consistency));
    }
  }
}
