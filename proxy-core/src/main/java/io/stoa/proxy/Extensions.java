// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy;

import io.stoa.client.auth.LocalBinds;
import io.stoa.client.listener.InheritedSockets;
import io.stoa.client.listener.ListenerConfig;
import io.stoa.operation.AccessListener;
import io.stoa.operation.OperationCounters;
import io.stoa.operation.Stage;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Extensions that the surrounding process adds to the proxy.
 *
 * <p>Threading: immutable.
 *
 * @param front creates the first stage of each event loop's chain from the next stage
 * @param counters count events of clients and their operations
 * @param binds answers binds of clients that only the process knows
 * @param opened called once with the open listeners, before anything about the configuration is
 *     logged
 * @param feedState the file with the proof of coverage of feeds for the next start; null for none
 * @param access receives the events of access logs
 * @param sockets sockets of listeners that the service manager has opened
 */
public record Extensions(
    UnaryOperator<Stage> front,
    OperationCounters counters,
    LocalBinds binds,
    Consumer<List<ListenerConfig>> opened,
    @Nullable Path feedState,
    AccessListener access,
    InheritedSockets sockets) {
  /** Creates extensions without binds of their own and without a feed state. */
  public Extensions(
      UnaryOperator<Stage> front,
      OperationCounters counters,
      Consumer<List<ListenerConfig>> opened) {
    this(
        front, counters, LocalBinds.NONE, opened, null, AccessListener.NONE, InheritedSockets.NONE);
  }

  /** Returns extensions that add nothing. */
  public static Extensions none() {
    return new Extensions(next -> next, new OperationCounters(), listeners -> {});
  }
}
