// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.simulation;

import static io.gatling.javaapi.core.CoreDsl.doIfOrElse;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.pause;
import static io.stoa.loadtest.LdapDsl.ldap;

import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.Session;
import io.stoa.loadtest.engine.Latencies;
import io.stoa.loadtest.run.Directory;
import io.stoa.loadtest.run.Outcome;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Readers who never wait, and writers who stand by: one of them writes whenever a hundred searches
 * were sent, or none ever does. All connect and bind in either case. Thread-safe.
 */
final class Mix {
  static final int READERS = 50;

  private static final int SEARCHES_FOR_EACH_UPDATE = 99;
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

  Gathering users(String name, int writers, Queries queries) {
    return new Gathering(
        name,
        READERS + writers,
        either(
            exec(ldap(Gathering.FIRST).bind("", "")),
            exec(ldap(Gathering.FIRST).bind(Directory.ROOT, Directory.ROOT_PASSWORD))),
        either(read(queries), write(writers)));
  }

  private static ChainBuilder either(ChainBuilder reader, ChainBuilder writer) {
    return exec(doIfOrElse(session -> session.userId() - 1 < READERS).then(reader).orElse(writer));
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

  /** What came of the searches alone; all began with the first and ended with the last one. */
  static Outcome searches(Outcome outcome) {
    return Rounds.only(
        outcome,
        outcome.byName().entrySet().stream()
            .filter(one -> !one.getKey().equals(UPDATE) && !one.getKey().equals(Gathering.FIRST))
            .map(Map.Entry::getValue)
            .reduce(Mix::sum)
            .orElseThrow());
  }

  private static Latencies.Summary sum(Latencies.Summary one, Latencies.Summary other) {
    var micros = one.micros().copy();
    micros.add(other.micros());
    return new Latencies.Summary(
        micros,
        one.ok() + other.ok(),
        one.entries() + other.entries(),
        one.mistakes() + other.mistakes(),
        Math.min(one.first(), other.first()),
        Math.max(one.last(), other.last()));
  }

  static long updates(Outcome outcome) {
    return outcome.byName().containsKey(UPDATE) ? outcome.byName().get(UPDATE).ok() : 0;
  }

  /** The part of all operations that were updates. */
  static double share(Outcome outcome) {
    long updates = updates(outcome);
    return (double) updates / (updates + searches(outcome).all().ok());
  }

  /** While there were searches. */
  static double updateRate(Outcome outcome) {
    Outcome searches = searches(outcome);
    return searches.rate() * updates(outcome) / searches.all().ok();
  }

  static double updateMicros(Outcome outcome) {
    return updates(outcome) == 0
        ? 0
        : outcome.byName().get(UPDATE).micros().getValueAtPercentile(50);
  }
}
