// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.failover;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ClientSwarm;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Records;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.upstream.balancing.BalanceConfig;
import io.stoa.upstream.balancing.Balancing;
import io.stoa.upstream.connection.ProbeConfig;
import io.stoa.upstream.server.BackendState;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A server hangs, and nothing else asks it anything; then it goes on. */
class SilentServerIT {
  private static final RawRequest FIND =
      search("ou=people,dc=example,dc=com").filter("(uid=anna)").request();
  private static final String NAME = "uid=x,dc=example,dc=com";
  private static final Duration NEVER = Duration.ofMinutes(10);
  private static final int CLIENTS = 12;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private ScriptedUpstream first;
  private ScriptedUpstream second;

  @BeforeEach
  void start() {
    first = ScriptedUpstream.start();
    second = ScriptedUpstream.start();
    first.when(SilentServerIT::isFind, Answers.entries(Answers.person("anna", "first")));
    second.when(SilentServerIT::isFind, Answers.entries(Answers.person("anna", "second")));
  }

  @AfterEach
  void stop() {
    first.close();
    second.close();
  }

  private static boolean isFind(Received request) {
    return request.isSearchFor("anna");
  }

  private static boolean isProbe(Received request) {
    return request.isSearchFor("1.1");
  }

  /** No timeout but that of an attempt is as short as the client's patience. */
  private RunningProxy started() {
    return started(NEVER);
  }

  private RunningProxy started(Duration queueTimeout) {
    BalanceConfig failover =
        Records.with(BalanceConfig.DEFAULTS, "strategies", List.of(Balancing.FAILOVER));
    RunningProxy proxy =
        ProxySetup.before(first.port(), second.port())
            .cachesOff()
            .upstream("balance", failover)
            .upstream("connectTimeout", NEVER)
            .upstream("queueTimeout", queueTimeout)
            .upstream("probe", new ProbeConfig("", "", "", "", "", NEVER))
            .upstream("attemptTimeout", Duration.ofMillis(100))
            .start();
    Await.until(
        "both are up",
        () -> proxy.status().backends().stream().allMatch(b -> b.state() == BackendState.UP));
    return proxy;
  }

  @Test
  void operationsWaitingForAnUnansweredBindMoveElsewhere() {
    try (RunningProxy proxy = started();
        RawLdapClient client = proxy.client().bind(NAME, "secret")) {
      assertThat(client.call(FIND).get(0).mentions("first")).isTrue();
      first.always(Answers.silence());
      first.dropConnections();
      Await.until(
          "its connections have ended", () -> proxy.status().backends().get(0).connections() == 0);
      int binds = binds();
      assertThat(client.call(FIND).get(0).mentions("second")).isTrue();
      assertThat(proxy.status().backends().get(0).state()).isEqualTo(BackendState.SUSPECT);
      assertThat(binds()).isGreaterThan(binds);
    }
  }

  /**
   * It has fewer places from then on, and what others have answered meanwhile takes none of them.
   */
  @Test
  void operationsTakenFromAHungServerHoldNoPlaceAfterItReturns() {
    try (RunningProxy proxy = started(Duration.ofMillis(200));
        ClientSwarm crowd = new ClientSwarm()) {
      first.when(SilentServerIT::isFind, Answers.silence());
      Held probe = first.hold(SilentServerIT::isProbe);
      for (int i = 0; i < CLIENTS; i++) {
        crowd.add(proxy.client());
      }
      List<Integer> asked = crowd.all().stream().map(client -> client.send(FIND)).toList();
      for (int i = 0; i < CLIENTS; i++) {
        assertThat(crowd.all().get(i).await(asked.get(i)).get(0).mentions("second")).isTrue();
      }
      first.when(SilentServerIT::isFind, Answers.entries(Answers.person("anna", "first")));
      probe.answer(Answers.ordinary());
      Await.until("it is up", () -> proxy.status().backends().get(0).state() == BackendState.UP);
      assertThat(proxy.status().backends().get(0).places().cap()).isLessThan(CLIENTS);
      second.goDown();
      assertThat(crowd.all().get(0).call(FIND).get(0).mentions("first")).isTrue();
    }
  }

  private int binds() {
    return first.received(request -> request.is(Received.BIND)).size();
  }
}
