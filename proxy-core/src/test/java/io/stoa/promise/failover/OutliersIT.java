// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.failover;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Answer;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.NameServer;
import io.stoa.testing.NameServer.Service;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.upstream.balancing.BalanceConfig;
import io.stoa.upstream.balancing.BalanceConfig.Reads;
import io.stoa.upstream.balancing.Balancing;
import io.stoa.upstream.connect.NamesConfig;
import io.stoa.upstream.server.BackendState;
import io.stoa.upstream.server.BackendStatus;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A server that differs from its peers is not used for a while, but never the last one. */
@Tag("timed")
class OutliersIT {
  private static final int BUSY = 51;
  private static final RawRequest FIND =
      search("ou=people,dc=example,dc=com").filter("(uid=anna)").request();

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private ScriptedUpstream odd;
  private ScriptedUpstream usual;

  @BeforeEach
  void start() {
    odd = ScriptedUpstream.start();
    usual = ScriptedUpstream.start();
    usual.when(OutliersIT::isFind, Answers.entries(Answers.person("anna", "usual")));
  }

  @AfterEach
  void stop() {
    odd.close();
    usual.close();
  }

  private static boolean isFind(Received request) {
    return request.isSearchFor("anna");
  }

  private static ProxySetup setup(int... ports) {
    BalanceConfig balance =
        new BalanceConfig(
            List.of(Balancing.ROUND_ROBIN), Reads.ALL, Duration.ZERO, Duration.ofMillis(1500));
    return ProxySetup.before(ports).cachesOff().upstream("balance", balance);
  }

  private BackendState state(RunningProxy proxy) {
    return proxy.status().backends().get(0).state();
  }

  private void askUntil(RunningProxy proxy, RawLdapClient client, BackendState state) {
    Await.until(
        "the odd one is " + state,
        () -> {
          client.call(FIND);
          return state(proxy) == state;
        });
  }

  private void isEjectedAndReturns(Answer oddAnswer, String reason) {
    odd.when(OutliersIT::isFind, oddAnswer);
    try (RunningProxy proxy = setup(odd.port(), usual.port()).start();
        RawLdapClient client = proxy.client()) {
      askUntil(proxy, client, BackendState.SUSPECT);
      assertThat(proxy.status().backends().get(0).reason()).contains(reason);
      Await.until("it is logged", () -> log.warningsOf("Health").size() == 1);
      assertThat(proxy.status().backends().get(0).ejections()).isEqualTo(1);
      odd.when(OutliersIT::isFind, Answers.entries(Answers.person("anna", "odd")));
      for (int i = 0; i < 20; i++) {
        boolean usual = client.call(FIND).get(0).mentions("usual");
        assertThat(usual || state(proxy) == BackendState.UP).as("its time is over").isTrue();
      }
      askUntil(proxy, client, BackendState.UP);
      Await.until("it is used again", () -> client.call(FIND).get(0).mentions("odd"));
    }
  }

  @Test
  void aServerThatIsBusyIsEjectedAndReturns() {
    isEjectedAndReturns(Answers.result(51), "consecutive operations failed");
  }

  @Test
  void aServerThatIsFarSlowerIsEjectedAndReturns() {
    isEjectedAndReturns(
        Answers.slowly(Duration.ofMillis(110), Answers.success()), "slow reads: median");
  }

  /** Those that come are judged beside those that are ejected, whose time goes on. */
  @Test
  void anEjectedServerStaysEjectedWhenServersAreAdded() {
    BalanceConfig balance =
        new BalanceConfig(
            List.of(Balancing.ROUND_ROBIN), Reads.ALL, Duration.ZERO, Duration.ofHours(1));
    odd.when(OutliersIT::isFind, Answers.result(BUSY));
    try (NameServer names = NameServer.start();
        ScriptedUpstream third = ScriptedUpstream.start();
        ScriptedUpstream fourth = ScriptedUpstream.start()) {
      names.tell(service(odd), service(usual));
      try (RunningProxy proxy =
              ProxySetup.beforeUrls("ldap+srv://example.com")
                  .cachesOff()
                  .upstream("names", new NamesConfig(names.address(), Duration.ofMillis(50)))
                  .upstream("balance", balance)
                  .start()
                  .awaitUp(2);
          RawLdapClient client = proxy.client()) {
        askUntil(proxy, client, odd, BackendState.SUSPECT);
        third.when(OutliersIT::isFind, Answers.result(BUSY));
        names.tell(service(odd), service(usual), service(third), service(fourth));
        proxy.awaitUp(3);
        askUntil(proxy, client, third, BackendState.SUSPECT);
        int before = odd.received(OutliersIT::isFind).size();
        for (int i = 0; i < 20; i++) {
          client.call(FIND);
        }
        assertThat(odd.received(OutliersIT::isFind)).hasSize(before);
        assertThat(status(proxy, odd).ejections()).isEqualTo(1);
        assertThat(status(proxy, odd).state()).isEqualTo(BackendState.SUSPECT);
      }
    }
  }

  private static Service service(ScriptedUpstream server) {
    return new Service(1, 1, server.port(), "localhost");
  }

  private static BackendStatus status(RunningProxy proxy, ScriptedUpstream server) {
    return proxy.status().backends().stream()
        .filter(one -> one.address().port() == server.port())
        .findFirst()
        .orElseThrow();
  }

  private static void askUntil(
      RunningProxy proxy, RawLdapClient client, ScriptedUpstream server, BackendState state) {
    Await.until(
        server.port() + " is " + state,
        () -> {
          client.call(FIND);
          return status(proxy, server).state() == state;
        });
  }

  @Test
  void theOnlyServerIsNeverEjected() {
    odd.when(OutliersIT::isFind, Answers.result(51));
    try (RunningProxy proxy = setup(odd.port()).start();
        RawLdapClient client = proxy.client()) {
      for (int i = 0; i < 50; i++) {
        assertThat(client.code(FIND)).isEqualTo(51);
      }
      assertThat(state(proxy)).isEqualTo(BackendState.UP);
    }
  }

  /** What hangs there is for whoever answers at all, however it did before. */
  @Test
  void anEjectedServerReturnsWhenTheLastOtherHangs() {
    BalanceConfig balance =
        new BalanceConfig(
            List.of(Balancing.ROUND_ROBIN), Reads.ALL, Duration.ZERO, Duration.ofHours(1));
    ProxySetup setup =
        setup(odd.port(), usual.port())
            .upstream("balance", balance)
            .upstream("connectTimeout", Duration.ofHours(1)); // a server that hangs is never down
    odd.when(OutliersIT::isFind, Answers.result(BUSY));
    try (RunningProxy proxy = setup.start().awaitUp(2);
        RawLdapClient client = proxy.client()) {
      askUntil(proxy, client, BackendState.SUSPECT);
      odd.when(OutliersIT::isFind, Answers.entries(Answers.person("anna", "odd")));
      usual.always(Answers.silence());
      assertThat(client.call(FIND).get(0).mentions("odd")).isTrue();
      Await.until("it is up", () -> state(proxy) == BackendState.UP);
      assertThat(client.call(FIND).get(0).mentions("odd")).isTrue();
    }
  }
}
