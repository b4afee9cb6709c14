// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.failover;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Entry;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
import io.stoa.testing.NameServer;
import io.stoa.testing.NameServer.Service;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.upstream.balancing.ServerSpec;
import io.stoa.upstream.connect.NamesConfig;
import io.stoa.upstream.server.BackendState;
import io.stoa.upstream.server.BackendStatus;
import io.stoa.upstream.server.ServerAddress;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The servers of a domain, as DNS names them while they come and go. */
class ServerNamesIT {
  private static final RawRequest READ = search("dc=example,dc=com").request();
  private static final String ANNA = "uid=anna,dc=example,dc=com";

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private final NameServer names = NameServer.start();
  private final ScriptedUpstream first = ScriptedUpstream.start();
  private final ScriptedUpstream second = ScriptedUpstream.start();

  @AfterEach
  void end() {
    names.close();
    first.close();
    second.close();
  }

  private static Service service(int priority, ScriptedUpstream server) {
    return new Service(priority, 1, server.port(), "localhost");
  }

  private void running(Consumer<RunningProxy> test) {
    try (RunningProxy proxy = setup().start()) {
      test.accept(proxy);
    }
  }

  private ProxySetup setup() {
    return ProxySetup.beforeUrls("ldap+srv://example.com")
        .cachesOff()
        .upstream("names", new NamesConfig(names.address(), Duration.ofMillis(50)));
  }

  private static void awaitUp(RunningProxy proxy, ScriptedUpstream... servers) {
    List<ServerAddress> wanted =
        List.of(servers).stream()
            .map(server -> new ServerAddress("localhost", server.port()))
            .toList();
    Await.until(
        "these servers are up: " + wanted,
        () ->
            proxy.status().backends().stream()
                    .filter(backend -> backend.state() == BackendState.UP)
                    .map(BackendStatus::address)
                    .toList()
                    .containsAll(wanted)
                && proxy.status().backends().size() == wanted.size());
  }

  private static long reads(ScriptedUpstream server) {
    return server.received(ServerNamesIT::isRead).size();
  }

  private static boolean isRead(Received request) {
    return request.isSearchFor("dc=example,dc=com")
        && !request.message().mentions("contextCSN")
        && !request.message().mentions("nsUniqueId");
  }

  /** Servers come, are used by their priority, and go, and no client sees anything of it. */
  @Test
  void useServersNamedByDns() {
    names.tell(service(10, first));
    running(
        proxy -> {
          try (RawLdapClient client = proxy.client().bind(ANNA, "secret")) {
            assertThat(client.code(READ)).isZero();
            names.tell(service(10, first), service(5, second));
            awaitUp(proxy, first, second);
            long before = reads(first);
            assertThat(client.code(READ)).isZero();
            assertThat(reads(first)).isEqualTo(before);
            assertThat(reads(second)).isEqualTo(1);
            names.tell(service(10, first));
            awaitUp(proxy, first);
            assertThat(client.code(READ)).isZero();
            assertThat(reads(first)).isEqualTo(before + 1);
            Await.until("nothing is left there", () -> second.openConnections() == 0);
          }
        });
  }

  /** What a server that goes has under way it may end. */
  @Test
  void finishOperationsOfRemovedServers() {
    names.tell(service(1, first));
    running(
        proxy -> {
          Held held = first.hold(request -> request.is(Received.MODIFY));
          try (RawLdapClient client = proxy.client()) {
            int id = client.send(Requests.replace(ANNA, "sn", "x"));
            held.awaitArrival();
            names.tell(service(1, second));
            awaitUp(proxy, second);
            held.answer(Answers.success());
            assertThat(RawLdapClient.last(client.await(id)).resultCode()).isZero();
            assertThat(client.code(READ)).isZero();
            assertThat(reads(second)).isEqualTo(1);
            Await.until("nothing is left there", () -> first.openConnections() == 0);
          }
        });
  }

  private static Service weighed(int priority, int weight, ScriptedUpstream server) {
    return new Service(priority, weight, server.port(), "localhost");
  }

  private static List<String> weights(RunningProxy proxy) {
    return proxy.status().backends().stream()
        .map(backend -> backend.address().port() + " " + Math.round(backend.weight()))
        .sorted()
        .toList();
  }

  /** Nobody could reach them anew: they are the servers that they were. */
  @Test
  void keepConnectionsWhenRecordsChange() {
    names.tell(weighed(1, 10, first), weighed(1, 10, second));
    running(
        proxy -> {
          awaitUp(proxy, first, second);
          try (RawLdapClient client = proxy.client()) {
            for (int i = 0; i < 4; i++) {
              assertThat(client.code(READ)).isZero();
            }
            first.refuseConnections();
            second.refuseConnections();
            names.tell(weighed(5, 20, first), weighed(2, 30, second));
            List<String> wanted =
                Stream.of(first.port() + " 20", second.port() + " 30").sorted().toList();
            Await.until("their weights have changed", () -> weights(proxy).equals(wanted));
            long before = reads(first);
            for (int i = 0; i < 4; i++) {
              assertThat(client.code(READ)).isZero();
            }
            assertThat(reads(first)).isEqualTo(before);
          }
        });
  }

  private static ServerSpec domain(int weight, boolean drained) {
    ServerAddress address = ServerAddress.ofDomain(ServerAddress.Scheme.LDAP, "example.com");
    return new ServerSpec(address, true, weight, 1, List.of(), drained, "");
  }

