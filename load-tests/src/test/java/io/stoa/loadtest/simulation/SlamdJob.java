// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.simulation;

import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.stoa.loadtest.LdapDsl.entries;
import static io.stoa.loadtest.LdapDsl.ldap;
import static io.stoa.loadtest.LdapDsl.resultCode;
import static io.stoa.loadtest.LdapDsl.saveDn;

import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.Session;
import io.stoa.loadtest.LdapStep;
import io.stoa.loadtest.engine.LdapProtocol;
import io.stoa.loadtest.run.Directory;
import io.stoa.loadtest.run.Phase;
import io.stoa.loadtest.run.PhaseResult;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * One of SLAMD's jobs: every client binds once, and then repeats one operation.
 *
 * <p>Threading: immutable.
 *
 * @param people number of people
 */
record SlamdJob(String name, int people) {
  private static final int COMPARE_TRUE = 6;
  private static final String SEARCH = "search";
  private static final String AUTHENTICATE = "authenticate";
  private static final String BIND = "bind";
  private static final String COMPARE = "compare";
  private static final String MODIFY = "modify";
  private static final String LOGINS = "logins";
  private static final String FIND = "authenticate: search";
  private static final String LOGIN = "authenticate: bind";
  private static final String RANDOM_PERSON = "uid=user.#{number}," + Directory.PEOPLE;
  private static final String SERVICE = Directory.dn(0);
  private static final String BEGUN = "begun";
  private static final String CONNECTED = "connected";
  private static final long MAX_MICROS = 60_000_000;
  private static final int DIGITS = 3;

  /** Returns all jobs. The modifying one is last, as it leaves nothing in memory. */
  static List<SlamdJob> all(int people) {
    return List.of(SEARCH, AUTHENTICATE, BIND, COMPARE, MODIFY).stream()
        .map(name -> new SlamdJob(name, people))
        .toList();
  }

  /** True for the job that shows the benefit of a cache. */
  boolean isSearch() {
    return name.equals(SEARCH);
  }

  /** Returns the job for a number of clients. */
  Run run(String phase, int clients) {
    Histogram pairs = new ConcurrentHistogram(MAX_MICROS, DIGITS);
    Phase users =
        Phase.of(phase, clients, once(clients, pairs)).protocol(there -> bound(there, name));
    return new Run(users, name, pairs);
  }

  /**
   * Binds as root for jobs that compare passwords or change people, and as the service otherwise.
   */
  private static LdapProtocol bound(LdapProtocol there, String job) {
    return job.equals(COMPARE) || job.equals(MODIFY)
        ? there.boundAs(Directory.ROOT, Directory.ROOT_PASSWORD)
        : there.boundAs(SERVICE, Directory.PASSWORD);
  }

  /**
   * One run of the job.
   *
   * @param pairs latencies of authentications
   */
  record Run(Phase phase, String job, Histogram pairs) {
    /** Returns the result. A search with its following bind counts as one. */
    Rounds.Result result(PhaseResult outcome) {
      return job.equals(AUTHENTICATE)
          ? Rounds.Result.of(outcome, LOGIN::equals).with(pairs)
          : Rounds.Result.of(outcome, job::equals);
    }
  }

  private ChainBuilder once(int clients, Histogram pairs) {
    return switch (name) {
      case SEARCH -> search();
      case AUTHENTICATE -> exec(own(clients)).exec(authenticate(pairs));
      case BIND -> exec(own(clients)).exec(ldap(name).bind(RANDOM_PERSON, Directory.PASSWORD));
      case COMPARE -> exec(own(clients)).exec(compare());
      default ->
          exec(own(clients))
              .exec(
                  ldap(name).modify(RANDOM_PERSON).replace("telephoneNumber", "+1 555 #{random}"));
    };
  }

  /** All clients together search the people in order. */
  private ChainBuilder search() {
    AtomicInteger next = new AtomicInteger();
    return exec(
        ldap(name)
            .search(Directory.PEOPLE)
            .filter(session -> "(uid=user." + Math.floorMod(next.getAndIncrement(), people) + ")")
            .attributes("uid")
            .check(entries(1)));
  }

  /**
   * Searches on the first connection, which stays bound as the service, and binds as the person on
   * the other one.
   */
  private static ChainBuilder authenticate(Histogram pairs) {
    return exec(session -> session.set(BEGUN, System.nanoTime()))
        .exec(
            ldap(FIND)
                .search(Directory.PEOPLE)
                .filter("(uid=user.#{number})")
                .attributes("uid")
                .check(entries(1), saveDn("dn")))
        .exec(ldap(LOGIN).on(LOGINS).bind("#{dn}", Directory.PASSWORD))
        .exec(session -> recordPair(session, pairs));
  }

  /** Records the latency of an authentication, except the first one, which had to connect. */
  private static Session recordPair(Session session, Histogram pairs) {
    if (session.contains(CONNECTED) && !session.isFailed()) {
      long micros = (System.nanoTime() - session.getLong(BEGUN)) / 1000;
      pairs.recordValue(Math.min(MAX_MICROS, micros));
    }
    return session.contains(CONNECTED) ? session : session.set(CONNECTED, true);
  }

  private LdapStep compare() {
    return ldap(name)
        .compare(RANDOM_PERSON, "userPassword", Directory.PASSWORD)
        .check(resultCode(COMPARE_TRUE));
  }

  /** Chooses a random person in the client's own range. */
  private Function<Session, Session> own(int clients) {
    int range = Math.max(1, people / clients);
    return session -> {
      ThreadLocalRandom random = ThreadLocalRandom.current();
      int first = (int) (session.userId() % clients) * range;
      return session
          .set("number", first + random.nextInt(range))
          .set("random", random.nextInt(1_000_000));
    };
  }
}
