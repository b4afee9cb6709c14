// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connection;

import io.netty.channel.Channel;
import io.stoa.upstream.connect.Dialer;
import io.stoa.upstream.server.Backend;
import java.io.IOException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A connection attempt, which its owner can cancel at any time.
 *
 * <p>Threading: event loop.
 */
public final class PendingConnection implements Dialer.Outcome {
  private final Backend backend;
  private final ResponseWatchdog vigil;
  private final Function<Channel, UpstreamConnection> made;
  private final Connector.Outcome outcome;
  private @Nullable Channel channel;
  private @Nullable UpstreamConnection connection;
  private final long began = System.nanoTime();
  private boolean givenUp;

  PendingConnection(
      Backend backend,
      ResponseWatchdog vigil,
      Function<Channel, UpstreamConnection> made,
      Connector.Outcome outcome) {
    this.backend = backend;
    this.vigil = vigil;
    this.made = made;
    this.outcome = outcome;
  }

  /**
   * Cancels the attempt at any stage. The callback reports a failure, unless it has already
   * received the connection.
   */
  public void giveUp() {
    givenUp = true;
    if (connection != null) {
      connection.close();
    } else if (channel != null) {
      channel.close();
    }
  }

  /**
   * Requests a health check of a server that has not completed the connection within {@code nanos}.
   */
  void look(long now, long nanos) {
    if (!givenUp && now - began > nanos) {
      backend.health().doubt(began + nanos, now, nanos);
    }
  }

  @Override
  public void trying(Channel tried) {
    channel = tried;
    if (givenUp) {
      tried.close();
    }
  }

  @Override
  public void connected(Channel ready) {
    vigil.remove(this);
    UpstreamConnection attached = made.apply(ready);
    connection = attached;
    outcome.connected(attached);
  }

  @Override
  public void failed(Throwable cause) {
    vigil.remove(this);
    outcome.failed(cause, !(cause instanceof IOException));
  }
}
