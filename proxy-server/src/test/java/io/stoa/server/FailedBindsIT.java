// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import com.unboundid.util.json.JSONObject;
import io.stoa.server.StoaUnderLoad.Outcome;
import io.stoa.server.admin.auth.PasswordHash;
import io.stoa.server.reconfigure.RuntimeConfiguration;
import io.stoa.testing.Await;
import io.stoa.testing.InMemoryDirectory;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.Requests;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Failed binds are counted and logged by network and result, without any limit. */
class FailedBindsIT {
  private static final String ATTACKER = "127.0.0.66";
  private static final String OTHER = "127.0.0.67";
  private static final Logger LOG = (Logger) LoggerFactory.getLogger("io.stoa.client.quota");

  @TempDir Path folder;

  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          lines.add(event.getFormattedMessage());
        }
      };
  private InMemoryDirectory directory;
  private StoaServer stoa;

  @BeforeEach
  void start() throws Exception {
    appender.setContext(LOG.getLoggerContext());
    appender.start();
    LOG.addAppender(appender);
    LOG.setLevel(Level.INFO);
    directory = InMemoryDirectory.start(5);
    Path file =
        Files.writeString(
            folder.resolve("stoa.yaml"),
            """
            listen: ['127.0.0.1:0', 'ldapi://%s']
            management: {listen: none}
            eventLoops: 2
            admin: {passwordHash: '%s'}
            access: {rules: [{name: off, decision: deny, operations: [search], networks: ['%s/32']}]}
            upstream: {servers: ['ldap://127.0.0.1:%d']}
            """
                .formatted(
                    socket(),
                    PasswordHash.of("x".getBytes(UTF_8)).print(),
                    OTHER,
                    directory.port()));
    RuntimeConfiguration runtime = RuntimeConfiguration.of(file);
    stoa = StoaServer.start(runtime.config(), runtime);
    Await.until("Stoa is ready", () -> stoa.proxy().status().ready());
  }

  @AfterEach
  void stop() {
    stoa.close();
    directory.close();
    LOG.detachAppender(appender);
    LOG.setLevel(null);
    appender.stop();
  }

  private String socket() {
    return folder.resolve("ldapi").toString().replace("/", "%2F");
  }

  private JSONObject stoactl(String... arguments) {
    String[] words = java.util.Arrays.copyOf(arguments, arguments.length + 1);
    words[arguments.length] = "--json";
    Outcome outcome = StoaUnderLoad.stoactl(Map.of("STOACTL_URI", "ldapi://" + socket()), words);
    assertThat(outcome.code()).as(outcome.err()).isZero();
    return StoaUnderLoad.parse(outcome.out());
  }

  private void fail(String from, int times) {
    try (RawLdapClient client = RawLdapClient.from(from, stoa.addresses().get(0))) {
      for (int i = 0; i < times; i++) {
        assertThat(client.code(Requests.bind(InMemoryDirectory.person(1), "wrong"))).isEqualTo(49);
      }
      assertThat(client.code(Requests.bind(InMemoryDirectory.person(1), ""))).isEqualTo(53);
      client.bind(InMemoryDirectory.person(1), InMemoryDirectory.PASSWORD);
    }
  }

  @Test
  void theNetworksWithMostFailedBindsAreListed() {
    fail(OTHER, 1);
    fail(ATTACKER, 3);
    List<JSONObject> networks =
        stoactl("clients", "networks").getFieldAsArray("networks").stream()
            .map(JSONObject.class::cast)
            .toList();
    assertThat(networks)
        .extracting(one -> one.getFieldAsString("network"))
        .startsWith(ATTACKER, OTHER);
    JSONObject first = networks.get(0);
    assertThat(first.getFieldAsInteger("failedBinds")).isEqualTo(4);
    assertThat(first.getField("results").toString())
        .contains("invalidCredentials 3", "unwillingToPerform 1");
    String text =
        StoaUnderLoad.stoactl(Map.of("STOACTL_URI", "ldapi://" + socket()), "clients", "networks")
            .out();
    assertThat(text)
        .containsPattern(ATTACKER.replace(".", "\\.") + " +0 +0 +0 +4 +invalidCredentials 3, ");
  }

  @Test
  void eachNetworkWithFailedBindsIsLogged() {
    fail(ATTACKER, 2);
    Await.until(
        "a line names the network",
        () -> lines.stream().anyMatch(line -> line.startsWith("failed binds from " + ATTACKER)));
    assertThat(String.join("\n", lines)).contains("invalidCredentials").doesNotContain("wrong");
    assertThat(lines).filteredOn(line -> line.contains(ATTACKER)).hasSize(1);
  }

  @Test
  void refusedRequestsAreCountedForTheirClient() {
    try (RawLdapClient client = RawLdapClient.from(OTHER, stoa.addresses().get(0))) {
      client.bind(InMemoryDirectory.person(1), InMemoryDirectory.PASSWORD);
      for (int i = 0; i < 2; i++) {
        assertThat(client.code(Requests.search(InMemoryDirectory.PEOPLE).request())).isEqualTo(50);
      }
      JSONObject culprit =
          stoactl("clients", "list").getFieldAsArray("clients").stream()
              .map(JSONObject.class::cast)
              .filter(one -> one.getFieldAsString("peer").contains(OTHER))
              .findFirst()
              .orElseThrow();
      assertThat(culprit.getFieldAsInteger("refused")).isEqualTo(2);
    }
  }
}
