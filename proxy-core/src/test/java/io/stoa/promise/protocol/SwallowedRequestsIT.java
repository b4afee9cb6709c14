// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.protocol;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Answers;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What stands between Stoa and a directory can lose the far half of a connection: requests vanish,
 * and nobody says so. No client waits for ever, and no second request goes the same way.
 */
class SwallowedRequestsIT {
  private static final String BOUND = "uid=anna,dc=example,dc=com";

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private ScriptedUpstream upstream;
  private ScriptedUpstream other;

  @BeforeEach
  void start() {
    upstream = ScriptedUpstream.start();
    other = ScriptedUpstream.start();
  }

  @AfterEach
  void stop() {
    upstream.close();
    other.close();
  }

  private static ProxySetup before(ScriptedUpstream... servers) {
    int[] ports = new int[servers.length];
    for (int i = 0; i < ports.length; i++) {
      ports[i] = servers[i].port();
    }
    return ProxySetup.before(ports).cachesOff().operationTimeout(Duration.ofSeconds(1));
  }

  private static RawRequest find(int number) {
    return search("uid=find" + number + ",dc=example,dc=com").request();
  }

  private static boolean isFind(Received request) {
    return request.isSearchFor("uid=find");
  }

  @Test
  void aConnectionThatSwallowsRequestsIsNotUsedAgain() {
    try (RunningProxy proxy = before(upstream).start();
        RawLdapClient anonymous = proxy.client();
        RawLdapClient bound = proxy.client().bind(BOUND, "secret")) {
      assertThat(anonymous.code(find(1))).isZero();
      assertThat(bound.code(find(2))).isZero();
      int present = upstream.acceptedConnections();
      upstream.when(request -> request.connection() <= present, Answers.silence());
      assertThat(anonymous.code(find(3))).isNotZero();
      assertThat(bound.code(find(4))).isNotZero();
      assertThat(anonymous.code(find(5))).isZero();
      assertThat(bound.code(find(6))).isZero();
    }
  }

  /** What the silent one holds unanswered keeps further operations away from it. */
  @Test
  void aSilentServerDoesNotBlockTheOthers() {
    Duration longEnough = Duration.ofMinutes(1);
    try (RunningProxy proxy = before(upstream, other).operationTimeout(longEnough).start();
        RawLdapClient unlucky = proxy.client();
        RawLdapClient client = proxy.client()) {
      proxy.awaitUp();
      upstream.when(SwallowedRequestsIT::isFind, Answers.silence());
      unlucky.send(find(0));
      upstream.awaitReceived(1, SwallowedRequestsIT::isFind);
      for (int i = 1; i < 20; i++) {
        assertThat(client.code(find(i))).isZero();
      }
      assertThat(upstream.received(SwallowedRequestsIT::isFind)).hasSize(1);
    }
  }
}
