// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.failover;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.ServiceWatch;
import io.stoa.upstream.connection.ProbeConfig;
import io.stoa.upstream.server.BackendState;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a server's probe was told before the server went is forgotten when it returns. */
class BusyReturnIT {
  private static final int BUSY = 51;
  private static final Duration PATIENCE = Duration.ofSeconds(2);
  private static final RawRequest FIND = search("ou=people,dc=example,dc=com").request();

  @RegisterExtension final ExpectedLog log = new ExpectedLog();
  @RegisterExtension final ScriptedUpstream server = ScriptedUpstream.start();

  private static void awaitState(RunningProxy proxy, BackendState... states) {
    List<BackendState> wanted = List.of(states);
    Await.until(wanted.toString(), () -> wanted.contains(proxy.status().backends().get(0).state()));
  }

  private static boolean isProbe(Received request) {
    return ServiceWatch.isRootDse(request);
  }

  /** It may be too busy for its probe for as long as any other that becomes so. */
  @Test
  void aServerThatReturnsBusyGetsAFullTimeout() {
    AtomicBoolean busy = new AtomicBoolean();
    server.when(request -> busy.get() && isProbe(request), Answers.result(BUSY));
    ProxySetup setup =
        ProxySetup.before(server.port())
            .cachesOff()
            .upstream("probe", new ProbeConfig("", "", "", "", "", Duration.ofMillis(50)))
            .upstream("queueTimeout", PATIENCE);
    try (RunningProxy proxy = setup.start();
        RawLdapClient client = proxy.client()) {
      busy.set(true);
      int before = server.received(BusyReturnIT::isProbe).size();
      server.awaitReceived(before + 3, BusyReturnIT::isProbe);
      server.goDown();
      awaitState(proxy, BackendState.DOWN, BackendState.PROBING);
      long down = System.nanoTime();
      Await.until(
          "it has done nothing for longer than it may",
          () -> System.nanoTime() - down > PATIENCE.toNanos());
      server.comeBack();
      awaitState(proxy, BackendState.UP);
      assertThat(client.code(FIND)).isZero();
    }
  }
}
