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
public final class PendingConnection implements Dialer.DialListener {
  private final Backend backend;
  private final ResponseWatchdog watchdog;
  private final Function<Channel, UpstreamConnection> attach;
  private final Connector.ConnectListener listener;
  private @Nullable Channel channel;
  private @Nullable UpstreamConnection connection;
  private final long startedAt = System.nanoTime();
  private boolean cancelled;

  PendingConnection(
      Backend backend,
      ResponseWatchdog watchdog,
      Function<Channel, UpstreamConnection> made,
      Connector.ConnectListener outcome) {
    this.backend = backend;
    this.watchdog = watchdog;
    this.attach = made;
    this.listener = outcome;
  }

  /**
   * Cancels the attempt at any stage. The callback reports a failure, unless it has already
   * received the connection.
   */
  public void cancel() {
    cancelled = true;
    if (connection != null) {
      connection.close();
    } else if (channel != null) {
      channel.close();
    }
  }

  /**
   * Requests a health check of a server that has not completed the connection within {@code nanos}.
   */
  void check(long now, long nanos) {
    if (!cancelled && now - startedAt > nanos) {
      backend.health().requestCheck(startedAt + nanos, now, nanos);
    }
  }

  @Override
  public void onAttempt(Channel tried) {
    channel = tried;
    if (cancelled) {
      tried.close();
    }
  }

  @Override
  public void onConnected(Channel ready) {
    watchdog.remove(this);
    UpstreamConnection attached = attach.apply(ready);
    connection = attached;
    listener.onConnected(attached);
  }

  @Override
  public void onFailed(Throwable cause) {
    watchdog.remove(this);
    listener.onFailed(cause, !(cause instanceof IOException));
  }
}
