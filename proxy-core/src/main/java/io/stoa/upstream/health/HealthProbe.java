// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.health;

import io.netty.channel.EventLoop;
import io.stoa.net.transport.Backoff;
import io.stoa.net.transport.GuardedTask;
import io.stoa.operation.InternalSearch.Found;
import io.stoa.operation.InternalSearch.Terms;
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
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Brings a server that is down back into use, and notices one that has gone: asks for the root DSE,
 * now and then and whenever a read has had no answer for a while, and takes any answer as a sign of
 * life; if something is expected of servers, asks for that, too. A server that does not answer soon
 * is suspect until it does; one that does not answer at all, or not as expected, is down.
 * Event-loop confined, but for what posts.
 */
public final class HealthProbe implements ProbeLink.Listener {
  /** A suspect server is asked so often. */
  private static final long SUSPECT_MILLIS = 250;

  /** Whoever can answer at all can tell of the root DSE in so many milliseconds. */
  private static final long LATE_MILLIS = 250;

  /** One that is down is asked at least so often. */
  private static final long MOST_WAIT_MILLIS = 10_000;

  private final Backend backend;
  private final Health health;
  private final EventLoop loop;
  private final ProbeLink link;
  private final long checkMillis;
  private final @Nullable ServiceLogin proxying;
  private final @Nullable HealthAssertion expectation;
  private final CompletableFuture<String> verdict = new CompletableFuture<>();
  private final Backoff backoff = new Backoff(MOST_WAIT_MILLIS);
  private final ContentsReader contents;
  private @Nullable UpstreamConnection boundAsService;

  /** The connection on which the contents were read last: a server that restarts ends it. */
  private @Nullable UpstreamConnection readOn;

  private final Probes.Terms terms;

  /** Since when the probe is told that the server is busy; 0 if it is not. */
  private long busySince;

  private boolean stopped;

  /** The server has gone, and is asked only if something under way there falls silent. */
  private boolean parted;

  private volatile @Nullable Future<?> checks;

  /** The next look whether it is there again. */
  private @Nullable Future<?> attempt;

  /** Makes the probe of a server, on one loop. */
  HealthProbe(Backend backend, Probes.Terms terms) {
    ProbeConfig config = terms.config().probe();
    long timeoutMillis = terms.config().connectTimeout().toMillis();
    ServiceAccount service = terms.loop().service();
    ServiceAccount own = terms.account();
    this.backend = backend;
    this.health = backend.health();
    this.loop = terms.loop().eventLoop();
    this.terms = terms;
    this.checkMillis = config.interval().toMillis();
    this.expectation = config.expects() ? new HealthAssertion(config) : null;
    this.proxying = service == null ? null : ServiceLogin.probing(backend, service, timeoutMillis);
    this.link =
        new ProbeLink(
            backend,
            terms.loop().connector(terms.config()),
            new ProbeLink.Terms(
                loop,
                terms.decoder(),
                () -> Math.max(LATE_MILLIS, terms.config().attemptTimeout().toMillis()),
                LATE_MILLIS,
                timeoutMillis,
                terms.config().transport().closedUnanswered(backend.address())),
            own == null ? null : ServiceLogin.probing(backend, own, timeoutMillis),
            this);
    this.contents = new ContentsReader(link);
  }

