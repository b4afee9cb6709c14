// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.run;

import static io.gatling.javaapi.core.CoreDsl.during;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.pause;
import static io.gatling.javaapi.core.CoreDsl.rendezVous;
import static io.gatling.javaapi.core.CoreDsl.repeat;
import static io.stoa.loadtest.LdapDsl.ldap;

import io.gatling.javaapi.core.ChainBuilder;
import io.stoa.loadtest.engine.Latencies;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One run of a phase. Its users connect and bind, wait for the last of them, and only then begin
 * the measured requests. So all users are active while anything counts.
 *
 * <p>Threading: thread-safe.
 */
final class PhaseRun {
  private static final Duration CALM = Duration.ofMillis(100);
  private static final Duration MARGIN = Duration.ofSeconds(1);
  private static final int MIN_PART = 5;
  private static final Duration FOREVER = Duration.ofDays(1);

  private final Phase phase;
  private final Latencies latencies = Latencies.ofAWindow();
  private final AtomicInteger started = new AtomicInteger();
  private final AtomicInteger finished = new AtomicInteger();

  PhaseRun(Phase phase) {
    this.phase = phase;
  }

  Latencies latencies() {
    return latencies;
  }

  int started() {
    return started.get();
  }

  int finished() {
    return finished.get();
  }

  ChainBuilder chain() {
    ChainBuilder run =
        phase.times() == 0
            ? during(phase.time()).on(phase.once())
            : repeat(phase.times()).on(phase.once());
    AtomicInteger resting = new AtomicInteger();
    return step(started::incrementAndGet)
        .exec(ldap("connect").connect())
        .exec(rendezVous(phase.users()))
        .exec(pause(CALM))
        .exec(step(() -> rest(resting.getAndIncrement())))
        .exec(rendezVous(phase.users()))
        .exec(step(this::open))
        .exec(run)
        .exec(step(this::finish));
  }

  private static ChainBuilder step(Runnable what) {
    return exec(
        session -> {
          what.run();
          return session;
        });
  }

  /** Runs the phase's hook once, while all users are connected and wait. */
  private void rest(int others) {
    if (others == 0) {
      phase.whenConnected().run();
    }
  }

  private void open() {
    if (phase.times() == 0) {
      Duration part = phase.time().dividedBy(MIN_PART);
      Duration margin = part.compareTo(MARGIN) < 0 ? part : MARGIN;
      latencies.open(margin, phase.time().minus(margin.multipliedBy(2)));
    } else {
      latencies.open(Duration.ZERO, FOREVER);
    }
  }

  private void finish() {
    latencies.close();
    finished.incrementAndGet();
  }
}
