// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connection;

import io.netty.channel.Channel;
import io.stoa.net.codec.FlushQueue;
import io.stoa.net.codec.HandlerNames;
import io.stoa.operation.ClientSession;
import io.stoa.upstream.connect.Dialer;
import io.stoa.upstream.server.Backend;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections to servers on one event loop.
 *
 * <p>Threading: event loop.
 */
public final class Connector {
  private final Dialer dialer;
  private final FlushQueue flushes;
  private final boolean sessionTracking;
  private final ResponseWatchdog watchdog = new ResponseWatchdog();
  private final ConnectionRegistry registry;

  /**
   * Creates the connector of one event loop.
   *
   * @param flushes queue of writes that are sent at the end of the loop's turn
   * @param sessionTracking true to add the session tracking control to client requests
   * @param numbers source of connection numbers, shared by all event loops
   */
  public Connector(
      Dialer dialer, FlushQueue flushes, boolean sessionTracking, LongSupplier numbers) {
    this.registry = new ConnectionRegistry(numbers);
    this.dialer = dialer;
    this.flushes = flushes;
    this.sessionTracking = sessionTracking;
  }

  /** Returns the watchdog of its connections, except health-check connections. */
  public ResponseWatchdog watchdog() {
    return watchdog;
  }

  /** Returns the registry of its connections, except health-check connections. */
  public ConnectionRegistry registry() {
    return registry;
  }

  /** Receives the result of a connection attempt, on the event loop. */
  public interface ConnectListener {
    /** Called when the connection is made. The owner now owns it. */
    void onConnected(UpstreamConnection connection);

    /**
     * Called when the attempt has failed. The caller must still release the reserved connection.
     *
     * @param ours true if a shortage in Stoa is the cause, which says nothing about the server
     */
    void onFailed(Throwable cause, boolean ours);
  }

  /** Opens a connection that does not count against the server's connection limit. */
  void connectUncounted(Backend backend, UpstreamConnection.Owner owner, ConnectListener outcome) {
    dial(backend, new Purpose(owner, null, false), outcome);
  }

  /**
   * Opens a connection. The caller has reserved it at the server.
   *
   * @param only the client to which the connection is dedicated; null if it is shared
   */
  public PendingConnection connect(
      Backend backend,
      UpstreamConnection.Owner owner,
      @Nullable ClientSession only,
      ConnectListener outcome) {
    return dial(backend, new Purpose(owner, only, true), outcome);
  }

  /** Use of a connection, and whether it counts against the server's connection limit. */
  private record Purpose(
      UpstreamConnection.Owner owner, @Nullable ClientSession only, boolean counted) {}

  private PendingConnection dial(Backend backend, Purpose purpose, ConnectListener outcome) {
    ClientSession only = purpose.only();
    PendingConnection approach =
        new PendingConnection(
            backend, watchdog, channel -> attach(channel, backend, purpose), outcome);
    if (purpose.counted()) {
      watchdog.add(approach);
    }
    dialer.dial(backend.address(), only == null ? null : only.endpoint(), approach);
    return approach;
  }

  private UpstreamConnection attach(Channel channel, Backend backend, Purpose purpose) {
    ResponseWatchdog watching = purpose.counted() ? watchdog : null;
    UpstreamConnection connection =
        new UpstreamConnection(backend, channel, flushes, purpose.owner(), watching);
    if (purpose.counted()) {
      registry.add(connection);
    }
    if (sessionTracking) {
      connection.requestWriter().enableTracking();
    }
    channel.pipeline().addLast(HandlerNames.CONNECTION, connection);
    return connection;
  }
}
