// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream;

import io.netty.channel.EventLoop;
import io.stoa.backend.Backend;
import io.stoa.backend.BackendState;
import io.stoa.backend.Backoff;
import io.stoa.backend.Claimant;
import io.stoa.backend.ServerAddress;
import io.stoa.codec.GuardedTask;
import io.stoa.dial.UpstreamTransport;
import io.stoa.identity.ProxyingSupport;
import io.stoa.identity.ServiceAccount;
import io.stoa.ldap.LdapMessage;
import io.stoa.ldap.LdapResult;
import io.stoa.operation.InternalSession;
import io.stoa.operation.Operation;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Brings a server that is down back into use, and notices one that has gone while nobody uses it:
 * connects, asks for the root DSE, and takes any answer as a sign of life. A server in use that is
 * merely slow to answer is not taken for dead. Event-loop confined, but for what posts.
 */
public final class HealthProbe implements Claimant {
  private static final long CHECK_SECONDS = 5;
  private static final int BUSY = 51;
  private static final int UNAVAILABLE = 52;

  private final Backend backend;
  private final EventLoop loop;
  private final Connector connector;
  private final UpstreamTransport transport;
  private final long timeoutMillis;
  private final BiFunction<InternalSession, Consumer<byte @Nullable []>, Operation> request;
  private final @Nullable ServiceLogin proxying;
  private final CompletableFuture<String> verdict = new CompletableFuture<>();
  private final Backoff backoff = new Backoff();
  private boolean stopped;
  private boolean underWay;

  /** Whether an attempt was wanted while another was under way. */
  private boolean missed;

  private byte @Nullable [] root;

  /**
   * Makes the probe of a server, on one loop.
   *
   * @param request makes the search for the root DSE, whose outcome is the entry, or null
   */
  public HealthProbe(
      Backend backend,
      UpstreamPools.UpstreamLoop loop,
      UpstreamConfig config,
      BiFunction<InternalSession, Consumer<byte @Nullable []>, Operation> request) {
    this.backend = backend;
    this.loop = loop.eventLoop();
    this.connector = new Connector(loop, config);
    this.transport = config.transport();
    this.timeoutMillis = config.connectTimeout().toMillis();
    this.request = request;
    ServiceAccount account = loop.service();
    this.proxying = account == null ? null : new ServiceLogin(backend, account, this.timeoutMillis);
  }

  /** Where the server listens. */
  public ServerAddress address() {
    return backend.address();
  }

  /**
   * Why the server can never be used, as far as the first attempt to reach it has shown: empty if
   * it can, or could not be reached. Thread-safe.
   */
  public Future<String> verdict() {
    return verdict;
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
    if (stopped || underWay) {
      missed = underWay;
      return;
    }
    if (backend.reserve()) {
      attempt();
    } else if (!backend.up()) {
      backend.starve(this); // all are taken: nothing can be said until one is given up
    }
  }

  /** An attempt that began while the server was up says nothing of one that has gone since. */
  private void afterMissed() {
    boolean again = missed && !backend.up();
    missed = false;
    if (again) {
      later();
    }
  }

  /** The right to a connection has been taken. */
  private void attempt() {
    if (backend.up() || backend.probing()) {
      underWay = true;
      Attempt attempt = new Attempt();
      connector.connect(backend, attempt, attempt);
    } else {
      backend.release();
    }
  }

  @Override
  public void roomExpected() {
    loop.execute(
        () -> {
          if (stopped || underWay || backend.up()) {
            missed |= underWay;
            backend.passOn();
          } else {
            probe();
          }
        });
  }

  /** It has none that is idle. */
  @Override
  public void idleWanted() {}

  /** One attempt, whose outcome moves the backend, once. */
  private final class Attempt implements Connector.Outcome, UpstreamConnection.Owner {
    private boolean settled;

    private boolean settle() {
      boolean first = !settled;
      settled = true;
      if (first) {
        underWay = false;
        loop.execute(HealthProbe.this::afterMissed);
      }
      return first;
    }

    @Override
    public void connected(UpstreamConnection connection) {
      connection.ready();
      root = null;
      connection.send(request.apply(new InternalSession(loop), found -> root = found));
      loop.schedule(() -> giveUp(connection), timeoutMillis, TimeUnit.MILLISECONDS);
    }

    private void giveUp(UpstreamConnection connection) {
      if (settle()) {
        verdict.complete("");
        if (!backend.up()) {
          backend.unreachable(new IOException("it did not answer within " + timeoutMillis + " ms"));
        }
      }
      connection.close();
    }

    @Override
    public void failed(Throwable cause, boolean ours) {
      settle();
      backend.release();
      if (!ours || !backend.up()) {
        backend.unreachable(cause);
      }
      verdict.complete("");
    }

    @Override
    public void room(UpstreamConnection connection) {
      if (proxying == null) {
        ended(connection, true);
      } else {
        proxying.check(connection, root, usable -> ended(connection, usable));
      }
    }

    private void ended(UpstreamConnection connection, boolean usable) {
      boolean first = settle();
      if (first && usable) {
        backoff.reset();
        backend.answered();
      } else if (first) {
        backend.unreachable(new IOException("it cannot be used"));
      }
      verdict.complete(proxying == null ? "" : ProxyingSupport.refusal(root));
      connection.close();
    }

    @Override
    public void closed(UpstreamConnection connection) {
      if (settle()) {
        verdict.complete("");
        backend.unreachable(reason(connection.failure()));
      }
    }

    private IOException reason(@Nullable IOException failure) {
      return failure == null || failure.getMessage() == null
          ? new IOException(transport.closedUnanswered(backend.address()))
          : failure;
    }

    @Override
    public void unanswered(Operation operation) {
      operation.abandon();
    }

    @Override
    public void held(Operation operation) {
      operation.abandon();
    }

    /** A server that wants something else of its clients lives; one that goes away does not. */
    @Override
    public void unsolicited(UpstreamConnection connection, LdapMessage notification) {
      int code = LdapResult.codeOf(notification.body());
      notification.release();
      if (proxying == null && code != UNAVAILABLE && code != BUSY) {
        ended(connection, true);
      } else {
        connection.close();
      }
    }
  }
}
