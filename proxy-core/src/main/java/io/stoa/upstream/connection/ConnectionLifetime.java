// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connection;

import io.stoa.upstream.server.Backend;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Age, number and status of one upstream connection, and when to close it. A connection ends at its
 * maximum age, less a random part of up to 25 %, so that not all end at once. An administrator or
 * the owner can request an earlier end.
 *
 * <p>Threading: event loop.
 */
public final class ConnectionLifetime {
  private static final double MAX_EARLY = 0.25;

  private final UpstreamConnection connection;
  private final PendingOperations inFlight;
  private final long madeAt = System.nanoTime();
  private final double ageFactor = 1 - ThreadLocalRandom.current().nextDouble(MAX_EARLY);
  private long idleSince = madeAt;
  private long number;

  /** True if the connection is to be replaced like one that is too old. */
  private boolean renewalRequested;

  /** True if the connection takes no new operation once it is usable. */
  private boolean retired;

  ConnectionLifetime(UpstreamConnection connection, PendingOperations inFlight) {
    this.connection = connection;
    this.inFlight = inFlight;
  }

  /** Sets the number of the connection. */
  void setNumber(long newNumber) {
    number = newNumber;
  }

  /** Returns the number of the connection, unique over all event loops. */
  public long number() {
    return number;
  }

  /**
   * Returns a snapshot of the connection.
   *
   * @param type use of the connection, in lloadd's words
   * @param identity DN as which it acts; empty if it has none
   */
  public ConnectionStatus status(String type, String identity) {
    return new ConnectionStatus(
        number,
        connection.backend().address(),
        isPreparing() ? "preparing" : type,
        state(),
        connection.channel().localAddress(),
        connection.channel().remoteAddress(),
        identity,
        inFlight.size(),
        inFlight.sent(),
        inFlight.completed());
  }

  /** True if the connection is not usable yet. A client's bind is a use. */
  private boolean isPreparing() {
    ConnectionState state = connection.state();
    return state == ConnectionState.CONNECTING
        || (state == ConnectionState.BINDING && inFlight.isEmpty());
  }

  /** Returns the state in lloadd's words. */
  private String state() {
    if (renewalRequested || connection.isDraining()) {
      return "closing";
    }
    return connection.isIdle() ? "ready" : "active";
  }

  /**
   * Called when the server has ended the connection. If the number of unanswered operations may be
   * the cause, a health check follows.
   */
  void onEndedByServer() {
    Backend backend = connection.backend();
    boolean used = connection.state() == ConnectionState.READY && !connection.isSlow();
    if (used
        && backend
            .limiter()
            .connectionLimit()
            .onEnded(inFlight.occupiedPlaces(), madeAt, System.nanoTime())) {
      backend.health().requestCheck();
    }
  }

  /** Marks the connection as idle from now on. */
  void onIdle() {
    idleSince = System.nanoTime();
  }

  long idleSince() {
    return idleSince;
  }

  /**
   * True if the connection has reached its maximum age, or its server's connections are renewed.
   */
  boolean isDueForRenewal(long now, long maxAgeNanos) {
    Backend backend = connection.backend();
    return renewalRequested || now - madeAt > maxAgeNanos * ageFactor || backend.isOutdated(madeAt);
  }

  /** True if the connection was asked to end. */
  public boolean isRenewalRequested() {
    return renewalRequested;
  }

  /** Requests a replacement as soon as the connection is idle. */
  public void requestRenewal() {
    renewalRequested = true;
  }

  /**
   * Drains the connection: it takes nothing new, and closes when all is answered. A connection that
   * is being bound drains afterwards.
   */
  public void retire() {
    renewalRequested = true;
    retired = true;
    if (connection.state() == ConnectionState.READY) {
      connection.drain();
    }
  }

  /** True if a connection in that state closes when all is answered. */
  boolean isLeaving(ConnectionState state) {
    return state == ConnectionState.DRAINING || (retired && state == ConnectionState.READY);
  }
}
