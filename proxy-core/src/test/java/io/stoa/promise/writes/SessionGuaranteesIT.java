// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.writes;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.promise.writes.SessionHistory.Event;
import io.stoa.replication.ReplicationConfig;
import io.stoa.replication.ReplicationConfig.SessionScope;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Ldif;
import io.stoa.testing.Parallel;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Records;
import io.stoa.testing.ReplicatedSlapd;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.SlapdConfig;
import io.stoa.testing.Soak;
import io.stoa.upstream.balancing.BalanceConfig;
import io.stoa.upstream.balancing.BalanceConfig.Reads;
import io.stoa.upstream.server.BackendStatus;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Sessions of several connections each write and read entries in front of a slapd and two that
 * follow it slowly. Afterwards their history is checked: each has read what it had written, and
 * nothing older than what it had read.
 */
@Tag("soak")
@Tag("timed")
class SessionGuaranteesIT {
  private static final String SUFFIX = "dc=example,dc=com";
  private static final int KEYS = 2000;
  private static final int SESSIONS = 4;
  private static final int CONNECTIONS = 3;
  private static final double WRITES = 0.05;
  private static final double SEARCHES = 0.5;
  private static final Pattern VERSION = Pattern.compile("v([0-9]+)v");

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private static final int[] VERSIONS = new int[KEYS];
  private static ReplicatedSlapd servers;

  private final ReentrantLock[] locks =
      IntStream.range(0, KEYS).mapToObj(key -> new ReentrantLock()).toArray(ReentrantLock[]::new);
  private final SessionHistory history = new SessionHistory();
  private final AtomicLong reads = new AtomicLong();
  private double searches = SEARCHES;
  private final AtomicLong writes = new AtomicLong();

  @BeforeAll
  static void startServers() {
    Ldif ldif = new Ldif().entry(SUFFIX, "objectClass: domain", "dc: example");
    for (int session = 0; session < SESSIONS; session++) {
      ldif.entry(
          user(session), "objectClass: person", "cn: s" + session, "sn: s", "userPassword: pw");
    }
    for (int key = 0; key < KEYS; key++) {
      ldif.entry(dn(key), "objectClass: device", "cn: k" + key);
    }
    String lines = "index cn eq\naccess to * by users write by * read\n";
    servers = ReplicatedSlapd.start(SlapdConfig.stock(), SUFFIX, lines, ldif, 2);
  }

  @AfterAll
  static void stopServers() {
    servers.close();
  }

  @BeforeEach
  @AfterEach
  void noLag() {
    servers.lag(Duration.ZERO);
    servers.awaitEqual();
  }

  private static String user(int session) {
    return "cn=s" + session + "," + SUFFIX;
  }

  private static String dn(int key) {
    return "cn=k" + key + "," + SUFFIX;
  }

  private RunningProxy start(SessionScope session, boolean caches) {
    ProxySetup setup =
        ProxySetup.before(servers.ports())
            .cache("enabled", caches)
            .upstream("balance", Records.with(BalanceConfig.DEFAULTS, "reads", Reads.REPLICAS))
            .upstream(
                "replication",
                new ReplicationConfig(session, Duration.ofSeconds(30), Duration.ofMillis(250)));
    RunningProxy proxy = setup.start();
    Await.until(
        "all tell", () -> backends(proxy).stream().noneMatch(SessionGuaranteesIT::isSilent));
    return proxy;
  }

  private static List<BackendStatus> backends(RunningProxy proxy) {
    return proxy.status().backends();
  }

  private static boolean isSilent(BackendStatus backend) {
    return backend.replica().position().isEmpty();
  }

  /** All sessions at once, for so many operations in all. */
  private void work(RunningProxy proxy, int operations) {
    int each = operations / (SESSIONS * CONNECTIONS);
    Parallel.run(
        SESSIONS * CONNECTIONS, Duration.ofMinutes(20), client -> work(proxy, client, each));
  }

