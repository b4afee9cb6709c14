// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connection;

import io.netty.channel.Channel;
import io.stoa.net.codec.FlushQueue;
import io.stoa.net.codec.HandlerNames;
import io.stoa.net.transport.FailureText;
import io.stoa.operation.ClientSession;
import io.stoa.upstream.connect.Dialer;
import io.stoa.upstream.server.Backend;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens connections to servers on one event loop, keeps them by number, and checks the time-outs of
 * those that wait for a server.
 *
 * <p>Threading: event loop.
 */
public final class Connector {
  private static final Logger LOG = LoggerFactory.getLogger(Connector.class);

  private final Dialer.ChannelOpener dialer;
  private final FlushQueue flushes;
  private final boolean sessionTracking;
  private final LongSupplier numbers;

  /** Open connections by number, whatever their use, except health-check connections. */
  private final Map<Long, UpstreamConnection> connections = new LinkedHashMap<>();

  private final Set<PendingConnection> connecting = new HashSet<>();

  /** Time-outs of connections with an unanswered request. Idle connections cost nothing. */
  private final List<ResponseTimeout> waiting = new ArrayList<>();

  /**
   * Creates the connector of one event loop.
   *
   * @param flushes queue of writes that are sent at the end of the loop's turn
   * @param sessionTracking true to add the session tracking control to client requests
   * @param numbers source of connection numbers, shared by all event loops
   */
  public Connector(
      Dialer.ChannelOpener dialer,
      FlushQueue flushes,
      boolean sessionTracking,
      LongSupplier numbers) {
    this.dialer = dialer;
    this.flushes = flushes;
    this.sessionTracking = sessionTracking;
    this.numbers = numbers;
  }

  /** Returns the connections that have not ended, except health-check connections. */
  public List<UpstreamConnection> connections() {
    return connections.values().stream().filter(one -> !one.isClosed()).toList();
  }

  /** Returns the connection with that number; null if it is unknown or has ended. */
  public @Nullable UpstreamConnection connection(long number) {
    UpstreamConnection connection = connections.get(number);
    return connection == null || connection.isClosed() ? null : connection;
  }

  private void register(UpstreamConnection connection) {
    Long number = numbers.getAsLong();
    connection.lifetime().setNumber(number);
    connections.put(number, connection);
    connection.channel().closeFuture().addListener(closed -> connections.remove(number));
  }

  /**
   * Requests a health check of each server that has sent nothing for {@code nanos}. Health-check
   * connections have time-outs of their own.
   */
  public void checkTimeouts(long now, long nanos) {
    waiting.removeIf(timeout -> !timeout.check(now, nanos));
    connecting.forEach(pending -> pending.check(now, nanos));
  }

  /**
   * Receives the result of a connection attempt, unless it was cancelled, and owns the connection.
   *
   * <p>Threading: event loop.
   */
  public interface ConnectListener extends UpstreamConnection.Owner {
    /**
     * Called when the connection is made. The receiver ends the attempt once the connection is
     * bound.
     */
    void onConnected(PendingConnection attempt, UpstreamConnection connection);

    /**
     * Called when the attempt has failed.
     *
     * @param internal true if a shortage in Stoa is the cause, which says nothing about the server
     */
    void onFailed(PendingConnection attempt, Throwable cause, boolean internal);
  }

  /** Opens a connection that does not count against the server's limits. */
  void connectUncounted(Backend backend, ConnectListener listener) {
    dialer.dial(backend.address(), null, new PendingConnection(backend, false, listener));
  }

  /**
   * Opens a connection. The caller has reserved it at the server, with a slot for opening it.
   *
   * @param onlyClient the client to which the connection is dedicated; null if it is shared
   */
  public PendingConnection connect(
      Backend backend, @Nullable ClientSession onlyClient, ConnectListener listener) {
    PendingConnection pending = new PendingConnection(backend, true, listener);
    connecting.add(pending);
    dialer.dial(backend.address(), onlyClient == null ? null : onlyClient.endpoint(), pending);
    return pending;
  }

  /**
   * A connection attempt, which its owner can cancel at any time. A failure is reported to the
   * server's health.
   *
   * <p>Threading: event loop.
   */
  public final class PendingConnection implements Dialer.DialListener {
    private final Backend backend;
    private final boolean counted;
    private final ConnectListener listener;
    private final long startedAt = System.nanoTime();
    private @Nullable Channel channel;
    private @Nullable UpstreamConnection connection;
    private boolean ended;
    private boolean cancelled;

    private PendingConnection(Backend backend, boolean counted, ConnectListener listener) {
      this.backend = backend;
      this.counted = counted;
      this.listener = listener;
    }

    /** Frees the slot for opening connections, once this one is bound or has failed. */
    public void end() {
      if (counted && !ended) {
        ended = true;
        backend.connectLimiter().onEnded();
      }
    }

    /** Cancels the attempt at any stage. Its result is not reported. */
    public void cancel() {
      cancelled = true;
      if (connection != null) {
        connection.close();
      } else if (channel != null) {
        channel.close();
      }
    }

    /** True if the attempt was cancelled. */
    public boolean isCancelled() {
      return cancelled;
    }

    /** Requests a health check of a server that has not accepted the connection in time. */
    private void check(long now, long nanos) {
      if (!cancelled && now - startedAt > nanos) {
        backend.health().requestCheck(startedAt + nanos, now, nanos);
      }
    }

    @Override
    public void onAttempt(Channel newChannel) {
      channel = newChannel;
      if (cancelled) {
        newChannel.close();
      }
    }

    @Override
    public void onConnected(Channel ready) {
      connecting.remove(this);
      UpstreamConnection attached = attach(ready);
      connection = attached;
      if (cancelled) {
        end();
        attached.close();
      } else {
        listener.onConnected(this, attached);
      }
    }

    private UpstreamConnection attach(Channel ready) {
      UpstreamConnection attached =
          new UpstreamConnection(backend, ready, flushes, listener, counted ? waiting::add : null);
      if (counted) {
        register(attached);
      }
      if (sessionTracking) {
        attached.requestWriter().enableTracking();
      }
      ready.pipeline().addLast(HandlerNames.CONNECTION, attached);
      return attached;
    }

    @Override
    public void onFailed(Throwable cause) {
      connecting.remove(this);
      boolean internal = !(cause instanceof IOException);
      if (counted) {
        end();
        backend.release();
      }
      if (!cancelled) {
        reportFailure(cause, internal);
        listener.onFailed(this, cause, internal);
      }
    }

    /** Reports the failure, except for a health check, which reports its own. */
    private void reportFailure(Throwable cause, boolean internal) {
      if (counted && internal) {
        LOG.warn(
            "cannot open a connection to upstream {}: {}",
            backend.address(),
            FailureText.of(cause));
      } else if (counted) {
        backend.onConnectFailed(cause);
      }
    }
  }
}