  /** The server that it asks. */
  public Backend backend() {
    return backend;
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

  /**
   * Asks something else on the probe's connection, as whom that is bound. Says nothing of the
   * server's health; has no answer while the server has not shown on this connection to be well.
   * Thread-safe.
   *
   * @param outcome hears the answer, once, on the probe's event loop
   */
  public void ask(Terms what, Consumer<Found> outcome) {
    loop.execute(() -> link.askToo(what, outcome));
  }

  /** Probes now, and again whenever the server goes down or is in doubt. Thread-safe. */
  public void start() {
    health.onState(
        state -> {
          if (state == BackendState.DOWN && !health.drained()) {
            loop.execute(this::probeLater);
          }
        });
    health.onDoubt(() -> loop.execute(this::doubted));
    health.onMissed(() -> loop.execute(this::probe));
    loop.execute(this::probe);
    checks =
        loop.scheduleAtFixedRate(
            new GuardedTask(this::check), checkMillis, checkMillis, TimeUnit.MILLISECONDS);
  }

  /** Ends all attempts. Thread-safe. */
  public void stop() {
    loop.execute(
        () -> {
          stopped = true;
          link.close();
          cancelChecks();
        });
  }

  /** Keeps no connection and asks no more, but when it is in doubt. Thread-safe. */
  void part() {
    loop.execute(
        () -> {
          parted = true;
          cancelChecks();
          link.rest();
        });
  }

  private void cancelChecks() {
    Future<?> regular = checks;
    if (regular != null) {
      regular.cancel(false);
    }
  }

  /** What is under way on a server that is drained is silent, too, if that hangs. */
  private void doubted() {
    if (!stopped && health.drained()) {
      ask();
    } else {
      check();
    }
  }

  /** Whether one that is used is still there. */
  private void check() {
    BackendState state = health.state();
    if (!stopped && (state == BackendState.UP || state == BackendState.SUSPECT)) {
      ask();
    }
  }

  /** Who was asked before the time, since it was missed, is asked at that time all the same. */
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

  /** Whether one that is down is there again. */
  private void probe() {
    if (!stopped && health.probing()) {
      ask();
    }
  }

  private void ask() {
    String wanted = proxying == null ? "1.1" : "supportedControl";
    link.ask(Terms.entry(new byte[0], List.of(wanted)), this::answered);
  }

  private void answered(Answer answer) {
    if (Backend.isRefusal(answer.found().code())) {
      busy(answer.late());
      return;
    }
    String refusal = proxying == null ? "" : ProxyingSupport.refusal(answer.found().read());
    if (!refusal.isEmpty()) {
      down(refusal);
      verdict.complete(refusal);
      link.close();
    } else if (proxying == null || answer.connection() == boundAsService) {
      known(answer);
    } else {
      proxying.prove(answer.connection(), accepted -> proved(answer, accepted));
    }
  }

  /** The question is settled, for now. */
  private void end() {
    verdict.complete("");
    if (parted) {
      link.rest();
    }
  }

  private void proved(Answer answer, boolean accepted) {
    if (accepted) {
      boundAsService = answer.connection();
      known(answer);
    } else if (proxying != null && proxying.busy()) {
      busy(answer.late());
      link.rest();
    } else {
      down("it cannot be used");
      verdict.complete("");
      link.close();
    }
  }

  /** The server is there, and Stoa is who it is to be: what is in the server? */
  private void known(Answer answer) {
    HealthAssertion expected = expectation;
    if (expected == null) {
      fit(answer);
    } else {
      link.ask(expected.terms(), content -> judged(expected, content));
    }
  }

  private void judged(HealthAssertion expected, Answer content) {
    String why = expected.disappointment(content.found());
    if (Backend.isRefusal(content.found().code())) {
      busy(content.late());
    } else if (why.isEmpty()) {
      fit(content);
    } else {
      unfit(why);
    }
  }

  private void unfit(String why) {
    busySince = 0;
    down(why);
    end();
  }

  /** The server could serve: does it hold what the others hold? */
  private void fit(Answer answer) {
    Peers peers = terms.peers();
    boolean compared = answer.connection() == readOn && !health.differs();
    if (!peers.any()) {
      health.setDifference("");
      well(answer.late());
    } else if (compared) {
      well(answer.late());
    } else if (peers.refuse()) {
      link.share();
      contents.read(found -> compared(answer, found));
    } else {
      well(answer.late());
      contents.read(found -> compare(answer, found));
    }
  }

  /** Returns why the server is refused where differences are; empty if it is not. */
  private String compare(Answer answer, @Nullable Contents found) {
    if (found == null) {
      return "it did not tell its contents to the probe";
    }
    readOn = answer.connection();
    return terms.peers().read(backend, found);
  }

  private void compared(Answer answer, @Nullable Contents found) {
    String refusal = compare(answer, found);
    if (refusal.isEmpty()) {
      well(answer.late());
    } else {
      unfit(refusal);
    }
  }

  private void well(boolean late) {
    busySince = 0;
    settled(late);
  }

  /**
   * It is asked for more than it can do, by whomever, and is there: with one server less the others
   * would be, too. But one that has done nothing for longer than an operation waits for its turn,
   * and says so whenever it is asked, is of no use; and of one that is down something is expected.
   */
  private void busy(boolean late) {
    long now = System.nanoTime();
    busySince = busySince == 0 ? now | 1 : busySince;
    long latest = now - terms.config().queueTimeout().toNanos();
    boolean idle = busySince - latest <= 0 && !backend.servesSince(latest);
    boolean waits = health.gone() && (expectation != null || proxying != null);
    if (idle || waits) {
      down("its probe is answered busy or unavailable");
      end();
    } else {
      settled(late);
    }
  }

  private void settled(boolean late) {
    if (late && health.state() == BackendState.SUSPECT) {
      loop.schedule(this::check, SUSPECT_MILLIS, TimeUnit.MILLISECONDS);
    } else {
      forgetAttempt();
      health.answered();
      link.share();
    }
    end();
  }

  private void down(String why) {
    health.unreachable(new IOException(why));
  }

  @Override
  public void late(String why) {
    health.suspect(why);
  }

  @Override
  public void failed(Throwable cause, boolean ours) {
    if (!ours || health.pulse() != BackendState.UP) {
      busySince = 0; // it says so no more
      health.unreachable(cause);
    }
    end();
  }
}
