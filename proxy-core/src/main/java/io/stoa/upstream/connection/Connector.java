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

/** Makes connections to servers on one event loop. Event-loop confined. */
public final class Connector {
  private final Dialer dialer;
  private final FlushQueue flushes;
  private final boolean sessionTracking;
  private final ResponseWatchdog vigil = new ResponseWatchdog();
  private final ConnectionRegistry roll;

  /**
   * Makes it for one loop.
   *
   * @param flushes what is to be sent at the end of the loop's round
   * @param sessionTracking whether servers are told whose operations they are
   * @param numbers gives each connection a number, over all loops
   */
  public Connector(
      Dialer dialer, FlushQueue flushes, boolean sessionTracking, LongSupplier numbers) {
    this.roll = new ConnectionRegistry(numbers);
    this.dialer = dialer;
    this.flushes = flushes;
    this.sessionTracking = sessionTracking;
  }

  /** What its connections wait for, but for those that do not count. */
  public ResponseWatchdog vigil() {
    return vigil;
  }

  /** Its connections, but for those that do not count. */
  public ConnectionRegistry roll() {
    return roll;
  }

  /** Hears whether a connection was made; on the event loop. */
  public interface Outcome {
    /** It was made, and is the owner's. */
    void connected(UpstreamConnection connection);

    /**
     * It was not; the right to it is still to be given back.
     *
     * @param ours whether it was for a lack of Stoa's own, and says nothing of the server
     */
    void failed(Throwable cause, boolean ours);
  }

  /** Connects to a server beyond the bound of its connections. */
  void connectUncounted(Backend backend, UpstreamConnection.Owner owner, Outcome outcome) {
    dial(backend, new Purpose(owner, null, false), outcome);
  }

  /**
   * Connects to a server, for which the right to a connection has been taken.
   *
   * @param only the one client that the connection is for; null if it is not for one alone
   */
  public PendingConnection connect(
      Backend backend,
      UpstreamConnection.Owner owner,
      @Nullable ClientSession only,
      Outcome outcome) {
    return dial(backend, new Purpose(owner, only, true), outcome);
  }

  /** What a connection is for, and whether the right to it is to be given back at its end. */
  private record Purpose(
      UpstreamConnection.Owner owner, @Nullable ClientSession only, boolean counted) {}

  private PendingConnection dial(Backend backend, Purpose purpose, Outcome outcome) {
    ClientSession only = purpose.only();
    PendingConnection approach =
        new PendingConnection(
            backend, vigil, channel -> attach(channel, backend, purpose), outcome);
    if (purpose.counted()) {
      vigil.add(approach);
    }
    dialer.dial(backend.address(), only == null ? null : only.endpoint(), approach);
    return approach;
  }

  private UpstreamConnection attach(Channel channel, Backend backend, Purpose purpose) {
    ResponseWatchdog watching = purpose.counted() ? vigil : null;
    UpstreamConnection connection =
        new UpstreamConnection(backend, channel, flushes, purpose.owner(), watching);
    if (purpose.counted()) {
      roll.enter(connection);
    }
    if (sessionTracking) {
      connection.outlet().track();
    }
    channel.pipeline().addLast(HandlerNames.CONNECTION, connection);
    return connection;
  }
}
