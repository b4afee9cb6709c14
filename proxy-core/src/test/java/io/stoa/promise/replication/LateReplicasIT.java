// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.replication;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.replication.ReplicationConfig;
import io.stoa.replication.ReplicationConfig.SessionScope;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Ldif;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Records;
import io.stoa.testing.ReplicatedSlapd;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.SlapdConfig;
import io.stoa.upstream.balancing.BalanceConfig;
import io.stoa.upstream.balancing.BalanceConfig.Reads;
import io.stoa.upstream.balancing.ServerSpec;
import io.stoa.upstream.server.BackendState;
import io.stoa.upstream.server.BackendStatus;
import io.stoa.upstream.server.ServerAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A real slapd, and one that follows it no more, and comes when others have been asked already. */
class LateReplicasIT {
  private static final String SUFFIX = "dc=example,dc=com";
  private static final String ADMIN = "cn=admin," + SUFFIX;
  private static final String ENTRY = "cn=a," + SUFFIX;
  private static final RawRequest READ = search(ENTRY).baseScope().request();

  private static ReplicatedSlapd servers;
  private static int number;
  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private RunningProxy proxy;

  @BeforeAll
  static void startServers() {
    Ldif ldif = new Ldif().entry(SUFFIX, "objectClass: domain", "dc: example");
    ldif.entry(ENTRY, "objectClass: device", "cn: a");
    servers = ReplicatedSlapd.start(SlapdConfig.stock(), SUFFIX, "", ldif, 1);
  }

  @AfterAll
  static void stopServers() {
    servers.close();
  }

  @AfterEach
  void stop() {
    proxy.close();
    servers.lag(Duration.ZERO);
    servers.awaitEqual();
  }

  private void start(Duration maxLag, Duration interval) {
    BalanceConfig replicas = Records.with(BalanceConfig.DEFAULTS, "reads", Reads.REPLICAS);
    start(ProxySetup.before(servers.ports()).upstream("balance", replicas), maxLag, interval);
  }

  private void start(ProxySetup setup, Duration maxLag, Duration interval) {
    proxy =
        setup
            .cachesOff()
            .upstream("writeCoherence", Duration.ZERO)
            .upstream("replication", new ReplicationConfig(SessionScope.IDENTITY, maxLag, interval))
            .start();
    awaitPosition(0);
  }

  private void awaitPosition(int server) {
    Await.until(
        "it is up and tells",
        () ->
            status(server).state() == BackendState.UP
                && !status(server).replica().position().isEmpty());
  }

  private BackendStatus status(int server) {
    return proxy.status().backends().get(server);
  }

  /** Behind Stoa's back: whoever shows it has been read from the primary. */
  private static String writeAround() {
    String value = "v" + ++number + "v";
    try (RawLdapClient client = RawLdapClient.connect(servers.primary().address())) {
      client.bind(ADMIN, "secret");
      assertThat(client.code(Requests.replace(ENTRY, "description", value))).isZero();
    }
    return value;
  }

  private static boolean shows(RawLdapClient client, String value) {
    return client.call(READ).get(0).mentions(value);
  }

  /** What it lacks was seen at the primary at the latest when Stoa first asked that. */
  @Test
  void lagCountsFromThePrimarysFirstPosition() {
    servers.replica(0).kill();
    servers.lag(Duration.ofHours(1));
    String written = writeAround();
    start(Duration.ofSeconds(1), Duration.ofMillis(50));
    servers.replica(0).restart();
    awaitPosition(1);
    Await.until("it is behind", () -> status(1).replica().behind());
    try (RawLdapClient client = proxy.client()) {
      for (int i = 0; i < 20; i++) {
        assertThat(shows(client, written)).isTrue();
      }
    }
  }

  /** It is the second in order of preference, so that writes go to the other. */
  @Test
  void aPrimaryThatNoLongerReplicatesIsNotReadFrom() {
    List<ServerSpec> primaries =
        Arrays.stream(servers.ports())
            .mapToObj(port -> new ServerSpec(new ServerAddress("127.0.0.1", port), true, 1, 1))
            .toList();
    ProxySetup both = ProxySetup.before(servers.ports()).upstream("servers", primaries);
    start(both, Duration.ofSeconds(1), Duration.ofMillis(50));
    awaitPosition(1);
    servers.lag(Duration.ofHours(1));
    String written = writeAround();
    Await.until("it is behind", () -> status(1).replica().behind());
    try (RawLdapClient client = proxy.client()) {
      for (int i = 0; i < 20; i++) {
        assertThat(shows(client, written)).isTrue();
      }
      servers.primary().kill();
      Await.until("the other writes", () -> status(0).state() != BackendState.UP);
      assertThat(client.code(READ)).isZero();
      servers.primary().restart();
    }
    Await.until("it is back", () -> status(0).state() == BackendState.UP);
  }

  /** Its turn to be asked is long after it is up again. */
  @Test
  void aReturnedReplicaReportsItsPositionBeforeItIsReadFrom() {
    Duration maxLag = Duration.ofSeconds(3);
    start(maxLag, Duration.ofMillis(2500));
    awaitPosition(1);
    servers.replica(0).kill();
    Await.until("it is known to be gone", () -> status(1).state() != BackendState.UP);
    servers.lag(Duration.ofHours(1));
    String written = writeAround();
    try (RawLdapClient client = proxy.client()) {
      Await.until("it was seen", () -> !status(0).replica().position().equals(position()));
      long seen = System.nanoTime();
      Await.until("too long ago", () -> System.nanoTime() - seen > maxLag.toNanos());
      servers.replica(0).restart();
      Await.until(
          "it is back, and behind",
          () -> {
            assertThat(shows(client, written)).isTrue();
            return status(1).state() == BackendState.UP && status(1).replica().behind();
          });
    }
  }

  private String position() {
    return status(1).replica().position();
  }

  @Test
  void aSingleReturnedReplicaIsReadFromAtOnce() {
    start(Duration.ofSeconds(10), Duration.ofSeconds(4));
    awaitPosition(1);
    servers.replica(0).kill();
    servers.primary().kill();
    Await.until("both are gone", () -> proxy.up() == 0);
    servers.replica(0).restart();
    try (RawLdapClient client = proxy.client()) {
      Await.until("it is back", () -> status(1).state() == BackendState.UP);
      assertThat(client.code(READ)).isZero();
    } finally {
      servers.primary().restart();
    }
  }
}
