// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.pool;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.net.transport.LoopTurns;
import io.stoa.operation.event.ClientChoice;
import io.stoa.upstream.connection.ConnectionStatus;
import io.stoa.upstream.connection.Connector;
import io.stoa.upstream.connection.UpstreamConnection;
import io.stoa.upstream.server.Backend;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Lists the upstream connections of one event loop, and closes one on request.
 *
 * <p>Threading: event loop.
 */
public final class ConnectionInspector {
  private final EventExecutor loop;
  private final Connector connector;

  ConnectionInspector(EventExecutor loop, Connector connector) {
    this.loop = loop;
    this.connector = connector;
  }

  /**
   * Returns snapshots of the chosen connections. The loop works in slices, so it is never blocked.
   *
   * @param choice the connections wanted; one of each server is included unless none is wanted
   */
  public CompletableFuture<List<ConnectionStatus>> list(ClientChoice choice) {
    if (choice.none()) {
      return CompletableFuture.completedFuture(List.of());
    }
    Set<Backend> servers = new HashSet<>();
    List<ConnectionStatus> statuses = new ArrayList<>();
    return LoopTurns.forEach(
            loop,
            connector.connections(),
            one -> {
              if (servers.add(one.backend()) || isChosen(one, choice)) {
                statuses.add(status(one));
              }
            })
        .thenApply(done -> statuses);
  }

  private static boolean isChosen(UpstreamConnection connection, ClientChoice choice) {
    Long number = choice.number();
    return number == null || number == connection.lifetime().number();
  }

  private static ConnectionStatus status(UpstreamConnection connection) {
    boolean bind = connection.owner() instanceof BindConnections;
    return connection.lifetime().status(bind ? "bind" : "regular", identity(connection.owner()));
  }

  private static String identity(UpstreamConnection.Owner owner) {
    if (owner instanceof ConnectionGroup group) {
      return group.identity();
    }
    if (owner instanceof RestingConnections.Resting resting) {
      return resting.identity();
    }
    return owner instanceof SaslConnection sasl ? sasl.identity() : "";
  }

  /**
   * Closes a connection gracefully. One that can be made again is drained. One that holds a
   * client's state ends when the client has nothing left on it.
   *
   * @return false if there is no connection of that number
   */
  public boolean close(long number) {
    UpstreamConnection connection = connector.connection(number);
    if (connection == null) {
      return false;
    }
    if (isRenewable(connection)) {
      connection.lifetime().retire();
    } else {
      connection.lifetime().requestRenewal();
    }
    return true;
  }

  /**
   * True if the connection can be made again. A bind connection in use cannot: its client may need
   * it.
   */
  private static boolean isRenewable(UpstreamConnection connection) {
    UpstreamConnection.Owner owner = connection.owner();
    if (owner instanceof RestingConnections.Resting resting) {
      return resting.canBeBoundAgain();
    }
    return owner instanceof ConnectionGroup group
        ? group.idlePolicy().isRenewable()
        : owner instanceof BindConnections && connection.isIdle();
  }
}
