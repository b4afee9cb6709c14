// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.pool;

import io.stoa.net.transport.FailureText;
import io.stoa.operation.ClientSession;
import io.stoa.upstream.connection.Connector;
import io.stoa.upstream.connection.PendingConnection;
import io.stoa.upstream.connection.UpstreamConnection;
import io.stoa.upstream.server.Backend;
import io.stoa.upstream.server.ConnectLimiter;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the connections of one pool, and reports failures to the server's health.
 *
 * <p>Threading: event loop.
 */
final class ConnectionOpener {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionOpener.class);

  private final Backend backend;
  private final ConnectLimiter attempts;
  private final Connector connector;

  ConnectionOpener(Backend backend, Connector connector) {
    this.backend = backend;
    this.attempts = backend.connectLimiter();
    this.connector = connector;
  }

  /** Receives the result of an opening, unless it was cancelled. */
  interface OpeningListener {
    /**
     * Called when the connection is made. The receiver ends the opening once the connection is
     * bound.
     */
    void onConnected(Opening opening, UpstreamConnection connection);

    /** Called when the attempt has failed. */
    void onFailed(Opening opening);
  }

  /**
   * Starts to open a connection. The caller has reserved it.
   *
   * @param only the client to which the connection is dedicated; null if it is shared
   */
  Opening begin(
      UpstreamConnection.Owner owner, @Nullable ClientSession only, OpeningListener outcome) {
    Opening opening = new Opening(outcome);
    opening.attempt = connector.connect(backend, owner, only, opening);
    return opening;
  }

  private void reportFailure(Throwable cause, boolean ours) {
    if (ours) {
      LOG.warn(
          "cannot open a connection to upstream {}: {}", backend.address(), FailureText.of(cause));
    } else {
      backend.onConnectFailed(cause);
    }
  }

  /** A connection that is being opened. */
  final class Opening implements Connector.ConnectListener {
    private final OpeningListener outcome;
    private @Nullable PendingConnection attempt;
    private boolean ended;
    private boolean cancelled;

    private Opening(OpeningListener outcome) {
      this.outcome = outcome;
    }

    /** Frees the slot for opening connections, once this one is bound or has failed. */
    void end() {
      if (!ended) {
        ended = true;
        attempts.onEnded();
      }
    }

    /** Cancels the opening at any stage. Its result is not reported. */
    void cancel() {
      cancelled = true;
      PendingConnection own = attempt;
      if (own != null) {
        own.cancel();
      }
    }

    /** True if the opening was cancelled. */
    boolean isCancelled() {
      return cancelled;
    }

    @Override
    public void onConnected(UpstreamConnection connection) {
      if (cancelled) {
        end();
        connection.close();
      } else {
        outcome.onConnected(this, connection);
      }
    }

    @Override
    public void onFailed(Throwable cause, boolean ours) {
      end();
      backend.release();
      if (!cancelled) {
        reportFailure(cause, ours);
        outcome.onFailed(this);
      }
    }
  }
}
