// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.pool;

import io.stoa.operation.ClientSession;
import io.stoa.operation.Restriction;
import io.stoa.upstream.connection.UpstreamConnection;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Closes idle connections of a group, or keeps them alive if they cannot be made again. Decides
 * which others may be closed: surplus ones, and dedicated ones that hold no state.
 *
 * <p>Threading: event loop.
 */
final class IdlePolicy {
  /**
   * Idle time after which a dedicated connection without state is closed: 1 s. A client that often
   * needs one finds it again within that time.
   */
  private static final long STATELESS_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final @Nullable ClientSession onlyClient;
  private final GroupConnections connections;
  private final UpstreamPool.PoolSettings settings;
  private final BooleanSupplier bindable;

  /** Number of states that the dedicated connection holds, such as paged searches. */
  private int states;

  /**
   * Creates the policy of one group.
   *
   * @param onlyClient the client of a dedicated group; null if the group is shared
   * @param bindable true if another connection can be bound as the identity
   */
  IdlePolicy(
      @Nullable ClientSession onlyClient,
      GroupConnections connections,
      UpstreamPool.PoolSettings settings,
      BooleanSupplier bindable) {
    this.onlyClient = onlyClient;
    this.connections = connections;
    this.settings = settings;
    this.bindable = bindable;
  }

  /** Adds to the number of states on the connection. */
  void addStates(int delta) {
    states = Math.max(0, states + delta);
  }

  /** Called when the connection has ended with all its state. */
  void clearStates() {
    states = 0;
  }

  /**
   * Returns an idle dedicated connection that may be closed; null if there is none. The client
   * loses at most its position in a paged search.
   */
  @Nullable UpstreamConnection closable() {
    return isReplaceable() ? connections.idle(0) : null;
  }

  /**
   * Drains the connection if its client's operations may move to another server. Returns true if
   * so.
   */
  boolean tryDrain() {
    boolean drainable = connections.isEmpty() || (states == 0 && isReplaceable());
    if (drainable) {
      connections.all().forEach(UpstreamConnection::drain);
    }
    return drainable;
  }

  private boolean isReplaceable() {
    return onlyClient != null
        && onlyClient.restriction().compareTo(Restriction.ONLY_CONNECTION) < 0;
  }

  /** True if the client would lose state with its dedicated connection. */
  boolean holdsState() {
    return states > 0 || closable() == null;
  }

  /** Called when the connection may be dead. Drains it if it holds no state. */
  void drainIfStateless() {
    if (!holdsState()) {
      connections.all().forEach(UpstreamConnection::drain);
    }
  }

  /** True if a shared connection can be made again. */
  boolean isRenewable() {
    return onlyClient == null && bindable.getAsBoolean();
  }

  /** Returns a connection that is due for renewal and can be made again; null if there is none. */
  @Nullable UpstreamConnection dueForRenewal(long now) {
    UpstreamConnection outdated = connections.dueForRenewal(now, settings.ageNanos());
    boolean renewable = isRenewable() || (states == 0 && outdated == closable());
    return renewable ? outdated : null;
  }

  /**
   * Closes an idle connection, or sends a keep-alive request if it cannot be made again. Servers
   * close idle connections; one that can be made again is closed before that.
   */
  void closeOrKeepAlive(UpstreamConnection connection, long nanos) {
    boolean ofNoUse = states == 0 && nanos > STATELESS_NANOS && connection == closable();
    if (ofNoUse || (connections.size() > 1 && nanos > settings.spareNanos())) {
      connection.close();
    } else if (nanos > settings.idleNanos()) {
      if (isRenewable()) {
        connection.close();
      } else {
        connection.sendKeepAlive(settings.connectMillis());
      }
    }
  }
}
