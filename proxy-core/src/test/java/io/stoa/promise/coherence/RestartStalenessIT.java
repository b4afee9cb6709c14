// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import io.stoa.cache.result.CacheStats;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.People;
import io.stoa.testing.Slapd;
import io.stoa.testing.Soak;
import io.stoa.upstream.server.BackendState;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A judge of staleness over kills, offline edits and clock steps: no answer is older than the bound
 * of the feed, counted from when the edited server accepts connections. The long form judges
 * 200,000 reads.
 */
@Tag("soak")
@Tag("timed")
class RestartStalenessIT {
  private static final Duration BOUND = Duration.ofMillis(500);
  private static final Duration MAX_AGE = Duration.ofMillis(50);
  private static final long READS = Soak.scale(1_000L, 150_000L);
  private static final long READS_OF_A_REPLICA = Soak.scale(500L, 50_000L);

  /** At least so many things go wrong, those first of which the most is to be feared. */
  private static final int FAULTS = Soak.scale(2, 4);

  private static final int FAULTS_OF_A_REPLICA = Soak.scale(1, 2);

  /** The reads between two faults. */
  private static final long BETWEEN = Soak.scale(200L, 600L);

  private static final int CHANGED = 3;
  private static final int ADDED = 99;
  private static final int HIDDEN = 5;
  private static final int[] ALL = {1, CHANGED, 4, HIDDEN, 6, ADDED};
  private static final String ABSENT = JudgedReaders.ABSENT;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private final OracleVersions versions = new OracleVersions();
  private final Random random = new Random(Soak.seed());
  private int written;

  @Test
  void noAnswerOfOneServerIsOlderThanTheBound() throws Exception {
    SlapdWithFeedSetup setup = SlapdWithFeedSetup.of(20, MAX_AGE).bound(BOUND).behindRelay();
    try (SlapdWithFeed people = setup.start();
        JudgedReaders readers = begin(people)) {
      int round = 0;
      for (; round < FAULTS || versions.judged() < READS; round++) {
        people.awaitLive();
        writes(people);
        readers.await(BETWEEN);
        suffer(round % 4, people, readers);
      }
      finish("one server, " + round + " faults", people, readers);
    }
  }

  @Test
  void noAnswerOfAReplicaIsOlderThanTheBound() throws Exception {
    SlapdWithFeedSetup setup = SlapdWithFeedSetup.of(20, MAX_AGE).bound(BOUND).replicas(1);
    try (SlapdWithFeed people = setup.start();
        JudgedReaders readers = begin(people)) {
      int round = 0;
      for (; round < FAULTS_OF_A_REPLICA || versions.judged() < READS_OF_A_REPLICA; round++) {
        people.awaitLive();
        readers.await(BETWEEN);
        boolean kills = round % 2 == 0;
        readers.without(() -> editReplica(people, kills));
        readers.await(BETWEEN);
        follow(people);
      }
      finish("a replica, " + round + " faults", people, readers);
    }
  }

  private JudgedReaders begin(SlapdWithFeed people) throws LDAPException {
    for (int person : ALL) {
      if (person == ADDED) {
        versions.begin(person, ABSENT);
        versions.acknowledge(person);
      } else {
        write(people, person);
      }
    }
    return new JudgedReaders(people, versions, ALL, BOUND);
  }

  private void finish(String what, SlapdWithFeed people, JudgedReaders readers) {
    readers.close();
    CacheStats stats = people.proxy().cache();
    long hits = stats.filterHits();
    Soak.record(
        "%s: %d answers judged, %d hits, the oldest answer was %d ms old (bound: %d ms)"
            .formatted(what, versions.judged(), hits, versions.worstMillis(), BOUND.toMillis()));
    assertThat(readers.failures()).isEmpty();
    assertThat(hits).as("answers from memory").isGreaterThan(versions.judged() / 10);
  }

  private void suffer(int fault, SlapdWithFeed people, JudgedReaders readers) throws Exception {
    switch (fault) {
      case 0 -> killTwice(people, readers);
      case 1 -> stepClock(people, readers);
      case 2 -> stopAndEdit(people, readers);
      default -> killOnce(people, readers);
    }
  }

  // Writes

  private String next() {
    written++;
    return "Version " + written;
  }

  private void write(SlapdWithFeed people, int person) throws LDAPException {
    String text = next();
    versions.begin(person, text);
    people.root().modify(People.dn(person), new Modification(ModificationType.REPLACE, "l", text));
    versions.acknowledge(person);
  }

