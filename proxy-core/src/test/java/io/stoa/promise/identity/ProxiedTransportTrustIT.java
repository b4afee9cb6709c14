// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.identity;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Control;
import io.stoa.net.tls.TlsConfig;
import io.stoa.testing.Certificates;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Records;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.ServiceWatch;
import io.stoa.testing.Slapd;
import io.stoa.upstream.auth.IdentityConfig;
import io.stoa.upstream.connect.UpstreamTransport;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Proxied-authorization mode before a primary that is reached in plain, which may not get what
 * clients bind with by TLS, and a replica that is reached by TLS.
 */
class ProxiedTransportTrustIT {
  private static final int SUCCESS = 0;
  private static final int UNWILLING = 53;
  private static final String OWNER = People.dn(1);
  private static final String OTHER = People.dn(2);
  private static final String WRITER = People.dn(3);
  private static final RawRequest ROOT_DSE = search("").baseScope().request();
  private static final RawRequest ODD = People.find(1).with(new Control("1.2.3.4", false));
  private static final RawRequest WRITE = Requests.replace(WRITER, "mail", "new@example.com");

  @RegisterExtension final ExpectedLog log = new ExpectedLog();
  @TempDir Path directory;

  private static Certificates certificates;
  private static Slapd replica;

  private ScriptedUpstream primary;
  private RunningProxy proxy;

  @BeforeAll
  static void startSlapd() {
    certificates = Certificates.create();
    replica = Slapd.start(People.proxied(10, "to").tls(certificates, certificates.server()));
  }

  @AfterAll
  static void stopSlapd() {
    replica.close();
    certificates.close();
  }

  @BeforeEach
  void start() {
    primary = ServiceWatch.upstream();
    Certificates.Pair own = certificates.server();
    TlsConfig trusting = TlsConfig.DEFAULTS.trusting(certificates.ca());
    IdentityConfig identity =
        Records.with(ServiceWatch.identity(directory), "neverProxied", List.of(OWNER));
    proxy =
        ProxySetup.beforeUrls("ldap://[::ffff:127.0.0.1]:" + primary.port(), replica.ldapsUrl())
            .upstream("transport", Records.with(UpstreamTransport.DEFAULTS, "tls", trusting))
            .upstream("identity", identity)
            .tls(TlsConfig.DEFAULTS.identity(own.certificate(), own.key()), "127.0.0.1:0")
            .start();
    proxy.awaitUp();
  }

  @AfterEach
  void stop() {
    try {
      proxy.close();
    } finally {
      primary.close();
    }
  }

  private RawLdapClient byTls(String dn) {
    return proxy.client().startTls(certificates.clientContext()).bind(dn, People.PASSWORD);
  }

  /** After a write reads go to the primary, from those who may go there. */
  private void write() {
    try (RawLdapClient writer = proxy.client()) {
      assertThat(writer.bind(WRITER, People.PASSWORD).code(WRITE)).isEqualTo(SUCCESS);
    }
  }

  private void assertNothingInPlainOf(String dn) {
    assertThat(
            primary.received(
                request ->
                    request.identity().equals(dn)
                        || (request.is(Received.BIND) && request.message().mentions(dn))))
        .isEmpty();
  }

  @Test
  void aClientWithOwnConnectionsReadsFromTheTlsReplica() {
    try (RawLdapClient client = byTls(OWNER)) {
      write();
      for (RawRequest read : List.of(People.find(1), ROOT_DSE, ODD, People.find(1))) {
        assertThat(client.call(read)).hasSize(2);
      }
      assertThat(client.code(Requests.whoAmI())).isEqualTo(SUCCESS);
      assertThat(client.code(WRITE)).isEqualTo(UNWILLING);
      assertThat(proxy.cache().filterHits()).isZero();
      assertNothingInPlainOf(OWNER);
    }
  }

  @Test
  void dedicatedRequestsGoToTheTlsReplica() {
    try (RawLdapClient client = byTls(OTHER)) {
      write();
      for (RawRequest read : List.of(ROOT_DSE, ODD)) {
        assertThat(RawLdapClient.last(client.call(read)).resultCode()).isEqualTo(SUCCESS);
      }
      assertThat(client.code(Requests.whoAmI())).isEqualTo(SUCCESS);
      assertNothingInPlainOf(OTHER);
    }
  }
}
