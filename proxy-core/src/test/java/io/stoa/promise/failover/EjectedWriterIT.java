// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.failover;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Entry;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.upstream.balancing.BalanceConfig;
import io.stoa.upstream.balancing.BalanceConfig.Reads;
import io.stoa.upstream.balancing.Balancing;
import io.stoa.upstream.server.BackendStatus;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The primary is ejected, and takes writes all the same: who has written reads there. */
class EjectedWriterIT {
  private static final String SUFFIX = "dc=example,dc=com";
  private static final String ANNA = "uid=anna," + SUFFIX;
  private static final RawRequest READ = search(ANNA).baseScope().request();
  private static final int BUSY = 51;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private ScriptedUpstream primary;
  private ScriptedUpstream replica;

  @BeforeEach
  void start() {
    primary = ScriptedUpstream.start();
    replica = ScriptedUpstream.start();
  }

  @AfterEach
  void stop() {
    primary.close();
    replica.close();
  }

  private RunningProxy startProxy() {
    BalanceConfig balance =
        new BalanceConfig(
            List.of(Balancing.ROUND_ROBIN), Reads.ALL, Duration.ZERO, Duration.ofHours(1));
    return ProxySetup.before(primary.port(), replica.port())
        .cachesOff()
        .upstream("balance", balance)
        .upstream("writeCoherence", Duration.ofHours(1))
        .start()
        .awaitUp();
  }

  private static boolean isRead(Received request) {
    return request.isSearchFor("uid=anna");
  }

  private static boolean isPosition(Received request) {
    return request.isSearchFor("contextCSN");
  }

  private static void setPosition(ScriptedUpstream server, int changes) {
    Entry suffix = new Entry(SUFFIX);
    suffix.addAttribute(
        "contextCSN", String.format("202001010000%02d.000000Z#000000#001#000000", changes));
    server.when(EjectedWriterIT::isPosition, Answers.entries(suffix));
    Entry root = new Entry("");
    root.addAttribute("objectClass", "top");
    root.addAttribute("namingContexts", SUFFIX);
    root.addAttribute("subschemaSubentry", "cn=Subschema");
    server.when(request -> request.isSearchFor("namingContexts"), Answers.entries(root));
  }

  private static BackendStatus status(RunningProxy proxy, int server) {
    return proxy.status().backends().get(server);
  }

  private void eject(RunningProxy proxy, RawLdapClient client) {
    primary.when(EjectedWriterIT::isRead, Answers.result(BUSY));
    Await.until(
        "the primary is ejected",
        () -> {
          client.call(READ);
          return status(proxy, 0).ejections() == 1;
        });
    primary.when(EjectedWriterIT::isRead, Answers.success());
  }

  private static void writes(RawLdapClient client) {
    assertThat(client.code(Requests.replace(ANNA, "sn", "new"))).isZero();
  }

  private static void reads(RawLdapClient client, ScriptedUpstream from) {
    for (int i = 0; i < 10; i++) {
      int before = from.received(EjectedWriterIT::isRead).size();
      assertThat(client.code(READ)).isZero();
      assertThat(from.received(EjectedWriterIT::isRead)).hasSize(before + 1);
    }
  }

  @Test
  void aWriterReadsFromItsServerUntilAnotherHasTheWrite() {
    setPosition(primary, 0);
    setPosition(replica, 0);
    try (RunningProxy proxy = startProxy();
        RawLdapClient client = proxy.client()) {
      for (int i = 0; i < 2; i++) {
        int server = i;
        Await.until("it tells", () -> !status(proxy, server).replica().position().isEmpty());
      }
      eject(proxy, client);
      setPosition(primary, 1);
      writes(client);
      reads(client, primary);
    }
  }

  /** Nobody can tell who has what: for a while everything is read where it was written. */
  @Test
  void aWriterReadsFromItsServerIfPositionsAreUnknown() {
    try (RunningProxy proxy = startProxy();
        RawLdapClient client = proxy.client()) {
      eject(proxy, client);
      writes(client);
      reads(client, primary);
    }
  }
}
