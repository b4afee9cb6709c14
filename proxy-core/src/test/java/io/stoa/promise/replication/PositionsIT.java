// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.replication;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Await;
import io.stoa.testing.Ds389;
import io.stoa.testing.Ds389Config;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.FreePort;
import io.stoa.testing.Ldif;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.SambaDirectory;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.upstream.connection.ProbeConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What directory servers of other kinds tell of how far they have got. */
class PositionsIT {
  private static final String SUFFIX = "dc=example,dc=com";

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  @TempDir Path directory;

  private static Ds389Config supplier() {
    return Ds389Config.stock()
        .database(
            SUFFIX,
            Ldif.forDs389().entry(SUFFIX, "objectClass: domain", "dc: example", "description: old"))
        .entry(
            """
            dn: cn=replica,cn=dc\\3Dexample\\2Cdc\\3Dcom,cn=mapping tree,cn=config
            objectClass: top
            objectClass: nsDS5Replica
            cn: replica
            nsDS5ReplicaRoot: %s
            nsDS5ReplicaType: 3
            nsDS5ReplicaId: 7
            nsDS5Flags: 1
            """
                .formatted(SUFFIX));
  }

  @Test
  void a389SupplierReportsItsUpdateVector() throws IOException {
    Path password = Files.writeString(directory.resolve("password"), Ds389Config.ROOT_PASSWORD);
    ProbeConfig probe =
        new ProbeConfig(Ds389Config.ROOT, password.toString(), "", "", "", Duration.ofSeconds(5));
    try (Ds389 server = Ds389.start(supplier());
        RunningProxy proxy =
            ProxySetup.before(server.address().getPort(), FreePort.next())
                .upstream("probe", probe)
                .start();
        RawLdapClient client = proxy.client().bind(Ds389Config.ROOT, Ds389Config.ROOT_PASSWORD)) {
      assertThat(client.code(Requests.replace(SUFFIX, "description", "new"))).isZero();
      Await.until("it tells", () -> !position(proxy).isEmpty());
      String before = position(proxy);
      assertThat(before).contains(SUFFIX + "#").contains("/7 ");
      assertThat(client.code(Requests.replace(SUFFIX, "description", "newer"))).isZero();
      Await.until("it has got further", () -> position(proxy).compareTo(before) > 0);
    }
  }

  /** As long as it may not have been replicated, what was written is read where it was written. */
  @Test
  void a389SupplierWithoutAPositionServesReadsAfterAWrite() {
    try (Ds389 server = Ds389.start(supplier());
        ScriptedUpstream other = ScriptedUpstream.start();
        RunningProxy proxy =
            ProxySetup.before(server.address().getPort(), other.port())
                .cachesOff()
                .upstream("writeCoherence", Duration.ofHours(1))
                .start()
                .awaitUp();
        RawLdapClient client = proxy.client().bind(Ds389Config.ROOT, Ds389Config.ROOT_PASSWORD)) {
      other.awaitReceived(2, one -> one.message().mentions("contextCSN"));
      assertThat(client.code(Requests.replace(SUFFIX, "description", "new"))).isZero();
      for (int i = 0; i < 20; i++) {
        List<RawMessage> answer = client.call(search(SUFFIX).baseScope().request());
        assertThat(answer.get(0).mentions("new")).isTrue();
      }
      assertThat(position(proxy)).isEmpty();
      assertThat(proxy.status().backends().get(0).replica().behind()).isFalse();
    }
  }

  @Test
  void aDomainControllerReportsItsHighestUsn() {
    try (SambaDirectory server = SambaDirectory.start();
        RunningProxy proxy =
            ProxySetup.beforeUrls(
                    "ldap://" + server.host() + ":389", "ldap://127.0.0.1:" + FreePort.next())
                .start()) {
      Await.until("it tells", () -> !position(proxy).isEmpty());
      assertThat(position(proxy))
          .startsWith("CN=NTDS Settings,CN=DC1,")
          .matches(".* 0{3,}[0-9]{2,}");
    }
  }

  private static String position(RunningProxy proxy) {
    return proxy.status().backends().get(0).replica().position();
  }
}
