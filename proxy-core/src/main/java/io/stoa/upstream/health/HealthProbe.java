// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.health;

import io.netty.channel.EventLoop;
import io.stoa.net.transport.Backoff;
import io.stoa.net.transport.DescribedException;
import io.stoa.net.transport.GuardedTask;
import io.stoa.operation.InternalSearch.Found;
import io.stoa.operation.InternalSearch.SearchParameters;
import io.stoa.upstream.auth.ProxyingSupport;
import io.stoa.upstream.auth.ServiceAccount;
import io.stoa.upstream.connection.ProbeConfig;
import io.stoa.upstream.connection.ProbeLink;
import io.stoa.upstream.connection.ProbeLink.Answer;
import io.stoa.upstream.connection.ServiceLogin;
import io.stoa.upstream.connection.UpstreamConnection;
import io.stoa.upstream.server.Backend;
import io.stoa.upstream.server.BackendState;
import io.stoa.upstream.server.Health;
import io.stoa.upstream.server.ServerAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Checks the health of one server: brings it into use when it responds, and takes it out of use
 * when it is lost.
 *
 * <ol>
 *   <li>The check reads the root DSE at the configured interval, and whenever an operation has had
 *       no response for a while. Any result code shows that the server lives; {@code busy} and
 *       {@code unavailable} are judged by {@code onBusy}.
 *   <li>If the configuration expects an entry, that is read too.
 *   <li>A server that is late is suspect until it responds. One that does not respond at all, or
 *       not as expected, is down.
 * </ol>
 *
 * <p>Threading: event loop, except methods that post.
 */
public final class HealthProbe implements ProbeLink.CheckListener {
  /** Time between checks of a suspect server: 250 ms. */
  private static final long SUSPECT_MILLIS = 250;

  /**
   * Response time above which a check is late: 250 ms. Any working server reads its root DSE
   * faster.
   */
  private static final long LATE_MILLIS = 250;

  /** Longest time between checks of a server that is down: 10 s. */
  private static final long MAX_WAIT_MILLIS = 10_000;

  private final Backend backend;
  private final Health health;
  private final EventLoop loop;
  private final ProbeLink link;
  private final long checkMillis;
  private final @Nullable ServiceLogin proxying;
  private final @Nullable HealthAssertion expectation;
  private final CompletableFuture<String> refusal = new CompletableFuture<>();
  private final Backoff backoff = new Backoff(MAX_WAIT_MILLIS);
  private final ContentsReader contents;
  private @Nullable UpstreamConnection boundAsService;

  /** The connection on which the contents were last read. A server that restarts closes it. */
  private @Nullable UpstreamConnection readOn;

  private final Probes.ProbeSettings settings;

  /** Time since when checks are answered busy; 0 if they are not. */
  private long busySince;

  private boolean stopped;

  /**
   * True if the server was removed. From then on it is checked only if an operation there has no
   * response.
   */
  private boolean removed;

  private volatile @Nullable Future<?> checks;

  /** The next scheduled attempt to reach a server that is down. */
  private @Nullable Future<?> attempt;

  /** Creates the health check of a server, on one loop. */
  HealthProbe(Backend backend, Probes.ProbeSettings settings) {
    ProbeConfig config = settings.config().probe();
    long timeoutMillis = settings.config().connectTimeout().toMillis();
    ServiceAccount service = settings.loop().service();
    ServiceAccount account = settings.account();
    this.backend = backend;
    this.health = backend.health();
    this.loop = settings.loop().eventLoop();
    this.settings = settings;
    this.checkMillis = config.interval().toMillis();
    this.expectation = config.expects() ? new HealthAssertion(config) : null;
    this.proxying = service == null ? null : ServiceLogin.probing(backend, service, timeoutMillis);
    this.link =
        new ProbeLink(
            backend,
            settings.loop().connector(settings.config()),
            new ProbeLink.LinkSettings(
                loop,
                settings.decoder(),
                () -> Math.max(LATE_MILLIS, settings.config().attemptTimeout().toMillis()),
                LATE_MILLIS,
                timeoutMillis,
                settings.config().transport().closedMessage(backend.address())),
            account == null ? null : ServiceLogin.probing(backend, account, timeoutMillis),
            this);
    this.contents = new ContentsReader(link);
  }

