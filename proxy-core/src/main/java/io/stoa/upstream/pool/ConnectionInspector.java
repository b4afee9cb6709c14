// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.pool;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.net.transport.LoopTurns;
import io.stoa.operation.event.ClientChoice;
import io.stoa.upstream.connection.ConnectionRegistry;
import io.stoa.upstream.connection.ConnectionStatus;
import io.stoa.upstream.connection.UpstreamConnection;
import io.stoa.upstream.server.Backend;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Tells of the connections of one event loop, and lets one of them end. Event-loop confined. */
public final class ConnectionInspector {
  private final EventExecutor loop;
  private final ConnectionRegistry roll;

  ConnectionInspector(EventExecutor loop, ConnectionRegistry roll) {
    this.loop = loop;
    this.roll = roll;
  }

  /**
   * Tells of the connections. The loop does so in turns.
   *
   * @param choice which of them are wanted; if not all are, one of each server is told of, too
   */
  public CompletableFuture<List<ConnectionStatus>> take(ClientChoice choice) {
    if (choice.nobody()) {
      return CompletableFuture.completedFuture(List.of());
    }
    Set<Backend> shown = new HashSet<>();
    List<ConnectionStatus> told = new ArrayList<>();
    return LoopTurns.forEach(
            loop,
            roll.all(),
            one -> {
              if (shown.add(one.backend()) || isMeant(one, choice)) {
                told.add(status(one));
              }
            })
        .thenApply(done -> told);
  }

  private static boolean isMeant(UpstreamConnection one, ClientChoice choice) {
    Long number = choice.number();
    return number == null || number == one.account().number();
  }

  private static ConnectionStatus status(UpstreamConnection one) {
    boolean bind = one.owner() instanceof BindConnections;
    return one.account().status(bind ? "bind" : "regular", identity(one.owner()));
  }

  private static String identity(UpstreamConnection.Owner owner) {
    if (owner instanceof ConnectionGroup group) {
      return group.connections().identity();
    }
    return owner instanceof SaslConnection own ? own.identity() : "";
  }

  /**
   * Lets a connection end. One that can be made again takes nothing new, and ends when what it has
   * is answered; one that has something of a client on it ends when that has nothing left there.
   *
   * @return false if there is none of that number
   */
  public boolean close(long number) {
    UpstreamConnection meant = roll.get(number);
    if (meant == null) {
      return false;
    }
    if (isRenewable(meant)) {
      meant.account().retire();
    } else {
      meant.account().outdate();
    }
    return true;
  }

  /** Whoever binds on one of those for binds may need just this one from then on. */
  private static boolean isRenewable(UpstreamConnection one) {
    return one.owner() instanceof ConnectionGroup group
        ? group.ease().renewable()
        : one.owner() instanceof BindConnections && one.idle();
  }
}
