// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The limit of unanswered operations on one connection to a server, learnt from connections that
 * the server ends. slapd ends a connection with more than {@code conn_max_pending} waiting
 * operations, and says nothing.
 *
 * <ol>
 *   <li>One end with several unanswered operations is a suspicion: half as many are allowed for 10
 *       seconds.
 *   <li>A second end within 10 minutes, of a connection made since, proves the limit. Half of what
 *       was unanswered is allowed from then on.
 *   <li>A restart of the server also ends connections. So the connection of the health probe must
 *       have been open throughout, from before the first end.
 *   <li>An end with a single operation shows that the operation is the cause, and not the number.
 *   <li>The limit is never raised, since each trial would cost writes their outcome. The limit is
 *       forgotten when the server goes down, and after a day.
 * </ol>
 *
 * Thread-safe.
 */
public final class ConnectionLimit {
  /** The limit while none is known. */
  public static final int NONE = Integer.MAX_VALUE;

  /** Fewest unanswered operations that may be too many. */
  private static final int LEAST = 2;

  /** Time for which a suspicion alone limits what is sent. */
  static final long SUSPICION_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Longest time between two ends that prove a limit. */
  static final long EVIDENCE_NANOS = TimeUnit.MINUTES.toNanos(10);

  /** Age at which a limit is forgotten, if the server never goes down. */
  static final long LIFE_NANOS = TimeUnit.DAYS.toNanos(1);

  private static final Logger LOG = LoggerFactory.getLogger(ConnectionLimit.class);

  private final ServerAddress server;
  private volatile int most = NONE;
  private volatile int learnt = NONE;
  private long learntAt;
  private boolean suspected;

  /** Operations that the newest suspicion allows. */
  private int allowed = NONE;

  private long suspectedAt;

  /** When the connection of the health probe was made, if there is one. */
  private long probeMadeAt;

  private boolean probed;

  ConnectionLimit(ServerAddress server) {
    this.server = server;
  }

  /** Most unanswered operations on one connection now; {@link #NONE} without a limit. */
  public int most() {
    return most;
  }

  /** True if a limit has been proved. */
  public boolean known() {
    return learnt != NONE;
  }

  /** The proved limit; 0 without one. */
  int status() {
    int now = learnt;
    return now == NONE ? 0 : now;
  }

  /** The connection of the health probe has been made. */
  public synchronized void probeOpened(long now) {
    probed = true;
    probeMadeAt = now;
  }

  /** The connection of the health probe has ended. */
  public synchronized void probeClosed() {
    probed = false;
  }

  /**
   * The server has ended a connection that was in use.
   *
   * @param unanswered operations that were sent on the connection and may still take a place there
   * @param madeAt when the connection was made
   * @return true if the number of operations may be the cause, or if the server has restarted
   */
  public boolean ended(int unanswered, long madeAt, long now) {
    boolean news;
    int before;
    synchronized (this) {
      before = learnt;
      news = judge(unanswered, madeAt, now);
    }
    if (news && learnt < before) {
      LOG.warn(
          "upstream {} ended connections with {} unanswered operations and goes on otherwise:"
              + " at most {} are sent on one connection from now on (slapd: conn_max_pending,"
              + " conn_max_pending_auth)",
          server,
          unanswered,
          learnt);
    }
    return news;
  }

  private boolean judge(int unanswered, long madeAt, long now) {
    expire(now);
    if (unanswered < LEAST) {
      acquit(unanswered, now);
      return false;
    }
    if (unanswered > most || (suspected && madeAt - suspectedAt < 0)) {
      return false; // the connection had more than is allowed now, or is of the same moment
    }
    boolean repeated = suspected && probed && probeMadeAt - suspectedAt < 0;
    allowed = Math.min(repeated ? allowed : NONE, unanswered / 2);
    if (repeated) {
      learnt = allowed;
      learntAt = now;
    }
    most = allowed;
    suspected = true;
    suspectedAt = now;
    return true;
  }

  /** A connection with one operation has ended: so the number of operations is not the cause. */
  private void acquit(int unanswered, long now) {
    if (unanswered > 0 && suspected && now - suspectedAt <= SUSPICION_NANOS) {
      forget();
    }
  }

  /** Time has passed. */
  public synchronized void expire(long now) {
    if (learnt != NONE && now - learntAt > LIFE_NANOS) {
      forget();
    } else if (suspected && now - suspectedAt > SUSPICION_NANOS) {
      most = learnt;
      suspected = now - suspectedAt <= EVIDENCE_NANOS;
    }
  }

  /** Nothing is known of the server any more. */
  synchronized void forget() {
    suspected = false;
    learnt = NONE;
    most = NONE;
  }
}
