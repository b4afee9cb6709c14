// SPDX-License-Identifier: Apache-2.0
package io.stoa.probe;

import io.netty.channel.EventLoop;
import io.stoa.backend.Backend;
import io.stoa.backend.BackendState;
import io.stoa.backend.Backoff;
import io.stoa.backend.Health;
import io.stoa.backend.ServerAddress;
import io.stoa.codec.GuardedTask;
import io.stoa.connection.ProbeLink;
import io.stoa.connection.ProbeLink.Answer;
import io.stoa.connection.ServiceLogin;
import io.stoa.identity.ProxyingSupport;
import io.stoa.identity.ServiceAccount;
import io.stoa.operation.InternalSession;
import io.stoa.operation.Operation;
import io.stoa.upstream.UpstreamConfig;
import io.stoa.upstream.UpstreamLoop;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Brings a server that is down back into use, and notices one that has gone: asks for the root DSE,
 * now and then and whenever a read has had no answer for a while, and takes any answer as a sign of
 * life. A server that does not answer soon is suspect until it does; one that does not answer at
 * all is down. Event-loop confined, but for what posts.
 */
public final class HealthProbe implements ProbeLink.Listener {
  private static final long CHECK_SECONDS = 5;

  /** A suspect server is asked so often. */
  private static final long SUSPECT_MILLIS = 250;

  /** Whoever can answer at all can tell of the root DSE in so many milliseconds. */
  private static final long LATE_MILLIS = 250;

  private final Backend backend;
  private final Health health;
  private final EventLoop loop;
  private final ProbeLink link;
  private final @Nullable ServiceLogin proxying;
  private final CompletableFuture<String> verdict = new CompletableFuture<>();
  private final Backoff backoff = new Backoff();
  private boolean stopped;

  /**
   * Makes the probe of a server, on one loop.
   *
   * @param request makes the search for the root DSE, whose outcome is the entry, or null
   */
  public HealthProbe(
      Backend backend,
      UpstreamLoop loop,
      UpstreamConfig config,
      BiFunction<InternalSession, Consumer<byte @Nullable []>, Operation> request) {
    long timeoutMillis = config.connectTimeout().toMillis();
    ServiceAccount account = loop.service();
    this.backend = backend;
    this.health = backend.health();
    this.loop = loop.eventLoop();
    this.link =
        new ProbeLink(
            backend,
            loop.connector(config),
            new ProbeLink.Terms(
                loop.eventLoop(),
                LATE_MILLIS,
                timeoutMillis,
                config.transport().closedUnanswered(backend.address())),
            request,
            this);
    this.proxying = account == null ? null : new ServiceLogin(backend, account, timeoutMillis);
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

  /** Probes now, and again whenever the server goes down or is in doubt. Thread-safe. */
  public void start() {
    health.onState(
        state -> {
          if (state == BackendState.DOWN) {
            loop.execute(() -> loop.schedule(this::probe, backoff.next(), TimeUnit.MILLISECONDS));
          }
        });
    health.onDoubt(() -> loop.execute(this::check));
    loop.execute(this::probe);
    loop.scheduleAtFixedRate(
        new GuardedTask(this::check), CHECK_SECONDS, CHECK_SECONDS, TimeUnit.SECONDS);
  }

  /** Ends all attempts. Thread-safe. */
  public void stop() {
    loop.execute(
        () -> {
          stopped = true;
          link.close();
        });
  }

  /** Whether one that is used is still there. */
  private void check() {
    BackendState state = health.state();
    if (!stopped && (state == BackendState.UP || state == BackendState.SUSPECT)) {
      link.ask();
    }
  }

  /** Whether one that is down is there again. */
  private void probe() {
    if (!stopped && health.probing()) {
      link.ask();
    }
  }

  @Override
  public void answered(Answer answer) {
    if (proxying == null) {
      settled(true, answer.late());
      verdict.complete("");
    } else {
      proxying.check(answer.connection(), answer.root(), usable -> checked(answer, usable));
    }
  }

  /** The connection may be the service account's now, so that nothing more can be asked on it. */
  private void checked(Answer answer, boolean usable) {
    settled(usable, answer.late());
    verdict.complete(ProxyingSupport.refusal(answer.root()));
    link.close();
  }

  private void settled(boolean usable, boolean late) {
    if (!usable) {
      health.unreachable(new IOException("it cannot be used"));
    } else if (late && health.state() == BackendState.SUSPECT) {
      loop.schedule(this::check, SUSPECT_MILLIS, TimeUnit.MILLISECONDS);
    } else {
      backoff.reset();
      health.answered();
    }
  }

  @Override
  public void late() {
    health.suspect("it has not answered within " + LATE_MILLIS + " ms");
  }

  @Override
  public void failed(Throwable cause, boolean ours) {
    if (!ours || !health.up()) {
      health.unreachable(cause);
    }
    verdict.complete("");
  }
}
