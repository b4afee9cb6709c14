// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.pool;

import io.stoa.operation.ClientSession;
import io.stoa.operation.Restriction;
import io.stoa.upstream.connection.UpstreamConnection;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Which connections of a group may end: those that are of no use, or can be made again when they
 * are needed, or that a client of its own has nothing left on. Event-loop confined.
 */
final class IdlePolicy {
  /** The next request of a client that often needs a connection of its own can have this one. */
  private static final long STATELESS_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final @Nullable ClientSession only;
  private final GroupConnections connections;
  private final UpstreamPool.Settings settings;
  private final BooleanSupplier bindable;

  /** What the only client has begun on its connection, and may go on with. */
  private int states;

  /**
   * Makes it for a group.
   *
   * @param only the one client that it serves; null if it serves all of an identity
   * @param bindable whether another connection can be bound as the identity
   */
  IdlePolicy(
      @Nullable ClientSession only,
      GroupConnections connections,
      UpstreamPool.Settings settings,
      BooleanSupplier bindable) {
    this.only = only;
    this.connections = connections;
    this.settings = settings;
    this.bindable = bindable;
  }

  /** The connection holds so many states of the only client more, or less. */
  void stateLeft(int more) {
    states = Math.max(0, states + more);
  }

  /** The connection has ended, and all that the only client had there. */
  void forget() {
    states = 0;
  }

  /**
   * A connection of one client alone that is without work, and of which the client loses no more
   * than a place in its pages; null if there is none.
   */
  @Nullable UpstreamConnection spare() {
    return changeable() ? connections.idle(0) : null;
  }

  /** What its only client asks may be asked elsewhere: nothing more is sent here, if so. */
  boolean leave() {
    boolean may = connections.isEmpty() || (states == 0 && changeable());
    if (may) {
      connections.all().forEach(UpstreamConnection::drain);
    }
    return may;
  }

  private boolean changeable() {
    return only != null && only.restriction().compareTo(Restriction.ONLY_CONNECTION) < 0;
  }

  /** Whether its only client would lose something with the connection. */
  boolean holdsState() {
    return states > 0 || spare() == null;
  }

  /** The connection of the only client may be dead: it ends if the client loses nothing by it. */
  void renounce() {
    if (!holdsState()) {
      connections.all().forEach(UpstreamConnection::drain);
    }
  }

  /** Whether a connection of all that act as the identity can be made again. */
  boolean renewable() {
    return only == null && bindable.getAsBoolean();
  }

  /** A connection that is to be made anew, and can be; null if there is none. */
  @Nullable UpstreamConnection outdated(long now) {
    UpstreamConnection outdated = connections.outdated(now, settings.ageNanos());
    boolean may = renewable() || (states == 0 && outdated == spare());
    return may ? outdated : null;
  }

  /** Servers end connections that are idle: one that can be made again is ended before. */
  void rested(UpstreamConnection connection, long nanos) {
    boolean ofNoUse = states == 0 && nanos > STATELESS_NANOS && connection == spare();
    if (ofNoUse || (connections.size() > 1 && nanos > settings.spareNanos())) {
      connection.close();
    } else if (nanos > settings.idleNanos()) {
      if (renewable()) {
        connection.close();
      } else {
        connection.keepAlive(settings.connectMillis());
      }
    }
  }
}
