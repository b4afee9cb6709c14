// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.simulation;

import static io.gatling.javaapi.core.CoreDsl.doIfOrElse;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.pause;
import static io.stoa.loadtest.LdapDsl.ldap;

import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.Session;
import io.stoa.loadtest.run.Directory;
import io.stoa.loadtest.run.Phase;
import io.stoa.loadtest.run.PhaseResult;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Readers without pauses, and writers on standby. Either one writer sends an update for every 99
 * searches, or none ever does. All are connected and bound in both cases.
 *
 * <p>Threading: thread-safe.
 */
final class Mix {
  static final int READERS = 50;

  private static final int SEARCHES_FOR_EACH_UPDATE = 99;
  private static final int CONNECTS_A_SECOND = 1000;
  private static final String UPDATE = "update";

  private final AtomicLong searches = new AtomicLong();
  private final AtomicLong updates = new AtomicLong();
  private final int people;
  private final boolean writes;

  /**
   * @param people number of people whom updates change in turn
   * @param writes true if there are updates
   */
  Mix(int people, boolean writes) {
    this.people = people;
    this.writes = writes;
  }

  /** Returns the phase with one identity for all users, so that they share cached results. */
  static Phase asOne(Phase phase) {
    return phase.protocol(there -> there.boundAs(Directory.ROOT, Directory.ROOT_PASSWORD));
  }

  Phase phase(String name, int writers, Queries queries) {
    ChainBuilder once =
        exec(
            doIfOrElse(session -> session.userId() - 1 < READERS)
                .then(read(queries))
                .orElse(write(writers)));
    int users = READERS + writers;
    return asOne(Phase.of(name, users, once)).ramp(Duration.ofSeconds(users / CONNECTS_A_SECOND));
  }

  private ChainBuilder read(Queries queries) {
    return exec(session -> {
          searches.incrementAndGet();
          return session;
        })
        .exec(queries.next());
  }

  /**
   * Returns the requests of a writer. Writers poll for due updates at most a thousand times a
   * second in total. Polling needs little CPU, and updates are rarer.
   */
  private ChainBuilder write(int writers) {
    return exec(
        doIfOrElse(session -> updateIsDue())
            .then(
                exec(this::next)
                    .exec(
                        ldap(UPDATE)
                            .modify("uid=user.#{number}," + Directory.PEOPLE)
                            .replace("description", "changed #{number}")))
            .orElse(
                pause(Duration.ofMillis(writers / 2), Duration.ofMillis(writers + writers / 2))));
  }

  private boolean updateIsDue() {
    long made = updates.get();
    return writes
        && searches.get() / SEARCHES_FOR_EACH_UPDATE > made
        && updates.compareAndSet(made, made + 1);
  }

  private Session next(Session session) {
    return session.set("number", updates.get() * 7 % people);
  }

  static Rounds.Result searches(PhaseResult outcome) {
    return Rounds.Result.of(outcome, Queries.NAMES::contains);
  }

  static long updates(PhaseResult outcome) {
    return outcome.byName().containsKey(UPDATE) ? outcome.byName().get(UPDATE).ok() : 0;
  }

  /** Returns the ratio of updates to all operations. */
  static double share(PhaseResult outcome) {
    long updates = updates(outcome);
    return (double) updates / (updates + answered(outcome));
  }

  static long answered(PhaseResult outcome) {
    return outcome.byName().entrySet().stream()
        .filter(one -> Queries.NAMES.contains(one.getKey()))
        .mapToLong(one -> one.getValue().ok())
        .sum();
  }

  /**
   * Returns the updates per second of searches. The last updates may wait for a window when the
   * searches have ended.
   */
  static double updateRate(PhaseResult outcome) {
    return searches(outcome).rate() * updates(outcome) / answered(outcome);
  }

  static double updateMicros(PhaseResult outcome) {
    return updates(outcome) == 0
        ? 0
        : outcome.byName().get(UPDATE).micros().getValueAtPercentile(50);
  }
}