  private void work(RunningProxy proxy, int client, int operations) {
    int session = client % SESSIONS;
    Random random = new Random(Soak.seed() * 31 + client);
    try (RawLdapClient connection = proxy.client().bind(user(session), "pw")) {
      for (int i = 0; i < operations; i++) {
        int key = random.nextInt(KEYS);
        if (random.nextDouble() < WRITES) {
          write(connection, session, key);
        } else {
          read(connection, session, key, random.nextDouble() < searches);
        }
      }
    }
  }

  /** One write of a key at a time, so that it is known which version is the newer one. */
  private void write(RawLdapClient client, int session, int key) {
    locks[key].lock();
    try {
      int version = ++VERSIONS[key];
      long begun = System.nanoTime();
      int code = client.code(Requests.replace(dn(key), "description", "v" + version + "v"));
      history.add(new Event(session, key, true, version, begun, System.nanoTime()));
      assertThat(code).isZero();
      writes.incrementAndGet();
    } finally {
      locks[key].unlock();
    }
  }

  private void read(RawLdapClient client, int session, int key, boolean deep) {
    RawRequest request =
        deep
            ? search(SUFFIX).filter("(cn=k" + key + ")").attributes("description").request()
            : search(dn(key)).baseScope().attributes("description").request();
    long begun = System.nanoTime();
    List<RawMessage> answer = client.call(request);
    long ended = System.nanoTime();
    assertThat(answer).hasSize(2);
    history.add(new Event(session, key, false, version(answer.get(0)), begun, ended));
    reads.incrementAndGet();
  }

  private static int version(RawMessage entry) {
    Matcher found = VERSION.matcher(new String(entry.octets(), StandardCharsets.ISO_8859_1));
    return found.find() ? Integer.parseInt(found.group(1)) : 0;
  }

  private double shareOfPrimary(long operationsBefore, RunningProxy proxy) {
    long operations = backends(proxy).get(0).operations() - operationsBefore;
    return (double) (operations - writes.get()) / reads.get();
  }

  private void check(String what, RunningProxy proxy, long before) {
    double share = shareOfPrimary(before, proxy);
    Soak.record(
        String.format(
            "%s: %d operations, %d writes, %.1f %% of the reads at the primary",
            what, history.size(), writes.get(), 100 * share));
    assertThat(history.violations()).isEmpty();
    assertThat(share).isLessThan(0.3);
  }

  private void hold(String what, boolean caches, Duration lag, int operations) {
    try (RunningProxy proxy = start(SessionScope.IDENTITY, caches)) {
      servers.lag(lag);
      long before = backends(proxy).get(0).operations();
      work(proxy, operations);
      check(what, proxy, before);
    }
  }

  @Test
  void fewReadsGoToThePrimaryWithOneSecondOfLag() {
    hold("lag 1 s, caches off", false, Duration.ofSeconds(1), Soak.scale(5_000, 300_000));
  }

  @Test
  void sessionGuaranteesHoldWithCaches() {
    hold("lag 1 s, caches on", true, Duration.ofSeconds(1), Soak.scale(5_000, 300_000));
  }

  /** The lag is another one again and again, and another one for each replica. */
  @Test
  void sessionGuaranteesHoldWithFiveSecondsOfLag() {
    try (RunningProxy proxy = start(SessionScope.IDENTITY, true)) {
      Random random = new Random(Soak.seed());
      int rounds = Soak.scale(4, 80);
      for (int round = 0; round < rounds; round++) {
        servers.relay(0).delay(Duration.ofMillis(random.nextInt(5000)));
        servers.relay(1).delay(Duration.ofMillis(random.nextInt(5000)));
        work(proxy, Soak.scale(1_000, 5_500));
      }
      Soak.record("lag up to 5 s, caches on: " + history.size() + " operations");
      assertThat(history.violations()).isEmpty();
    }
  }

  /** So the test would notice. A search of the whole tree may have seen whatever was written. */
  @Test
  void connectionScopeViolatesTheIdentityGuarantees() {
    searches = 0;
    try (RunningProxy proxy = start(SessionScope.CONNECTION, false)) {
      servers.lag(Duration.ofSeconds(5));
      work(proxy, 4_000);
      assertThat(history.violations()).isNotEmpty();
    }
  }
}
