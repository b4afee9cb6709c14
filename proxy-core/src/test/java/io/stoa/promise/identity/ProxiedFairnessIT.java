// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.identity;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ClientSwarm;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Records;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.ServiceWatch;
import io.stoa.upstream.balancing.BalanceConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Where a service account acts for all, the names it acts for take turns at a full server. */
class ProxiedFairnessIT {
  private static final int MANY = 40;
  private static final int LOOPS = 2;
  private static final RawRequest OF_MANY = search("uid=x,dc=example,dc=com").request();
  private static final RawRequest OF_ONE = search("uid=y,dc=example,dc=com").request();

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  @TempDir Path directory;

  private static boolean isRead(Received request) {
    return request.isSearchFor("uid=x,") || request.isSearchFor("uid=y,");
  }

  /**
   * The order in which the searches reach the server tells who has waited for whom: after the one
   * that is held each event loop sends at most two before the other name has its turn.
   */
  @Test
  void oneIdentityWithManyClientsDoesNotBlockOthers() {
    try (ScriptedUpstream server = ServiceWatch.upstream()) {
      Held first = server.hold(ProxiedFairnessIT::isRead);
      try (RunningProxy proxy = setup(server).start();
          ClientSwarm crowd = new ClientSwarm();
          RawLdapClient other = proxy.client().bind(People.dn(2), People.PASSWORD)) {
        for (int i = 0; i < MANY; i++) {
          crowd.add(proxy.client().bind(People.dn(1), People.PASSWORD));
        }
        List<Integer> ids = new ArrayList<>();
        crowd.all().forEach(client -> ids.add(client.send(OF_MANY)));
        first.awaitArrival();
        Await.until("the others wait", () -> proxy.status().queued() == MANY - 1);
        int id = other.send(OF_ONE);
        Await.until("it waits, too", () -> proxy.status().queued() == MANY);
        first.answer(Answers.success());
        assertThat(RawLdapClient.last(other.await(id)).resultCode()).isZero();
        for (int i = 0; i < MANY; i++) {
          assertThat(RawLdapClient.last(crowd.all().get(i).await(ids.get(i))).resultCode())
              .isZero();
        }
        List<Received> order = server.received(ProxiedFairnessIT::isRead);
        assertThat(order).hasSize(MANY + 1);
        assertThat(order.subList(0, 1 + 2 * LOOPS)).anyMatch(one -> one.isSearchFor("uid=y,"));
      }
    }
  }

  private ProxySetup setup(ScriptedUpstream server) {
    return ProxySetup.before(server.port())
        .cachesOff()
        .upstream("identity", ServiceWatch.identity(directory))
        .upstream("balance", Records.with(BalanceConfig.DEFAULTS, "maxInFlight", 1));
  }
}