  /** Returns the server that is checked. */
  public Backend backend() {
    return backend;
  }

  /** Returns the address of the server. */
  public ServerAddress address() {
    return backend.address();
  }

  /**
   * Returns why the first check has shown the server to be unusable for good. Empty if the server
   * is usable or could not be reached.
   *
   * <p>Threading: thread-safe.
   */
  public Future<String> refusal() {
    return refusal;
  }

  /**
   * Sends a search for another component on the check's connection, under that connection's
   * identity. The result does not affect the server's health. There is no response until the server
   * has proved healthy on this connection.
   *
   * <p>Threading: thread-safe.
   *
   * @param outcome receives the response once, on the check's event loop
   */
  public void search(SearchParameters parameters, Consumer<Found> outcome) {
    loop.execute(() -> link.search(parameters, outcome));
  }

  /**
   * Starts checking: now, at each interval, and whenever the server goes down or is in doubt.
   *
   * <p>Threading: thread-safe.
   */
  public void start() {
    health.onState(
        state -> {
          if (state == BackendState.DOWN && !health.isDrained()) {
            loop.execute(this::probeLater);
          }
        });
    health.onCheckRequested(() -> loop.execute(this::onCheckRequested));
    health.onReconnectRequested(() -> loop.execute(this::probe));
    loop.execute(this::probe);
    checks =
        loop.scheduleAtFixedRate(
            new GuardedTask("health checks of " + backend.address(), this::check),
            checkMillis,
            checkMillis,
            TimeUnit.MILLISECONDS);
  }

  /**
   * Stops checking.
   *
   * <p>Threading: thread-safe.
   */
  public void stop() {
    loop.execute(
        () -> {
          stopped = true;
          link.close();
          cancelChecks();
        });
  }

  /**
   * Closes the idle connection of a removed server. From now on it is checked only when in doubt.
   *
   * <p>Threading: thread-safe.
   */
  void markRemoved() {
    loop.execute(
        () -> {
          removed = true;
          cancelChecks();
          link.closeIfIdle();
        });
  }

  private void cancelChecks() {
    Future<?> regular = checks;
    if (regular != null) {
      regular.cancel(false);
    }
  }

  /**
   * Called when the server is in doubt. A drained server is checked too, for its operations in
   * flight.
   */
  private void onCheckRequested() {
    if (!stopped && health.isDrained()) {
      search();
    } else {
      check();
    }
  }

  /** Checks a server in use. */
  private void check() {
    BackendState state = health.state();
    if (!stopped && (state == BackendState.UP || state == BackendState.SUSPECT)) {
      search();
    }
  }

  /** Schedules the next attempt. An earlier attempt on demand does not replace it. */
  private void probeLater() {
    if (attempt == null) {
      attempt = loop.schedule(this::attempt, backoff.next(), TimeUnit.MILLISECONDS);
    }
  }

  private void attempt() {
    attempt = null;
    probe();
  }

  private void forgetAttempt() {
    Future<?> next = attempt;
    if (next != null) {
      next.cancel(false);
      attempt = null;
    }
    backoff.reset();
  }

  /** Tries to reach a server that is down. */
  private void probe() {
    if (!stopped && health.beginProbe()) {
      search();
    }
  }

  private void search() {
    String attribute = proxying == null ? "1.1" : "supportedControl";
    link.check(SearchParameters.entry(new byte[0], List.of(attribute)), this::onRootDse);
  }

  private void onRootDse(Answer answer) {
    if (Backend.isRefusal(answer.found().code())) {
      onBusy(answer.late());
      return;
    }
    String refusalReason = proxying == null ? "" : ProxyingSupport.refusal(answer.found().read());
    if (!refusalReason.isEmpty()) {
      reportDown(refusalReason);
      refusal.complete(refusalReason);
      link.close();
    } else if (proxying == null || answer.connection() == boundAsService) {
      onIdentified(answer);
    } else {
      proxying.bindAndVerify(answer.connection(), accepted -> onBound(answer, accepted));
    }
  }

