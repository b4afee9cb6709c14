// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.util.json.JSONObject;
import io.stoa.operation.event.QuotaLimit;
import io.stoa.server.StoaUnderLoad.Outcome;
import io.stoa.server.reconfigure.RuntimeConfiguration;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.People;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.Slapd;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * An attacker's day: others are served meanwhile, the log names the culprit once a period, and so
 * does stoactl.
 */
class AttackersDayIT {
  private static final String ATTACKER = "127.0.0.66";
  private static final int PEOPLE = 20;
  private static final int CONNECTIONS = 10;

  private static Slapd slapd;

  @TempDir Path folder;
  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private final List<RawLdapClient> attackers = new ArrayList<>();
  private StoaServer stoa;
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
  void start() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("stoa.yaml"),
            """
            listen: ['127.0.0.1:0', 'ldapi://%s']
            management: {listen: none}
            eventLoops: 2
            upstream: {servers: ['%s']}
            limits:
              network: {connections: %d, failedBinds: 5, failedBindDelay: 5s}
              identity: {operationsPerSecond: 50, burst: 50}
            """
                .formatted(socket(), slapd.url(), CONNECTIONS));
    RuntimeConfiguration runtime = RuntimeConfiguration.of(file);
    stoa = StoaServer.start(runtime.config(), runtime);
    Await.until("Stoa is ready", () -> stoa.proxy().status().ready());
    honest = TestServers.rawClient(stoa);
  }

  @AfterEach
  void stop() {
    attackers.forEach(RawLdapClient::close);
    honest.close();
    stoa.close();
  }

  private String socket() {
    return folder.resolve("ldapi").toString().replace("/", "%2F");
  }

  private RawLdapClient attacker() {
    RawLdapClient client = RawLdapClient.from(ATTACKER, stoa.addresses().get(0));
    attackers.add(client);
    return client;
  }

  private void assertOthersAreServed() {
    long start = System.nanoTime();
    honest.bind(People.dn(1), People.PASSWORD);
    assertThat(honest.code(search(People.dn(2)).baseScope().request())).isZero();
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
  }

  private long refused(QuotaLimit limit) {
    return stoa.counters().limits().get(limit);
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

  /** The elements that {@code stoactl clients VIEW} lists under this name. */
  private List<JSONObject> listed(String view, String name) {
    Outcome outcome =
        StoaUnderLoad.stoactl(
            Map.of("STOACTL_URI", "ldapi://" + socket()), "clients", view, "--json");
    assertThat(outcome.code()).as(outcome.err()).isZero();
    return StoaUnderLoad.parse(outcome.out()).getFieldAsArray(name).stream()
        .map(JSONObject.class::cast)
        .toList();
  }

  private List<JSONObject> clientsOfAttacker() {
    return listed("list", "clients").stream()
        .filter(client -> client.getFieldAsString("peer").contains(ATTACKER))
        .toList();
  }

  @Test
  void passwordSprayingFromOneNetworkIsSlow() {
    List<RawLdapClient> sprayers = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS; i++) {
      sprayers.add(attacker());
    }
    for (RawLdapClient sprayer : sprayers) {
      RawRequest[] guesses = new RawRequest[PEOPLE];
      for (int person = 0; person < PEOPLE; person++) {
        guesses[person] = Requests.bind(People.dn(person), "Summer2026!");
      }
      sprayer.sendTogether(guesses);
    }
    Await.until("answers wait", () -> refused(QuotaLimit.NETWORK_FAILED_BINDS) >= 5);
    assertOthersAreServed();
    assertLogged(QuotaLimit.NETWORK_FAILED_BINDS, ATTACKER);
    assertThat(slapd.completed("Bind")).isLessThan(PEOPLE * CONNECTIONS);
    assertThat(listed("networks", "networks").get(0).getFieldAsString("network"))
        .isEqualTo(ATTACKER);
    assertThat(clientsOfAttacker()).hasSize(CONNECTIONS);
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
    assertThat(refused(QuotaLimit.IDENTITY_OPERATIONS_PER_SECOND)).isPositive();
    assertLogged(QuotaLimit.IDENTITY_OPERATIONS_PER_SECOND, People.dn(7));
    JSONObject culprit =
        listed("list", "clients").stream()
            .max(Comparator.comparingInt(client -> client.getFieldAsInteger("refused")))
            .orElseThrow();
    assertThat(culprit.getFieldAsString("identity")).isEqualTo(People.dn(7));
    assertThat(culprit.getFieldAsString("peer")).contains(ATTACKER);
    assertThat(culprit.getFieldAsInteger("refused")).isPositive();
  }

  @Test
  void connectionsThatNeverSendTakeTheirSharesOnly() {
    for (int i = 0; i < 5 * CONNECTIONS; i++) {
      attacker();
    }
    Await.until(
        "the others are refused", () -> refused(QuotaLimit.NETWORK_CONNECTIONS) == 4 * CONNECTIONS);
    assertOthersAreServed();
    assertLogged(QuotaLimit.NETWORK_CONNECTIONS, ATTACKER);
    assertThat(clientsOfAttacker()).hasSize(CONNECTIONS);
  }
}
