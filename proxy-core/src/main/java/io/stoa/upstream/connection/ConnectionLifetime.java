// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connection;

import io.stoa.upstream.server.Backend;
import java.util.concurrent.ThreadLocalRandom;

/**
 * What can be told of one connection to a server, and when it is to end: how old it may become,
 * each a little less, so that not all end at once; or that somebody wants it to. Event-loop
 * confined.
 */
public final class ConnectionLifetime {
  private static final double MOST_EARLY = 0.25;

  private final UpstreamConnection connection;
  private final PendingOperations inFlight;
  private final long made = System.nanoTime();
  private final double part = 1 - ThreadLocalRandom.current().nextDouble(MOST_EARLY);
  private long idleSince = made;
  private long number;

  /** It is to be made anew, as one that is too old. */
  private boolean unwanted;

  /** It takes nothing new once it can be used. */
  private boolean retired;

  ConnectionLifetime(UpstreamConnection connection, PendingOperations inFlight) {
    this.connection = connection;
    this.inFlight = inFlight;
  }

  /** It is the connection of that number. */
  void number(long given) {
    number = given;
  }

  /** Counts the connections of all event loops. */
  public long number() {
    return number;
  }

  /**
   * The connection as it is now.
   *
   * @param type what it is used for, in lloadd's words
   * @param identity the DN as which it acts; empty if it has none
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

  /** Whether it cannot be used yet; the bind of a client is a use. */
  private boolean isPreparing() {
    ConnectionState state = connection.state();
    return state == ConnectionState.CONNECTING
        || (state == ConnectionState.BINDING && inFlight.isEmpty());
  }

  /** In lloadd's words. */
  private String state() {
    if (unwanted || connection.ending()) {
      return "closing";
    }
    return connection.idle() ? "ready" : "active";
  }

  /**
   * The server has ended the connection. If the number of unanswered operations may be the cause,
   * the probe looks whether the server is there.
   */
  void endedByServer() {
    Backend backend = connection.backend();
    boolean used = connection.state() == ConnectionState.READY && !connection.slow();
    if (used && backend.places().ofConnection().ended(inFlight.places(), made, System.nanoTime())) {
      backend.health().doubt();
    }
  }

  /** From now on it has nothing to do. */
  void rests() {
    idleSince = System.nanoTime();
  }

  long idleSince() {
    return idleSince;
  }

  /** Whether it is older than it may be, or than its server's connections are to be. */
  boolean isOver(long now, long mostNanos) {
    Backend backend = connection.backend();
    return unwanted || now - made > mostNanos * part || backend.isOutdated(made);
  }

  /** Whether somebody wants it to end. */
  public boolean unwanted() {
    return unwanted;
  }

  /** It is to be made anew as soon as nobody loses anything by that. */
  public void outdate() {
    unwanted = true;
  }

  /**
   * It takes nothing new, and ends when all is answered. One that is just being bound does so after
   * that.
   */
  public void retire() {
    unwanted = true;
    retired = true;
    if (connection.state() == ConnectionState.READY) {
      connection.drain();
    }
  }

  /** Whether a connection in that state is to end when all is answered. */
  boolean isLeaving(ConnectionState state) {
    return state == ConnectionState.DRAINING || (retired && state == ConnectionState.READY);
  }
}