  /** Ends the current check. */
  private void finishCheck() {
    refusal.complete("");
    if (removed) {
      link.closeIfIdle();
    }
  }

  private void onBound(Answer answer, boolean accepted) {
    if (accepted) {
      boundAsService = answer.connection();
      onIdentified(answer);
    } else if (proxying != null && proxying.isBusy()) {
      onBusy(answer.late());
      link.closeIfIdle();
    } else {
      reportDown("service account login failed");
      refusal.complete("");
      link.close();
    }
  }

  /**
   * Called when the server has answered and accepted Stoa's bind. Reads the expected entry, if any.
   */
  private void onIdentified(Answer answer) {
    HealthAssertion expected = expectation;
    if (expected == null) {
      onFit(answer);
    } else {
      link.check(expected.search(), content -> onAsserted(expected, content));
    }
  }

  private void onAsserted(HealthAssertion expected, Answer content) {
    String reason = expected.failureReason(content.found());
    if (Backend.isRefusal(content.found().code())) {
      onBusy(content.late());
    } else if (reason.isEmpty()) {
      onFit(content);
    } else {
      onUnfit(reason);
    }
  }

  private void onUnfit(String reason) {
    busySince = 0;
    reportDown(reason);
    finishCheck();
  }

  /**
   * Called when the server responds as expected. Compares its contents with those of the others.
   */
  private void onFit(Answer answer) {
    Peers peers = settings.peers();
    boolean compared = answer.connection() == readOn && !health.isDifferent();
    if (!peers.hasSeveral()) {
      health.setDifference("");
      onHealthy(answer.late());
    } else if (compared) {
      onHealthy(answer.late());
    } else if (peers.refusesDifferent()) {
      link.allowSharing();
      contents.read(found -> onContents(answer, found));
    } else {
      onHealthy(answer.late());
      contents.read(found -> compare(answer, found));
    }
  }

  /** Returns why the server must be refused if contents differ; empty if they do not. */
  private String compare(Answer answer, @Nullable Contents found) {
    if (found == null) {
      return "health check could not read the naming contexts or their entries";
    }
    readOn = answer.connection();
    return settings.peers().onContents(backend, found);
  }

  private void onContents(Answer answer, @Nullable Contents found) {
    String refusal = compare(answer, found);
    if (refusal.isEmpty()) {
      onHealthy(answer.late());
    } else {
      onUnfit(refusal);
    }
  }

  private void onHealthy(boolean late) {
    busySince = 0;
    onSettled(late);
  }

  /**
   * Called when the check is answered busy. An overloaded server stays in use, since with one
   * server less the others would be overloaded too.
   *
   * <p>A server goes down if it has been busy, and has completed no operation, for longer than
   * operations wait in the queue. A server that is down stays so if the check requires an entry or
   * the service account's bind.
   */
  private void onBusy(boolean late) {
    long now = System.nanoTime();
    busySince = busySince == 0 ? now | 1 : busySince;
    long latest = now - settings.config().queueTimeout().toNanos();
    boolean idle = busySince - latest <= 0 && !backend.hasCompletedSince(latest);
    boolean waits = health.isDown() && (expectation != null || proxying != null);
    if (idle || waits) {
      reportDown("health check answered busy or unavailable");
      finishCheck();
    } else {
      onSettled(late);
    }
  }

  private void onSettled(boolean late) {
    if (late && health.state() == BackendState.SUSPECT) {
      loop.schedule(this::check, SUSPECT_MILLIS, TimeUnit.MILLISECONDS);
    } else {
      forgetAttempt();
      health.onCheckPassed();
      link.allowSharing();
    }
    finishCheck();
  }

  private void reportDown(String reason) {
    health.onDown(new DescribedException(reason));
  }

  @Override
  public void onLate(String reason) {
    health.onCheckLate(reason);
  }

  @Override
  public void onFailed(Throwable cause, boolean internal) {
    if (!internal || health.underlyingState() != BackendState.UP) {
      busySince = 0; // no longer busy
      health.onDown(cause);
    }
    finishCheck();
  }
}
