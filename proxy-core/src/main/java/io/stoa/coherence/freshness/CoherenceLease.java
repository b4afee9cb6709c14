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
 *   <li>After a gap of the feed nothing proves anything until {@link #revoke}: positions of before
 *       and after cannot be compared.
 * </ol>
 *
 * <p><b>Without it</b> a feed that is cut off serves stale results without a bound: the mutant
 * {@code NO_LEASE}.
 *
 * <p>Threading: thread-safe. A hit reads one volatile number.
 */
public final class CoherenceLease {
  /** What {@link #asOf} says until there is a proof. */
  public static final long NEVER = Long.MIN_VALUE;

  /** Answers of one server that are kept until the feed has come so far. */
  private static final int MOST_WAITING = 32;

  private final long boundNanos;
  private final LongSupplier margin;
  private final IdentityHashMap<Object, Standing> servers = new IdentityHashMap<>();
  private Position applied = Position.NONE;

  /** Breaks of the feed that are not applied yet. */
  private int breaks;

  private volatile long asOf = NEVER;
  private volatile Runnable proof = () -> {};

  /**
   * Makes one that is not live before all servers have proved it.
   *
   * @param bound how old what is served may be
   * @param margin by how many nanoseconds a server may have acknowledged a write before it tells a
   *     position that covers it: see {@link WriteLatency}
   */
  public CoherenceLease(Duration bound, LongSupplier margin) {
    this.boundNanos = bound.toNanos();
    this.margin = margin;
  }

  /** A position that a server has told. Immutable. */
  private record Told(long t0, Position position) {}

  /** What one server has told; under the lock of the lease (confined to it). */
  private static final class Standing {
    private final Deque<Told> waiting = new ArrayDeque<>();
    private long asOf = NEVER;
    private long heard = NEVER;

    void told(Told told, Position feed, long marginNanos) {
      heard = told.t0;
      if (feed.covers(told.position)) {
        waiting.clear(); // also if it tells less than before, as after a restore
        reached(told.t0 - marginNanos);
        return;
      }
      if (waiting.size() == MOST_WAITING) {
        waiting.removeLast(); // the oldest is reached first: it must not make way
      }
      waiting.addLast(told);
    }

    void applied(Position feed, long marginNanos) {
      while (!waiting.isEmpty() && feed.covers(waiting.getFirst().position)) {
        reached(waiting.removeFirst().t0 - marginNanos);
      }
    }

    boolean isBehind(Standing other) {
      return other.asOf != NEVER && (asOf == NEVER || asOf - other.asOf < 0);
    }

    private void reached(long time) {
      asOf = asOf == NEVER || time - asOf > 0 ? time : asOf;
    }
  }

  /** From now on these are the servers that take writes: each of them must prove it. */
  public synchronized void writable(Set<?> now) {
    servers.keySet().retainAll(identities(now));
    now.forEach(server -> servers.computeIfAbsent(server, any -> new Standing()));
    publish();
  }

  private static Set<Object> identities(Set<?> all) {
    IdentityHashMap<Object, Boolean> identities = new IdentityHashMap<>();
    all.forEach(one -> identities.put(one, true));
    return identities.keySet();
  }

  /**
   * A server has told how far it has got.
   *
   * @param server compared by identity; one that is not writable is ignored
   * @param t0 when the question was about to be sent
   * @param position in what the feed covers; an empty one proves nothing
   */
  public synchronized void proved(Object server, long t0, Position position) {
    Standing standing = servers.get(server);
    if (standing != null && breaks == 0 && !position.isEmpty()) {
      standing.told(new Told(t0, position), applied, margin.getAsLong());
      publish();
    }
  }

  /** The effects of everything up to a position can be seen by who reads what is kept. */
  public synchronized void applied(Position feed) {
    if (breaks > 0) {
      return; // of the history that is over
    }
    applied = applied.merge(feed);
    long marginNanos = margin.getAsLong();
    servers.values().forEach(standing -> standing.applied(applied, marginNanos));
    publish();
  }

  /**
   * The feed does not go on from where it was, and those who are to apply that have not heard of it
   * yet. Positions of before and after are not to be compared: a server that was restored has less
   * than was applied. So nothing proves anything until {@link #revoke}.
   */
  public synchronized void broken() {
    breaks++;
    forget();
  }

  /** That is applied: everything is to be proved anew. */
  public synchronized void revoke() {
    breaks = Math.max(0, breaks - 1);
    forget();
  }

  private void forget() {
    applied = Position.NONE;
    servers.replaceAll((server, standing) -> new Standing());
    publish();
  }

  /** Is run whenever something has been proved, on any thread; must not block. */
  void whenProved(Runnable then) {
    proof = then;
  }

  private void publish() {
    prove();
    proof.run();
  }

  private void prove() {
    long least = NEVER;
    boolean first = true;
    for (Standing standing : servers.values()) {
      if (standing.asOf == NEVER) {
        asOf = NEVER;
        return;
      }
      least = first || standing.asOf - least < 0 ? standing.asOf : least;
      first = false;
    }
    asOf = least;
  }

  /**
   * The server that has proved the least. Immutable.
   *
   * @param heard when the question was sent that it has answered last; {@link #NEVER} for none
   */
  public record Laggard(Object server, long heard) {}

  /** How far the feed has come, as far as its effects can be seen. */
  public synchronized Position applied() {
    return applied;
  }

  /** Which server the lease waits for most; null if none takes writes. */
  public synchronized @Nullable Laggard laggard() {
    Map.Entry<Object, Standing> last = null;
    for (Map.Entry<Object, Standing> one : servers.entrySet()) {
      last = last == null || one.getValue().isBehind(last.getValue()) ? one : last;
    }
    return last == null ? null : new Laggard(last.getKey(), last.getValue().heard);
  }

  /**
   * Whether what is kept may be served.
   *
   * @param now the time of the decision, not that of the request
   */
  public boolean live(long now) {
    long proved = asOf;
    return proved != NEVER && now - proved <= boundNanos;
  }

  /**
   * Whether what is kept shows every write that was acknowledged before a time.
   *
   * @param then no later than now
   */
  public boolean reaches(long then) {
    long proved = asOf;
    return proved != NEVER && proved - then >= 0;
  }

  /** What is kept shows every write acknowledged before this time; {@link #NEVER} for none. */
  public long asOf() {
    return asOf;
  }

  /** How old what is served may be. */
  public Duration bound() {
    return Duration.ofNanos(boundNanos);
  }
}
