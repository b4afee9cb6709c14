// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream;

import io.netty.channel.EventLoop;
import io.stoa.ldap.LdapMessage;
import io.stoa.operation.InternalSession;
import io.stoa.operation.Operation;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Brings a server that is down back into use: connects, asks for the root DSE, and takes any answer
 * as a sign of life. Event-loop confined.
 */
public final class HealthProbe {
  private final Backend backend;
  private final EventLoop loop;
  private final Connector connector;
  private final long timeoutMillis;
  private final Function<InternalSession, Operation> request;
  private final Backoff backoff = new Backoff();
  private boolean stopped;

  /**
   * Makes the probe of a server, on one loop.
   *
   * @param request makes the search for the root DSE
   */
  public HealthProbe(
      Backend backend,
      UpstreamPools.UpstreamLoop loop,
      UpstreamConfig config,
      Function<InternalSession, Operation> request) {
    this.backend = backend;
    this.loop = loop.eventLoop();
    this.connector = new Connector(this.loop, loop.transport(), loop.flushes(), config);
    this.timeoutMillis = config.connectTimeout().toMillis();
    this.request = request;
  }

  /** Probes now, and again whenever the server goes down. Thread-safe. */
  public void start() {
    backend.onState(
        state -> {
          if (state == BackendState.DOWN) {
            loop.execute(this::later);
          }
        });
    loop.execute(this::probe);
  }

  /** Ends all attempts. Thread-safe. */
  public void stop() {
    loop.execute(() -> stopped = true);
  }

  private void later() {
    loop.schedule(this::probe, backoff.next(), TimeUnit.MILLISECONDS);
  }

  private void probe() {
    if (!stopped && backend.probing()) {
      if (backend.reserve()) {
        connector.connect(backend, new ProbeOwner(), new Attempt());
      } else {
        backend.answered();
      }
    }
  }

  /** One attempt, whose outcome moves the backend. */
  private final class Attempt implements Connector.Outcome {
    @Override
    public void connected(UpstreamConnection connection) {
      connection.ready();
      Operation operation = request.apply(new InternalSession(loop));
      connection.send(operation);
      loop.schedule(connection::close, timeoutMillis, TimeUnit.MILLISECONDS);
    }

    @Override
    public void failed(Throwable cause) {
      backend.release();
      backend.unreachable(cause);
    }
  }

  /** Ends the connection after the answer. */
  private final class ProbeOwner implements UpstreamConnection.Owner {
    @Override
    public void room(UpstreamConnection connection) {
      backoff.reset();
      backend.answered();
      connection.close();
    }

    @Override
    public void closed(UpstreamConnection connection) {
      // Whether the probe was answered is what counts.
    }

    @Override
    public void unanswered(Operation operation) {
      operation.abandon();
      backend.unreachable(new java.io.IOException("the probe was not answered"));
    }

    @Override
    public void unsolicited(UpstreamConnection connection, LdapMessage notification) {
      notification.release();
      connection.close();
    }
  }
}
