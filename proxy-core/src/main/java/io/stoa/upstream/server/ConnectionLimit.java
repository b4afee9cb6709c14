// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Learns the limit of unanswered operations on one connection, from connections that the server
 * ends. slapd ends a connection with more than {@code conn_max_pending} waiting operations, and
 * sends no reason.
 *
 * <ol>
 *   <li>One end with several unanswered operations makes the number suspect: half as many are
 *       allowed for 10 seconds.
 *   <li>A second end within 10 minutes, of a connection made since, proves the limit. Half of the
 *       unanswered number is allowed from then on.
 *   <li>A restart of the server also ends connections. So the connection of the health check must
 *       have been open throughout, from before the first end.
 *   <li>An end with a single operation shows that the operation is the cause, and not the number.
 *   <li>The limit is never raised, since each trial would cost writes their outcome. The limit is
 *       forgotten when the server goes down, and after a day.
 * </ol>
 *
 * <p>Threading: thread-safe.
 */
public final class ConnectionLimit {
  /** Value while no limit is known. */
  public static final int NONE = Integer.MAX_VALUE;

  /** Fewest unanswered operations that may be too many: 2. */
  private static final int LEAST = 2;

  /** Time for which a suspect number limits the connection: 10 s. */
  static final long SUSPECT_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Longest time between two ends that prove a limit: 10 min. */
  static final long EVIDENCE_NANOS = TimeUnit.MINUTES.toNanos(10);

  /** Age at which a limit is forgotten, if the server never goes down: 1 day. */
  static final long LIFE_NANOS = TimeUnit.DAYS.toNanos(1);

  private static final Logger LOG = LoggerFactory.getLogger(ConnectionLimit.class);

  private final ServerAddress server;
  private volatile int max = NONE;
  private volatile int learnt = NONE;
  private long learntAt;
  private boolean suspected;

  /** Number of operations allowed since the number is suspect. */
  private int allowed = NONE;

  private long suspectedAt;

  /** Time at which the health-check connection was made, if there is one. */
  private long probeMadeAt;

  private boolean probed;

  ConnectionLimit(ServerAddress server) {
    this.server = server;
  }

  /**
   * Returns the maximum number of unanswered operations on one connection; {@link #NONE} without a
   * limit.
   */
  public int max() {
    return max;
  }

  /** True if a limit has been proved. */
  public boolean isKnown() {
    return learnt != NONE;
  }

  /** Returns the proved limit; 0 without one. */
  int status() {
    int now = learnt;
    return now == NONE ? 0 : now;
  }

  /** Called when the health-check connection has been made. */
  public synchronized void onProbeOpened(long now) {
    probed = true;
    probeMadeAt = now;
  }

  /** Called when the health-check connection has ended. */
  public synchronized void onProbeClosed() {
    probed = false;
  }

  /**
   * Called when the server has ended a connection that was in use.
   *
   * @param unanswered operations that were sent on the connection and may still occupy the server
   * @param madeAt when the connection was made
   * @return true if the number of operations may be the cause, or if the server has restarted
   */
  public boolean onEnded(int unanswered, long madeAt, long now) {
    boolean numberSuspected;
    int previous;
    synchronized (this) {
      previous = learnt;
      numberSuspected = judge(unanswered, madeAt, now);
    }
    if (numberSuspected && learnt < previous) {
      LOG.warn(
          "upstream {} closes connections with {} unanswered operations although it "
              + "is up: limit lowered to {} per connection (see slapd's conn_max_pending "
              + "and conn_max_pending_auth)",
          server,
          unanswered,
          learnt);
    }
    return numberSuspected;
  }

  private boolean judge(int unanswered, long madeAt, long now) {
    expire(now);
    if (unanswered < LEAST) {
      clearSuspect(unanswered, now);
      return false;
    }
    if (unanswered > max || (suspected && madeAt - suspectedAt < 0)) {
      return false; // more than is allowed now, or ended in the same moment
    }
    boolean repeated = suspected && probed && probeMadeAt - suspectedAt < 0;
    allowed = Math.min(repeated ? allowed : NONE, unanswered / 2);
    if (repeated) {
      learnt = allowed;
      learntAt = now;
    }
    max = allowed;
    suspected = true;
    suspectedAt = now;
    return true;
  }

  /** Called when a connection with one operation has ended: then the number is not the cause. */
  private void clearSuspect(int unanswered, long now) {
    if (unanswered > 0 && suspected && now - suspectedAt <= SUSPECT_NANOS) {
      forget();
    }
  }

  /** Ends suspect numbers and limits whose time has passed. */
  public synchronized void expire(long now) {
    if (learnt != NONE && now - learntAt > LIFE_NANOS) {
      forget();
    } else if (suspected && now - suspectedAt > SUSPECT_NANOS) {
      max = learnt;
      suspected = now - suspectedAt <= EVIDENCE_NANOS;
    }
  }

  /** Forgets what was learnt. */
  synchronized void forget() {
    suspected = false;
    learnt = NONE;
    max = NONE;
  }
}
