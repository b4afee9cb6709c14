// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.freshness;

import io.stoa.ldap.csn.Position;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The time until which results that a feed holds may be served: a lease (Gray and Cheriton, 1989).
 *
 * <p><b>Problem.</b> A feed that is silent may have nothing to report, or may be cut off. A hit
 * must not be staler than the bound in either case.
 *
 * <p><b>Rule.</b> Each server that takes writes is asked for its position. Once the feed has
 * applied that position, every write that the server acknowledged before the question, less a
 * margin, is applied. The lease is as old as the oldest such question, and is live while that age
 * is below the bound. {@link ReadIndex} uses the same argument for a single read: it asks after the
 * request has arrived (Ongaro, 2014, section 6.4).
 *
 * <p><b>Invariants.</b>
 *
 * <ol>
 *   <li>All times are those of this process, and are taken before a question is sent. Clocks of
 *       machines are never compared.
 *   <li>Each writable server must prove its position; the lease is as old as the last of them.
 *   <li>The margin covers writes that a server has acknowledged and not yet counted in its position
 *       ({@link WriteLatency}).
 *   <li>After a gap of the feed nothing proves anything until {@link #onGapApplied}: positions of
 *       before and after cannot be compared.
 * </ol>
 *
 * <p><b>Without it</b> a feed that is cut off serves stale results without a bound: the mutant
 * {@code NO_LEASE}.
 *
 * <p>Threading: thread-safe. A hit reads one volatile number.
 */
public final class CoherenceLease {
  /** Value of {@link #asOf} before the first proof. */
  public static final long NEVER = Long.MIN_VALUE;

  /** Maximum number of positions of one server that wait until the feed has reached them: 32. */
  private static final int MAX_WAITING = 32;

  private final long boundNanos;
  private final LongSupplier margin;
  private final IdentityHashMap<Object, ServerProof> servers = new IdentityHashMap<>();
  private Position applied = Position.NONE;

  /** Number of gaps of the feed that the applying thread has not handled yet. */
  private int openGaps;

  private volatile long asOf = NEVER;
  private volatile Runnable proofListener = () -> {};

  /**
   * Makes a lease that is not live before all servers have proved their positions.
   *
   * @param bound maximum age of results that are served
   * @param margin nanoseconds by which a server may acknowledge a write before it reports a
   *     position that covers it; see {@link WriteLatency}
   */
  public CoherenceLease(Duration bound, LongSupplier margin) {
    this.boundNanos = bound.toNanos();
    this.margin = margin;
  }

  /** A position that a server has reported, and when it was asked. Immutable. */
  private record ReportedPosition(long t0, Position position) {}

  /** Positions of one server. Guarded by the lease. */
  private static final class ServerProof {
    private final Deque<ReportedPosition> positions = new ArrayDeque<>();
    private long asOf = NEVER;
    private long lastAskedNanos = NEVER;

    void onReported(ReportedPosition report, Position feed, long marginNanos) {
      lastAskedNanos = report.t0;
      if (feed.covers(report.position)) {
        positions.clear(); // also if it is behind an earlier one, as after a restore
        advance(report.t0 - marginNanos);
        return;
      }
      if (positions.size() == MAX_WAITING) {
        positions.removeLast(); // the oldest stays: it is reached first
      }
      positions.addLast(report);
    }

    void onApplied(Position feed, long marginNanos) {
      while (!positions.isEmpty() && feed.covers(positions.getFirst().position)) {
        advance(positions.removeFirst().t0 - marginNanos);
      }
    }

    boolean isBehind(ServerProof other) {
      return other.asOf != NEVER && (asOf == NEVER || asOf - other.asOf < 0);
    }

    private void advance(long time) {
      asOf = asOf == NEVER || time - asOf > 0 ? time : asOf;
    }
  }

  /** Sets the servers that take writes: each of them must prove its position. */
  public synchronized void setWritable(Set<?> now) {
    servers.keySet().retainAll(identities(now));
    now.forEach(server -> servers.computeIfAbsent(server, any -> new ServerProof()));
    publish();
  }

  private static Set<Object> identities(Set<?> all) {
    IdentityHashMap<Object, Boolean> identities = new IdentityHashMap<>();
    all.forEach(one -> identities.put(one, true));
    return identities.keySet();
  }

  /**
   * Called when a server has reported its position.
   *
   * @param server compared by identity; one that is not writable is ignored
   * @param t0 a time before the question was sent
   * @param position the position within what the feed covers; an empty one proves nothing
   */
  public synchronized void onPosition(Object server, long t0, Position position) {
    ServerProof proof = servers.get(server);
    if (proof != null && openGaps == 0 && !position.isEmpty()) {
      proof.onReported(new ReportedPosition(t0, position), applied, margin.getAsLong());
      publish();
    }
  }

  /** Called when all changes up to a position are applied and visible to readers. */
  public synchronized void onApplied(Position feed) {
    if (openGaps > 0) {
      return; // from before the gap
    }
    applied = applied.merge(feed);
    long marginNanos = margin.getAsLong();
    servers.values().forEach(proof -> proof.onApplied(applied, marginNanos));
    publish();
  }

  /**
   * Called when the feed has a gap, which the applying thread has not handled yet. Positions from
   * before and after cannot be compared, since a restored server has fewer changes than were
   * applied. So nothing is proved until {@link #onGapApplied}.
   */
  public synchronized void onGap() {
    openGaps++;
    forget();
  }

  /**
   * Called when the applying thread has handled a gap: every server must prove its position anew.
   */
  public synchronized void onGapApplied() {
    openGaps = Math.max(0, openGaps - 1);
    forget();
  }

  private void forget() {
    applied = Position.NONE;
    servers.replaceAll((server, proof) -> new ServerProof());
    publish();
  }

  /** Sets a task that is run after each possible proof, on any thread. The task must not block. */
  void setProofListener(Runnable listener) {
    proofListener = listener;
  }

  private void publish() {
    updateAsOf();
    proofListener.run();
  }

  private void updateAsOf() {
    long least = NEVER;
    boolean first = true;
    for (ServerProof proof : servers.values()) {
      if (proof.asOf == NEVER) {
        asOf = NEVER;
        return;
      }
      least = first || proof.asOf - least < 0 ? proof.asOf : least;
      first = false;
    }
    asOf = least;
  }

  /**
   * The server with the oldest proof. Immutable.
   *
   * @param lastAskedNanos the time of the last question that it has answered; {@link #NEVER} if
   *     none
   */
  public record LaggingServer(Object server, long lastAskedNanos) {}

  /** Returns the position up to which changes are applied and visible to readers. */
  public synchronized Position applied() {
    return applied;
  }

  /** Returns the server that holds back the lease; null if none takes writes. */
  public synchronized @Nullable LaggingServer laggingServer() {
    Map.Entry<Object, ServerProof> last = null;
    for (Map.Entry<Object, ServerProof> one : servers.entrySet()) {
      last = last == null || one.getValue().isBehind(last.getValue()) ? one : last;
    }
    return last == null ? null : new LaggingServer(last.getKey(), last.getValue().lastAskedNanos);
  }

  /**
   * True if results that the feed holds may be served.
   *
   * @param now the time of the decision, not that of the request
   */
  public boolean isLive(long now) {
    long proved = asOf;
    return proved != NEVER && now - proved <= boundNanos;
  }

  /**
   * True if the results include every write that was acknowledged before a time.
   *
   * @param nanos at most the present time
   */
  public boolean hasReached(long nanos) {
    long proved = asOf;
    return proved != NEVER && proved - nanos >= 0;
  }

  /**
   * Returns the time such that results include every write acknowledged before it; {@link #NEVER}
   * if none.
   */
  public long asOf() {
    return asOf;
  }

  /** Returns the maximum age of results that are served. */
  public Duration bound() {
    return Duration.ofNanos(boundNanos);
  }
}
