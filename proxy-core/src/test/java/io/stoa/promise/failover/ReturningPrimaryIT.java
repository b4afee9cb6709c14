// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.failover;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.ExpectedLog;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.upstream.balancing.ServerSpec;
import io.stoa.upstream.server.ServerAddress;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Two servers that take writes and do not tell how far they have got. What the second took while
 * the first was gone is read from it, whatever else the first takes when it is back.
 */
class ReturningPrimaryIT {
  private static final String ANNA = "uid=anna,dc=example,dc=com";
  private static final String ELSEWHERE = "uid=anna,o=in no known naming context";
  private static final RawRequest ANYTHING = Requests.extended("1.2.3.4.5.6.7");
  private static final int READS = 10;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private ScriptedUpstream first;
  private ScriptedUpstream second;
  private RunningProxy proxy;

  @BeforeEach
  void start() {
    first = ScriptedUpstream.start();
    second = ScriptedUpstream.start();
    proxy =
        ProxySetup.before(first.port(), second.port())
            .cachesOff()
            .upstream("servers", List.of(primary(first), primary(second)))
            .upstream("writeCoherence", Duration.ofHours(1))
            .start()
            .awaitUp();
  }

  @AfterEach
  void stop() {
    proxy.close();
    first.close();
    second.close();
  }

  private static ServerSpec primary(ScriptedUpstream server) {
    return new ServerSpec(new ServerAddress("127.0.0.1", server.port()), true, 1, 1);
  }

  /** The second takes the one, and the first, which is back, the other. */
  private void write(RawRequest toSecond, RawRequest toFirst) {
    first.goDown();
    call(toSecond);
    first.comeBack();
    proxy.awaitUp();
    call(toFirst);
  }

  private void call(RawRequest write) {
    try (RawLdapClient client = proxy.client()) {
      assertThat(client.code(write)).isZero();
    }
  }

  private void assertReadFrom(ScriptedUpstream server, String dn) {
    try (RawLdapClient client = proxy.client()) {
      for (int i = 0; i < READS; i++) {
        assertThat(client.code(search(dn).baseScope().request())).isZero();
      }
    }
    assertThat(server.received(request -> request.isSearchFor(dn))).hasSize(READS);
  }

  private static RawRequest change(String dn) {
    return Requests.replace(dn, "sn", "new");
  }

  @Test
  void aWriteOfUnknownScopeDoesNotHideANamedWrite() {
    write(change(ANNA), ANYTHING);
    assertReadFrom(second, ANNA);
  }

  @Test
  void aNamedWriteDoesNotHideAnotherNamedWrite() {
    write(change(ELSEWHERE), change(ANNA));
    assertReadFrom(second, ELSEWHERE);
    assertReadFrom(first, ANNA);
  }

  @Test
  void aNamedWriteDoesNotHideAWriteOfUnknownScope() {
    write(ANYTHING, change(ANNA));
    assertReadFrom(second, ELSEWHERE);
    assertReadFrom(first, ANNA);
  }

  /** Better what may lack the one than what may lack both. */
  @Test
  void readsGoToTheFirstServerWhileTheSecondIsDown() {
    write(change(ANNA), ANYTHING);
    second.goDown();
    assertReadFrom(first, ANNA);
  }
}
