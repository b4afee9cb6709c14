// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.writes;

import static io.stoa.testing.RawLdapClient.last;
import static io.stoa.testing.Requests.replace;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import io.stoa.cache.result.CacheStats;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Parallel;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import io.stoa.write.WindowConfig;
import io.stoa.write.WindowConfig.Batch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Many clients whose writes wait for windows, before a slapd. */
class WindowFlowIT {
  private static final int WRITERS = 64;
  private static final int SEARCHES = 10;
  private static final int ROUNDS = 15;
  private static final int FAILS_EVERY = 20;
  private static final int NO_SUCH_ATTRIBUTE = 16;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /**
   * Each event loop may look up one request that began before the end of an epoch. Such a request
   * misses if a result of the next epoch is stored already.
   */
  private static final int EVENT_LOOPS = 2;

  private static final String NAME = "all";

  private static Slapd slapd;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  @BeforeAll
  static void startSlapd() {
    slapd = Slapd.start(People.slapd(WRITERS + SEARCHES));
  }

  @AfterAll
  static void stopSlapd() {
    slapd.close();
  }

  private static RunningProxy proxy(Duration every, int max) {
    WindowConfig window = new WindowConfig(NAME, null, null, every, max, Batch.SINGLE, false);
    return ProxySetup.before(slapd.port())
        .maxAge(Duration.ofHours(1))
        .windows(window)
        .start()
        .awaitUp();
  }

  private static RawLdapClient root(RunningProxy proxy) {
    return proxy.client().bind(People.ROOT, SlapdConfig.ROOT_PASSWORD);
  }

  private static RawRequest title(int person) {
    return Requests.search(People.dn(person)).baseScope().attributes("title").request();
  }

  private static boolean shows(List<? extends RawMessage> answer, String value) {
    return answer.size() == 2 && answer.get(0).mentions(value);
  }

  /** Each waits for its answer, and then reads what it has written. */
  @Test
  void everyClientGetsItsOwnResult() {
    try (RunningProxy proxy = proxy(Duration.ofMillis(100), WRITERS)) {
      Parallel.run(WRITERS, PATIENCE, person -> write(proxy, person));
    }
  }

  private static void write(RunningProxy proxy, int person) {
    try (RawLdapClient client = root(proxy)) {
      String value = "";
      for (int round = 0; round < ROUNDS; round++) {
        if ((round * WRITERS + person) % FAILS_EVERY == 0) {
          Modification absent = new Modification(ModificationType.DELETE, "title", "never" + round);
          assertThat(client.code(Requests.modify(People.dn(person), absent)))
              .isEqualTo(NO_SUCH_ATTRIBUTE);
        } else {
          value = "w" + person + "-" + round;
          assertThat(client.code(replace(People.dn(person), "title", value))).isZero();
        }
        String expected = value;
        assertThat(client.call(title(person))).matches(answer -> shows(answer, expected));
      }
    }
  }

  /** What cannot be done in another order succeeds, and the last of several values stays. */
  @Test
  void theOrderOfAConnectionHolds() {
    try (RunningProxy proxy = proxy(Duration.ofMillis(100), 1000)) {
      Parallel.run(WRITERS, PATIENCE, person -> writeInOrder(proxy, person));
    }
  }

  private static void writeInOrder(RunningProxy proxy, int person) {
    String unit = "ou=unit" + person + "," + People.SUFFIX;
    String inner = "ou=inner," + unit;
    List<Integer> sent = new ArrayList<>();
    try (RawLdapClient client = root(proxy)) {
      sent.add(client.send(Requests.add(unit, "objectClass: organizationalUnit")));
      sent.add(client.send(Requests.add(inner, "objectClass: organizationalUnit")));
      for (int i = 0; i < 5; i++) {
        sent.add(client.send(replace(inner, "description", "d" + i)));
        sent.add(client.send(replace(People.dn(person), "title", "t" + person + "-" + i)));
      }
      sent.add(client.send(Requests.rename(inner, "ou=other", true)));
      sent.add(client.send(Requests.delete("ou=other," + unit)));
      sent.add(client.send(Requests.delete(unit)));
      sent.forEach(id -> assertThat(last(client.await(id)).resultCode()).isZero());
      assertThat(client.call(title(person))).matches(answer -> shows(answer, "t" + person + "-4"));
    }
  }

  /** One operation in a hundred is a write. Without any, every search but the first is a hit. */
  @Test
  void noResultIsInvalidatedBetweenTwoWindows() {
    int searches = 10;
    int reads = 2_000;
    try (RunningProxy proxy = proxy(Duration.ofSeconds(10), 1000);
        RawLdapClient reader = proxy.client().bind(People.dn(0), People.PASSWORD);
        RawLdapClient writer = root(proxy)) {
      double still = hitRatio(proxy, reader, searches, reads);
      List<Integer> sent = new ArrayList<>();
      long hits = proxy.cache().filterHits();
      long misses = proxy.cache().filterMisses();
      for (int i = 0; i < 2 * reads; i++) {
        assertThat(reader.call(People.find(i % searches))).hasSize(2);
        if (i % 100 == 0) {
          sent.add(writer.send(replace(People.dn(20 + i / 100), "title", "h" + i)));
        }
        if (i == reads) {
          flush(proxy, sent.size());
        }
      }
      hits = proxy.cache().filterHits() - hits;
      misses = proxy.cache().filterMisses() - misses;
      flush(proxy, proxy.proxy().windows().status().get(0).waiting());
      sent.forEach(id -> assertThat(last(writer.await(id)).resultCode()).isZero());
      assertThat((double) hits / (hits + misses)).isGreaterThan(still - 0.02);
    }
  }

  /**
   * The same with windows that close by themselves, and clients that both read and write: the
   * directory is asked each search once for each window that has closed, and no more.
   */
  @Test
  void aWindowCostsEachSearchOneMiss() {
    long operations = 1_000;
    try (RunningProxy proxy = proxy(Duration.ofMillis(100), 1000)) {
      Parallel.run(
          WRITERS,
          PATIENCE,
          person -> {
            try (RawLdapClient client = root(proxy)) {
              List<Integer> sent = new ArrayList<>();
              for (int i = 0; i < operations; i++) {
                if ((i + person) % 100 == 0) {
                  sent.add(client.send(replace(People.dn(person), "title", "m" + i)));
                } else {
                  assertThat(client.call(People.find(WRITERS + i % SEARCHES))).hasSize(2);
                }
              }
              sent.forEach(id -> assertThat(last(client.await(id)).resultCode()).isZero());
            }
          });
      CacheStats cache = proxy.cache();
      assertThat(cache.invalidations()).isPositive();
      assertThat(cache.filterHits() + cache.filterMisses())
          .isEqualTo(WRITERS * (operations - operations / 100));
      int perWindow = SEARCHES + EVENT_LOOPS;
      assertThat(cache.filterMisses() - cache.joined())
          .isLessThanOrEqualTo(cache.invalidations() * perWindow + SEARCHES);
    }
  }

  private static void flush(RunningProxy proxy, int waiting) {
    Await.until("they wait", () -> proxy.proxy().windows().status().get(0).waiting() >= waiting);
    proxy.proxy().windows().flush(NAME);
  }

  private static double hitRatio(
      RunningProxy proxy, RawLdapClient reader, int searches, int reads) {
    for (int i = 0; i < reads; i++) {
      assertThat(reader.call(People.find(i % searches))).hasSize(2);
    }
    long hits = proxy.cache().filterHits();
    return (double) hits / (hits + proxy.cache().filterMisses());
  }
}