  /** Some people move, and the one who is added offline goes. */
  private void writes(SlapdWithFeed people) throws LDAPException {
    for (int i = 0; i < 3; i++) {
      write(people, random.nextBoolean() ? CHANGED : 4);
    }
    if (SlapdWithFeed.find(people.root(), "(uid=user.99)", "l").getEntryCount() > 0) {
      versions.begin(ADDED, ABSENT);
      people.root().delete(People.dn(ADDED));
      versions.acknowledge(ADDED);
    }
  }

  private void edit(Slapd slapd, boolean adds) {
    String text = next();
    versions.begin(CHANGED, text);
    slapd.editOffline(
        "slapmodify",
        "dn: %s\nchangetype: modify\nreplace: l\nl: %s\n".formatted(People.dn(CHANGED), text));
    if (adds) {
      versions.begin(ADDED, text);
      slapd.editOffline(
          "slapadd",
          """
          dn: %s
          objectClass: inetOrgPerson
          uid: user.99
          cn: User 99
          sn: Number99
          l: %s
          """
              .formatted(People.dn(ADDED), text));
    }
    slapd.reindex();
  }

  private void acknowledged(boolean added) {
    versions.acknowledge(CHANGED);
    if (added) {
      versions.acknowledge(ADDED);
    }
  }

  // Faults

  private void killOnce(SlapdWithFeed people, JudgedReaders readers) {
    people.slapd().kill();
    readers.nothingRuns();
    people.slapd().restart();
    people.connect();
    listen(people, readers);
  }

  /** The first process lives for less than two seconds. */
  private void killTwice(SlapdWithFeed people, JudgedReaders readers) throws LDAPException {
    people.slapd().kill();
    people.slapd().restart();
    people.connect();
    write(people, 4);
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(1_000)));
    people.slapd().kill();
    editAndGoOn(people, readers);
  }

  private void stopAndEdit(SlapdWithFeed people, JudgedReaders readers) throws LDAPException {
    people.slapd().stop();
    editAndGoOn(people, readers);
  }

  /** Edits the database of a server that is down, starts the server and writes. */
  private void editAndGoOn(SlapdWithFeed people, JudgedReaders readers) throws LDAPException {
    edit(people.slapd(), true);
    people.slapd().restart();
    acknowledged(true);
    people.connect();
    listen(people, readers);
    write(people, 6);
  }

  /**
   * The feed is cut, the clock is set back, and the next change is told to no feed that goes on: so
   * the relay loses what is told of it.
   */
  private void stepClock(SlapdWithFeed people, JudgedReaders readers) throws LDAPException {
    people.awaitProvable();
    long connects = people.connects();
    people.relay().lose();
    people.relay().setClock(-600);
    people.relay().swallow(People.dn(HIDDEN));
    write(people, HIDDEN);
    people.relay().goOn();
    Await.until("the feed has come back", () -> people.connects() > connects);
    readers.await(BETWEEN);
    people.relay().swallow(null);
    people.relay().lose();
    people.relay().setClock(0);
    people.relay().goOn();
    readers.await(BETWEEN);
  }

  /** The server is followed again, and nothing has been written since. */
  private static void listen(SlapdWithFeed people, JudgedReaders readers) {
    Await.until("the feed tells of changes", people::isListening);
    readers.await(BETWEEN);
  }

  /** Nobody asks meanwhile: the primary has other values. */
  private void editReplica(SlapdWithFeed people, boolean kills) {
    Slapd replica = people.servers().replica(0);
    if (kills) {
      replica.kill();
    } else {
      replica.stop();
    }
    edit(replica, false);
    replica.restart();
    Await.until("the replica is used", () -> isUp(people));
    acknowledged(false);
  }

  private static boolean isUp(SlapdWithFeed people) {
    return people.proxy().status().backends().stream()
        .allMatch(backend -> backend.state() == BackendState.UP);
  }

  /** Both have the same again. */
  private void follow(SlapdWithFeed people) throws LDAPException {
    for (int person : new int[] {CHANGED, 4}) {
      String text = next();
      versions.begin(person, text);
      people
          .root()
          .modify(People.dn(person), new Modification(ModificationType.REPLACE, "l", text));
      try (LDAPConnection replica =
          SlapdWithFeed.connect(
              people.servers().replica(0).address(), People.dn(1), People.PASSWORD)) {
        String filter = "(uid=user." + person + ")";
        Await.until(
            "a replica follows", () -> text.equals(SlapdWithFeed.value(replica, filter, "l")));
      }
      versions.acknowledge(person);
    }
  }
}
