// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream;

import io.netty.channel.EventLoop;
import io.stoa.backend.Backend;
import io.stoa.backend.BackendState;
import io.stoa.backend.Backoff;
import io.stoa.codec.GuardedTask;
import io.stoa.ldap.LdapMessage;
import io.stoa.operation.InternalSession;
import io.stoa.operation.Operation;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Brings a server that is down back into use, and notices one that has gone while nobody uses it:
 * connects, asks for the root DSE, and takes any answer as a sign of life. A server in use that is
 * merely slow to answer is not taken for dead. Event-loop confined.
 */
public final class HealthProbe {
  private static final long CHECK_SECONDS = 5;

  private final Backend backend;
  private final EventLoop loop;
  private final Connector connector;
  private final long timeoutMillis;
  private final Function<InternalSession, Operation> request;
  private final Backoff backoff = new Backoff();
  private boolean stopped;
  private boolean underWay;
  private boolean slow;

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
    loop.scheduleAtFixedRate(
        new GuardedTask(this::check), CHECK_SECONDS, CHECK_SECONDS, TimeUnit.SECONDS);
  }

  private void check() {
    if (backend.up()) {
      probe();
    }
  }

  /** Ends all attempts. Thread-safe. */
  public void stop() {
    loop.execute(() -> stopped = true);
  }

  private void later() {
    loop.schedule(this::probe, backoff.next(), TimeUnit.MILLISECONDS);
  }

  private void probe() {
    if (!stopped && !underWay && (backend.up() || backend.probing())) {
      if (backend.reserve()) {
        underWay = true;
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
      slow = false;
      connection.ready();
      Operation operation = request.apply(new InternalSession(loop));
      connection.send(operation);
      loop.schedule(() -> giveUp(connection), timeoutMillis, TimeUnit.MILLISECONDS);
    }

    private void giveUp(UpstreamConnection connection) {
      slow = backend.up();
      connection.close();
    }

    @Override
    public void failed(Throwable cause, boolean ours) {
      underWay = false;
      backend.release();
      if (!ours || !backend.up()) {
        backend.unreachable(cause);
      }
    }
  }

  /** Ends the connection after the answer. */
  private final class ProbeOwner implements UpstreamConnection.Owner {
    @Override
    public void room(UpstreamConnection connection) {
      underWay = false;
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
      underWay = false;
      operation.abandon();
      if (!slow) {
        backend.unreachable(new IOException("the probe was not answered"));
      }
    }

    @Override
    public void held(Operation operation) {
      unanswered(operation);
    }

    @Override
    public void unsolicited(UpstreamConnection connection, LdapMessage notification) {
      notification.release();
      connection.close();
    }
  }
}
