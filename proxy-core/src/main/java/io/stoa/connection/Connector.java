// SPDX-License-Identifier: Apache-2.0
package io.stoa.connection;

import io.netty.channel.Channel;
import io.stoa.backend.Backend;
import io.stoa.codec.FlushQueue;
import io.stoa.codec.HandlerNames;
import io.stoa.dial.Dialer;
import io.stoa.operation.ClientSession;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Makes connections to servers on one event loop. Event-loop confined. */
public final class Connector {
  private final Dialer dialer;
  private final FlushQueue flushes;
  private final boolean sessionTracking;

  /**
   * Makes it for one loop.
   *
   * @param flushes what is to be sent at the end of the loop's round
   * @param sessionTracking whether servers are told whose operations they are
   */
  public Connector(Dialer dialer, FlushQueue flushes, boolean sessionTracking) {
    this.dialer = dialer;
    this.flushes = flushes;
    this.sessionTracking = sessionTracking;
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

  /** Connects to a server, for which the right to a connection has been taken. */
  public void connect(Backend backend, UpstreamConnection.Owner owner, Outcome outcome) {
    connect(backend, owner, null, outcome);
  }

  /** Connects to a server beyond the bound of its connections. */
  void connectUncounted(Backend backend, UpstreamConnection.Owner owner, Outcome outcome) {
    dial(backend, new Purpose(owner, null, false), outcome);
  }

  /**
   * Connects to a server for one client alone, for which the right to a connection has been taken.
   *
   * @param only null if the connection is not for one client alone
   */
  public void connect(
      Backend backend,
      UpstreamConnection.Owner owner,
      @Nullable ClientSession only,
      Outcome outcome) {
    dial(backend, new Purpose(owner, only, true), outcome);
  }

  /** What a connection is for, and whether the right to it is to be given back at its end. */
  private record Purpose(
      UpstreamConnection.Owner owner, @Nullable ClientSession only, boolean counted) {}

  private void dial(Backend backend, Purpose purpose, Outcome outcome) {
    ClientSession only = purpose.only();
    dialer.dial(
        backend.address(),
        only == null ? null : only.endpoint(),
        new Dialer.Outcome() {
          @Override
          public void connected(Channel channel) {
            outcome.connected(attach(channel, backend, purpose));
          }

          @Override
          public void failed(Throwable cause) {
            outcome.failed(cause, !(cause instanceof IOException));
          }
        });
  }

  private UpstreamConnection attach(Channel channel, Backend backend, Purpose purpose) {
    UpstreamConnection connection =
        new UpstreamConnection(backend, channel, flushes, purpose.owner());
    if (!purpose.counted()) {
      connection.makeUncounted();
    }
    if (sessionTracking) {
      connection.outlet().track();
    }
    channel.pipeline().addLast(HandlerNames.CONNECTION, connection);
    return connection;
  }
}
