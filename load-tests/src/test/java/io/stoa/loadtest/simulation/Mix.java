// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.simulation;

import static io.gatling.javaapi.core.CoreDsl.doIfOrElse;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.pause;
import static io.stoa.loadtest.LdapDsl.ldap;

import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.Session;
import io.stoa.loadtest.run.Directory;
import io.stoa.loadtest.run.Outcome;
import io.stoa.loadtest.run.Phase;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Readers who never wait, and writers who stand by: one of them writes whenever a hundred searches
 * were sent, or none ever does. All are connected and bound in either case. Thread-safe.
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
   * @param people whom updates change, one after the other
   * @param writes whether there are updates
   */
  Mix(int people, boolean writes) {
    this.people = people;
    this.writes = writes;
  }

  /** All are the same one, so that a result which is kept is kept for each of them. */
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
   * Each looks so rarely whether an update is due that all together look a thousand times a second
   * at most: it costs no processor that counts, and there are fewer updates than that.
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

  static Rounds.Result searches(Outcome outcome) {
    return Rounds.Result.of(outcome, Queries.NAMES::contains);
  }

  static long updates(Outcome outcome) {
    return outcome.byName().containsKey(UPDATE) ? outcome.byName().get(UPDATE).ok() : 0;
  }

  /** The part of all operations that were updates. */
  static double share(Outcome outcome) {
    long updates = updates(outcome);
    return (double) updates / (updates + answered(outcome));
  }

  static long answered(Outcome outcome) {
    return outcome.byName().entrySet().stream()
        .filter(one -> Queries.NAMES.contains(one.getKey()))
        .mapToLong(one -> one.getValue().ok())
        .sum();
  }

  /** For each second of searches: the last ones wait for a window when there are none any more. */
  static double updateRate(Outcome outcome) {
    return searches(outcome).rate() * updates(outcome) / answered(outcome);
  }

  static double updateMicros(Outcome outcome) {
    return updates(outcome) == 0
        ? 0
        : outcome.byName().get(UPDATE).micros().getValueAtPercentile(50);
  }
}
