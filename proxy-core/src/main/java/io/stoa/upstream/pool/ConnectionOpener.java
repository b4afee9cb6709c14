// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.pool;

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
 * Makes the connections of one pool, and learns from those that cannot be made. Event-loop
 * confined.
 */
final class ConnectionOpener {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionOpener.class);

  private final Backend backend;
  private final ConnectLimiter attempts;
  private final Connector connector;

  ConnectionOpener(Backend backend, Connector connector) {
    this.backend = backend;
    this.attempts = backend.attempts();
    this.connector = connector;
  }

  /** Hears of the connection, unless it was given up. */
  interface Outcome {
    /** It is there; the opening is still to be ended when it is bound. */
    void connected(Opening opening, UpstreamConnection connection);

    /** It could not be made. */
    void failed(Opening opening);
  }

  /**
   * Begins to make a connection, for which the rights have been taken.
   *
   * @param only the one client that it is for; null if it is not for one alone
   */
  Opening begin(UpstreamConnection.Owner owner, @Nullable ClientSession only, Outcome outcome) {
    Opening opening = new Opening(outcome);
    opening.approach = connector.connect(backend, owner, only, opening);
    return opening;
  }

  private void learn(Throwable cause, boolean ours) {
    if (ours) {
      LOG.warn("cannot open a connection to {}: {}", backend.address(), cause.getMessage());
    } else {
      backend.unreached(cause);
    }
  }

  /** A connection in the making. */
  final class Opening implements Connector.Outcome {
    private final Outcome outcome;
    private @Nullable PendingConnection approach;
    private boolean ended;
    private boolean forgone;

    private Opening(Outcome outcome) {
      this.outcome = outcome;
    }

    /** The connection is what it is to be, or will never be that: another may begin. */
    void end() {
      if (!ended) {
        ended = true;
        attempts.ended();
      }
    }

    /** Nobody wants it any more: it ends wherever it is, and its outcome is not heard. */
    void forgo() {
      forgone = true;
      PendingConnection own = approach;
      if (own != null) {
        own.giveUp();
      }
    }

    /** Whether nobody wants it any more. */
    boolean forgone() {
      return forgone;
    }

    @Override
    public void connected(UpstreamConnection connection) {
      if (forgone) {
        end();
        connection.close();
      } else {
        outcome.connected(this, connection);
      }
    }

    @Override
    public void failed(Throwable cause, boolean ours) {
      end();
      backend.release();
      if (!forgone) {
        learn(cause, ours);
        outcome.failed(this);
      }
    }
  }
}
