// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.limits;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.client.quota.QuotaConfig;
import io.stoa.client.quota.Quotas;
import io.stoa.operation.OperationCounters;
import io.stoa.operation.event.ClientChoice;
import io.stoa.operation.event.ClientStatus;
import io.stoa.operation.event.QuotaLimit;
import io.stoa.proxy.Extensions;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.Slapd;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An attacker's day: others are served meanwhile, and the log names the culprit once a period. */
class AttackersDayIT {
  private static final String ATTACKER = "127.0.0.66";
  private static final int PEOPLE = 20;
  private static final int CONNECTIONS = 10;
  private static final Quotas QUOTAS =
      new Quotas(
          new QuotaConfig(CONNECTIONS, 0, 0, 0, 5, Duration.ofSeconds(5)),
          new QuotaConfig(0, 0, 50, 50, 0, Duration.ZERO));

  private static Slapd slapd;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private final OperationCounters counters = new OperationCounters();
  private final List<RawLdapClient> attackers = new ArrayList<>();
  private RunningProxy proxy;
  private RawLdapClient honest;

  @BeforeAll
  static void startSlapd() {
    slapd = Slapd.start(People.slapd(PEOPLE));
  }

  @AfterAll
  static void stopSlapd() {
    slapd.close();
  }

  @BeforeEach
  void start() {
    ProxySetup setup = ProxySetup.before(slapd.port()).limit("quotas", QUOTAS);
    proxy =
        RunningProxy.start(setup.config(), new Extensions(next -> next, counters, listeners -> {}));
    honest = proxy.client();
  }

  @AfterEach
  void stop() {
    attackers.forEach(RawLdapClient::close);
    honest.close();
    proxy.close();
  }

  private RawLdapClient attacker() {
    RawLdapClient client = RawLdapClient.from(ATTACKER, proxy.address());
    attackers.add(client);
    return client;
  }

  private void assertOthersAreServed() {
    long start = System.nanoTime();
    honest.bind(People.dn(1), People.PASSWORD);
    assertThat(honest.code(search(People.dn(2)).baseScope().request())).isZero();
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
  }

  /** Waits for the line of a limit, and checks that the log has no second one in its period. */
  private void assertLogged(QuotaLimit limit, String culprit) {
    Await.until("the log names the culprit", () -> lines(limit).size() > 0);
    assertThat(lines(limit)).hasSize(1);
    assertThat(lines(limit).get(0)).contains(culprit);
  }

  private List<String> lines(QuotaLimit limit) {
    return log.warnings().stream().filter(line -> line.contains(limit.key())).toList();
  }

  private List<ClientStatus> clients() {
    return proxy.proxy().survey(ClientChoice.ALL).join();
  }

  @Test
  void passwordSprayingFromOneNetworkIsSlow() {
    List<RawLdapClient> sprayers = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS; i++) {
      sprayers.add(attacker());
    }
    for (int i = 0; i < CONNECTIONS; i++) {
      RawRequest[] guesses = new RawRequest[PEOPLE];
      for (int person = 0; person < PEOPLE; person++) {
        guesses[person] = Requests.bind(People.dn(person), "Summer2026!");
      }
      sprayers.get(i).sendTogether(guesses);
    }
    Await.until("answers wait", () -> counters.limits().get(QuotaLimit.NETWORK_FAILED_BINDS) >= 5);
    assertOthersAreServed();
    assertLogged(QuotaLimit.NETWORK_FAILED_BINDS, ATTACKER);
    assertThat(slapd.completed("Bind")).isLessThan(PEOPLE * CONNECTIONS);
    assertThat(clients())
        .filteredOn(client -> client.peer().origin().contains(ATTACKER))
        .hasSize(CONNECTIONS);
  }

  @Test
  void anIdentityThatFloodsGetsBusy() {
    RawLdapClient flood = attacker();
    flood.bind(People.dn(7), People.PASSWORD);
    RawRequest[] reads = new RawRequest[500];
    for (int i = 0; i < reads.length; i++) {
      reads[i] = search(People.dn(i % PEOPLE)).baseScope().request();
    }
    int last = flood.sendTogether(reads);
    assertOthersAreServed();
    flood.await(last);
    assertThat(counters.limits().get(QuotaLimit.IDENTITY_OPERATIONS_PER_SECOND)).isPositive();
    assertLogged(QuotaLimit.IDENTITY_OPERATIONS_PER_SECOND, People.dn(7));
    ClientStatus busiest =
        clients().stream().max(Comparator.comparingLong(ClientStatus::received)).orElseThrow();
    assertThat(busiest.identity()).isEqualTo(People.dn(7));
    assertThat(busiest.peer().origin()).contains(ATTACKER);
  }

  @Test
  void connectionsThatNeverSendTakeTheirSharesOnly() {
    for (int i = 0; i < 5 * CONNECTIONS; i++) {
      attacker();
    }
    Await.until(
        "the others are refused",
        () -> counters.limits().get(QuotaLimit.NETWORK_CONNECTIONS) == 4 * CONNECTIONS);
    assertOthersAreServed();
    assertLogged(QuotaLimit.NETWORK_CONNECTIONS, ATTACKER);
    assertThat(clients())
        .filteredOn(client -> client.peer().origin().contains(ATTACKER))
        .hasSize(CONNECTIONS);
  }
}
