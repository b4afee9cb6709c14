// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.simulation;

import static io.gatling.javaapi.core.CoreDsl.doIf;
import static io.gatling.javaapi.core.CoreDsl.doIfOrElse;
import static io.gatling.javaapi.core.CoreDsl.doSwitch;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.onCase;
import static io.gatling.javaapi.core.CoreDsl.pause;
import static io.stoa.loadtest.LdapDsl.dn;
import static io.stoa.loadtest.LdapDsl.entries;
import static io.stoa.loadtest.LdapDsl.ldap;

import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.Session;
import io.stoa.loadtest.run.Directory;
import io.stoa.loadtest.run.Phase;
import io.stoa.loadtest.run.PhaseResult;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Readers of several identities at a pace, and updates of people.
 *
 * <p>Four searches of five are for a person, by Zipf's law. One is for a set of a hundred people,
 * uniformly at random. Half of the due updates go through the measured server, the other half
 * bypass it.
 *
 * <p>Threading: thread-safe.
 */
final class ZipfMix {
  static final int READERS = 50;

  private static final int WRITERS = 16;
  private static final int MAX_PAUSE = 50;
  private static final int SET_QUERIES = 5;
  private static final int PERCENT = 100;
  private static final Set<String> SEARCHES = Set.of("person", "set");
  private static final String READING = "reading";
  private static final String UPDATE = "update";
  private static final String[] ASKED = {"uid", "cn", "mail", "telephoneNumber", "description"};

  private final AtomicLong searches = new AtomicLong();
  private final AtomicLong proxyUpdates = new AtomicLong();
  private final AtomicLong directUpdates = new AtomicLong();
  private final int people;
  private final Load load;
  private final int identities;
  private final Zipf zipf;

  /**
   * Amount of updates.
   *
   * @param percent percentage of updates in all operations
   * @param zipf true if people who are read often are updated often, false if updates are uniform
   */
  record Load(int percent, boolean zipf) {
    /** True if there are no updates. */
    boolean isReading() {
      return percent == 0;
    }

    String name() {
      return isReading() ? "0%" : percent + "%, " + (zipf ? "Zipf" : "uniform");
    }
  }

  /**
   * Creates the mix.
   *
   * @param identities number of identities of the readers
   */
  ZipfMix(int people, Load load, int identities) {
    this.people = people;
    this.load = load;
    this.identities = identities;
    this.zipf = new Zipf(people);
  }

  Phase phase(Duration time) {
    ChainBuilder once =
        exec(
            doIfOrElse(session -> session.userId() - 1 < READERS)
                .then(
                    exec(bindReader(identities))
                        .exec(this::choose)
                        .exec(search())
                        .exec(pause(Duration.ofMillis(1), Duration.ofMillis(MAX_PAUSE - 1))))
                .orElse(write()));
    return asService(Phase.of(load.name() + " updates", READERS + WRITERS, once)).during(time);
  }

  /** Returns a phase that requests each person and each set once for each identity. */
  static Phase all(int people, int identities) {
    AtomicIntegerArray next = new AtomicIntegerArray(identities);
    int queries = people + people / Directory.SET;
    ChainBuilder once =
        exec(bindReader(identities))
            .exec(
                session ->
                    chosen(
                        session,
                        next.getAndIncrement(reader(session, identities)) % queries,
                        people));
    int each = READERS / identities;
    return asService(Phase.of("fill", READERS, exec(once).exec(search())))
        .times((queries + each - 1) / each);
  }

  private static Session chosen(Session session, int query, int people) {
    return query < people
        ? session.set("kind", "person").set("number", query)
        : session.set("kind", "set").set("number", query - people);
  }

  /** Binds the default connections as the service, which the writers use. */
  private static Phase asService(Phase phase) {
    return phase.protocol(there -> there.boundAs(Directory.SERVICE, Directory.PASSWORD));
  }

  /** Binds a reader's own connection as its identity, once. */
  private static ChainBuilder bindReader(int identities) {
    return exec(
        doIf(session -> !session.contains("reader"))
            .then(
                exec(session -> session.set("reader", reader(session, identities)))
                    .exec(
                        ldap("bind")
                            .on(READING)
                            .bind(
                                Directory.READER.replace("N", "#{reader}"), Directory.PASSWORD))));
  }

