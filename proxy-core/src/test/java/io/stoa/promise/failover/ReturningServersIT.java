// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.failover;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.replication.ReplicationConfig;
import io.stoa.replication.ReplicationConfig.SessionScope;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Ldif;
import io.stoa.testing.Pager;
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
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What sessions rely on holds while servers go and come back, lagging: for clients that have a
 * connection of their own to one, too.
 */
class ReturningServersIT {
  private static final String SUFFIX = "dc=example,dc=com";
  private static final String ADMIN = "cn=admin," + SUFFIX;
  private static final String ENTRY = "cn=a," + SUFFIX;
  private static final RawRequest READ = search(ENTRY).baseScope().request();
  private static final RawRequest ALL = search(SUFFIX).request();
  private static final Duration MAX_LAG = Duration.ofSeconds(1);

  private static ReplicatedSlapd servers;
  private static int number;
  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private RunningProxy proxy;

  @BeforeAll
  static void startServers() {
    Ldif ldif = new Ldif().entry(SUFFIX, "objectClass: domain", "dc: example");
    for (String name : List.of("a", "b", "c")) {
      ldif.entry("cn=" + name + "," + SUFFIX, "objectClass: device", "cn: " + name);
    }
    servers = ReplicatedSlapd.start(SlapdConfig.stock(), SUFFIX, "", ldif, 1);
  }

  @AfterAll
  static void stopServers() {
    servers.close();
  }

  @BeforeEach
  void start() {
    servers.lag(Duration.ZERO);
    servers.awaitEqual();
    proxy =
        ProxySetup.before(servers.ports())
            .cachesOff()
            .upstream("balance", Records.with(BalanceConfig.DEFAULTS, "reads", Reads.REPLICAS))
            .upstream("writeCoherence", Duration.ZERO)
            .upstream(
                "replication",
                new ReplicationConfig(SessionScope.IDENTITY, MAX_LAG, Duration.ofMillis(50)))
            .start();
    awaitPositions();
  }

  @AfterEach
  void stop() {
    proxy.close();
  }

  private void awaitPositions() {
    Await.until(
        "both are up and tell",
        () ->
            backends().stream()
                .allMatch(
                    one -> one.state() == BackendState.UP && !one.replica().position().isEmpty()));
  }

  private List<BackendStatus> backends() {
    return proxy.status().backends();
  }

  private BackendStatus replica() {
    return backends().get(1);
  }

  private void drainReplica(boolean drained) {
    proxy
        .proxy()
        .applyServers(
            IntStream.of(servers.ports())
                .mapToObj(
                    port -> {
                      boolean primary = port == servers.primary().port();
                      ServerAddress address = new ServerAddress("127.0.0.1", port);
                      return new ServerSpec(
                          address, primary, 1, 1, List.of(), drained && !primary, "");
                    })
                .toList());
  }

  private RawLdapClient admin() {
    return proxy.client().bind(ADMIN, "secret");
  }

  private String write(RawLdapClient client) {
    String value = "v" + ++number + "v";
    assertThat(client.code(Requests.replace(ENTRY, "description", value))).isZero();
    return value;
  }

  private static boolean shows(RawLdapClient client, String value) {
    return client.call(READ).get(0).mentions(value);
  }

  private static boolean shows(Pager pager, String value) {
    return pager.next(10).entries().stream().anyMatch(entry -> entry.mentions(value));
  }

  /** Lets a client have a connection of its own to the replica, where it reads the first page. */
  private Pager pinned(RawLdapClient client, int size) {
    servers.primary().kill();
    Pager pager = new Pager(client, ALL);
    assertThat(pager.next(size).code()).isZero();
    servers.lag(Duration.ofHours(1));
    servers.primary().restart();
    awaitPositions();
    return pager;
  }

  @Test
  void aPagedSearchSeesOwnWrites() {
    try (RawLdapClient client = admin();
        RawLdapClient other = admin()) {
      pinned(client, 10);
      String written = write(client);
      assertThat(shows(new Pager(client, ALL), written)).isTrue();
      String writtenElsewhere = write(other);
      assertThat(shows(new Pager(client, ALL), writtenElsewhere)).isTrue();
      assertThat(replica().replica().uncovered()).isZero();
    }
  }

  @Test
  void pagesContinueOnTheirServer() {
    try (RawLdapClient client = admin()) {
      Pager begun = pinned(client, 1);
      String written = write(client);
      assertThat(shows(client, written)).isTrue();
      assertThat(begun.rest(1)).hasSize(3).allMatch(page -> page.code() == 0);
      assertThat(replica().replica().uncovered()).isPositive();
      assertThat(shows(new Pager(client, ALL), written)).isTrue();
    }
  }

  @Test
  void aWriteIsReadWithoutAnyReplica() {
    try (RawLdapClient client = admin()) {
      drainReplica(true);
      String written = write(client);
      assertThat(shows(client, written)).isTrue();
      servers.replica(0).kill();
      String more = write(client);
      assertThat(shows(client, more)).isTrue();
    } finally {
      servers.replica(0).restart();
    }
  }

  /** Nothing is known of it but what it told before, until it tells anew. */
  @Test
  void aReplicaThatReturnsWithLagGetsNoReadsUntilItCatchesUp() {
    try (RawLdapClient client = admin();
        RawLdapClient nobody = proxy.client()) {
      drainReplica(true);
      servers.lag(Duration.ofHours(1));
      String written = write(client);
      Await.until("it is behind", () -> replica().replica().behind());
      drainReplica(false);
      Await.until("it is used", () -> replica().state() == BackendState.UP);
      long before = replica().operations();
      for (int i = 0; i < 20; i++) {
        assertThat(shows(nobody, written)).isTrue();
      }
      assertThat(replica().operations()).isEqualTo(before);
      servers.lag(Duration.ZERO);
      Await.until(
          "it is read from",
          () -> {
            assertThat(shows(nobody, written)).isTrue();
            return replica().operations() > before;
          });
    }
  }
}