  private static ServerSpec drained(ScriptedUpstream server) {
    ServerAddress address = new ServerAddress("localhost", server.port());
    return new ServerSpec(address, false, 1, 1, List.of(), true, "");
  }

  private static void awaitStates(RunningProxy proxy, BackendState... states) {
    Await.until(
        List.of(states).toString(),
        () ->
            proxy.status().backends().stream()
                .sorted(Comparator.comparing(backend -> backend.address().port()))
                .map(BackendStatus::state)
                .toList()
                .equals(List.of(states)));
  }

  /**
   * What an administrator says of a domain is said of its servers, and of one what is said of it.
   */
  @Test
  void obeyOverridesOfTheDomainAndOfEachServer() {
    names.tell(weighed(1, 10, first), weighed(1, 10, second));
    running(
        proxy -> {
          awaitUp(proxy, first, second);
          assertThat(proxy.proxy().applyServers(List.of(domain(3, true)))).hasSize(5);
          awaitStates(proxy, BackendState.DRAINED, BackendState.DRAINED);
          assertThat(weights(proxy)).allMatch(weight -> weight.endsWith(" 30"));
          try (RawLdapClient client = proxy.client()) {
            assertThat(client.code(READ)).isEqualTo(52);
            proxy.proxy().applyServers(List.of(domain(1, false), drained(second)));
            Await.until("one is up", () -> proxy.up() == 1);
            long before = reads(second);
            for (int i = 0; i < 4; i++) {
              assertThat(client.code(READ)).isZero();
            }
            names.tell(weighed(1, 11, first), weighed(1, 10, second));
            int questions = names.questions();
            Await.until("DNS is heard", () -> names.questions() > questions + 1);
            assertThat(client.code(READ)).isZero();
            assertThat(client.code(Requests.replace(ANNA, "sn", "x"))).isZero();
            assertThat(reads(second)).isEqualTo(before);
            proxy.proxy().applyServers(List.of(domain(1, false)));
            awaitUp(proxy, first, second);
          }
        });
  }

  /** So it is from the start. */
  @Test
  void areDrainedFromTheStart() {
    names.tell(weighed(1, 10, first), weighed(1, 10, second));
    ProxySetup setup = setup().upstream("servers", List.of(domain(2, false), drained(second)));
    try (RunningProxy proxy = setup.start();
        RawLdapClient client = proxy.client()) {
      Await.until("DNS is heard", () -> weights(proxy).toString().contains(" 20"));
      Await.until("one is up", () -> proxy.up() == 1);
      for (int i = 0; i < 4; i++) {
        assertThat(client.code(READ)).isZero();
      }
      assertThat(second.received()).isEmpty();
    }
  }

  @Test
  void areDrainedWithTheirDomainFromTheStart() {
    names.tell(weighed(1, 10, first));
    ServerSpec other = ServerSpec.of(List.of(new ServerAddress("localhost", second.port()))).get(0);
    ProxySetup setup = setup().upstream("servers", List.of(domain(1, true), other));
    try (RunningProxy proxy = setup.start();
        RawLdapClient client = proxy.client()) {
      Await.until("DNS is heard", () -> weights(proxy).contains(first.port() + " 10"));
      for (int i = 0; i < 4; i++) {
        assertThat(client.code(READ)).isZero();
      }
      assertThat(first.received()).isEmpty();
    }
  }

  /** It hangs, and then DNS names it no more: what it has is asked of the one that is left. */
  @Test
  void retryOperationsOfHungServersThatAreRemoved() {
    names.tell(service(1, first));
    running(
        proxy -> {
          awaitUp(proxy, first);
          Held held = first.hold(ServerNamesIT::isRead);
          try (RawLdapClient client = proxy.client()) {
            int id = client.send(READ);
            held.awaitArrival();
            first.always(Answers.silence());
            names.tell(service(1, second));
            assertThat(RawLdapClient.last(client.await(id)).resultCode()).isZero();
            assertThat(reads(second)).isEqualTo(1);
            Await.until("nothing is left there", () -> first.openConnections() == 0);
          }
        });
  }

  /** A name server that says nothing takes no server away. */
  @Test
  void keepServersWithoutNameServer() {
    names.tell(service(1, first), service(1, second));
    running(
        proxy -> {
          awaitUp(proxy, first, second);
          int before = names.questions();
          names.tell();
          Await.until("it is asked again", () -> names.questions() > before + 1);
          try (RawLdapClient client = proxy.client()) {
            assertThat(client.code(READ)).isZero();
          }
          assertThat(proxy.status().backends()).hasSize(2);
        });
  }

  /** Those that come are asked how far they have got, like those of the configuration. */
  @Test
  void reportTheirPositions() {
    for (ScriptedUpstream server : List.of(first, second)) {
      Entry suffix = new Entry("dc=example,dc=com");
      suffix.addAttribute("contextCSN", "20200101000000.000000Z#000000#001#000000");
      server.when(
          request -> request.is(Received.SEARCH) && request.message().mentions("contextCSN"),
          Answers.entries(suffix));
    }
    names.tell(service(1, first), service(1, second));
    running(
        proxy ->
            Await.until(
                "their positions are known",
                () ->
                    2
                        == proxy.status().backends().stream()
                            .filter(backend -> !backend.replica().position().isEmpty())
                            .count()));
  }
}