  private static int reader(Session session, int identities) {
    return (int) (session.userId() % identities);
  }

  private Session choose(Session session) {
    searches.incrementAndGet();
    ThreadLocalRandom random = ThreadLocalRandom.current();
    boolean set = random.nextInt(SET_QUERIES) == 0;
    int query = set ? people + random.nextInt(people / Directory.SET) : zipf.next();
    return chosen(session, query, people);
  }

  private static ChainBuilder search() {
    return exec(
        doSwitch("#{kind}")
            .on(
                onCase("person")
                    .then(
                        exec(
                            ldap("person")
                                .on(READING)
                                .search(Directory.PEOPLE)
                                .filter("(uid=user.#{number})")
                                .attributes(ASKED)
                                .check(entries(1), dn("uid=user.#{number}," + Directory.PEOPLE)))),
                onCase("set")
                    .then(
                        exec(
                            ldap("set")
                                .on(READING)
                                .search(Directory.PEOPLE)
                                .filter("(employeeType=set.#{number})")
                                .attributes(ASKED)
                                .check(entries(Directory.SET))))));
  }

  /**
   * Returns the requests of a writer, which polls so rarely for due updates that it needs little
   * CPU.
   */
  private ChainBuilder write() {
    return exec(
        doIfOrElse(session -> isDue(proxyUpdates))
            .then(
                exec(session -> session.set("number", updated()).set("count", proxyUpdates.get()))
                    .exec(
                        ldap(UPDATE)
                            .modify("uid=user.#{number}," + Directory.PEOPLE)
                            .replace("description", "changed through, #{count}")))
            .orElse(pause(Duration.ofMillis(WRITERS / 2), Duration.ofMillis(WRITERS * 2))));
  }

  /**
   * Returns the hit ratio in theory, if each update invalidates at once what it affects, and
   * nothing else. A result that each identity requests r times a second, and that changes u times,
   * has a hit ratio of r / (r + u).
   */
  double byArithmetic() {
    double[] asked = zipf.shares();
    double updates = (double) load.percent() / (PERCENT - load.percent());
    int sets = Math.max(1, people / Directory.SET);
    double[] changed = new double[sets];
    double hits = 0;
    for (int i = 0; i < people; i++) {
      double update = updates * (load.zipf() ? asked[i] : 1.0 / people);
      double search = asked[i] * (SET_QUERIES - 1) / SET_QUERIES;
      changed[i % sets] += update;
      hits += expectedHits(search, update);
    }
    for (double update : changed) {
      hits += expectedHits(1.0 / SET_QUERIES / sets, update);
    }
    return hits;
  }

  /**
   * Returns the hits of one result. The identities share the searches, but each is affected by all
   * updates.
   */
  private double expectedHits(double search, double update) {
    return search * search / (search + identities * update);
  }

  /** Returns the person of the next update. */
  int updated() {
    return load.zipf() ? zipf.next() : ThreadLocalRandom.current().nextInt(people);
  }

  /** Takes a due update that bypasses the server; false if none is due. */
  boolean nextDirectUpdate() {
    return isDue(directUpdates);
  }

  /** Returns the number of updates that bypassed the server. */
  long directUpdates() {
    return directUpdates.get();
  }

  private boolean isDue(AtomicLong made) {
    long before = made.get();
    long due = searches.get() * load.percent() / (PERCENT - load.percent()) / 2;
    return due > before && made.compareAndSet(before, before + 1);
  }

  static long searches(PhaseResult outcome) {
    return outcome.byName().entrySet().stream()
        .filter(one -> SEARCHES.contains(one.getKey()))
        .mapToLong(one -> one.getValue().ok())
        .sum();
  }

  static double searchRate(PhaseResult outcome) {
    return SEARCHES.stream().mapToDouble(outcome::rate).sum();
  }

  static long proxyUpdates(PhaseResult outcome) {
    return outcome.byName().containsKey(UPDATE) ? outcome.byName().get(UPDATE).ok() : 0;
  }
}
