// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.identity;

import static io.stoa.testing.SaslBinds.whoAmI;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.extensions.StartTLSExtendedRequest;
import io.stoa.net.tls.TlsConfig;
import io.stoa.testing.Certificates;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.Records;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.SaslBinds;
import io.stoa.testing.Slapd;
import io.stoa.upstream.connect.UpstreamTransport;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Clients that bind by SASL inside TLS, with TLS between Stoa and slapd too. */
class SaslTlsIT {
  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private static Certificates certificates;
  private static Slapd slapd;
  private static RunningProxy proxy;

  @BeforeAll
  static void start() {
    certificates = Certificates.create();
    Certificates.Pair own = certificates.server();
    slapd = Slapd.start(People.saslSlapd(9).tls(certificates, certificates.server()));
    TlsConfig trusting = TlsConfig.DEFAULTS.trusting(certificates.ca());
    proxy =
        ProxySetup.beforeUrls(slapd.ldapsUrl())
            .upstream("transport", Records.with(UpstreamTransport.DEFAULTS, "tls", trusting))
            .maxAge(Duration.ofHours(1))
            .tls(
                TlsConfig.DEFAULTS.identity(own.certificate(), own.key()),
                "127.0.0.1:0",
                "ldaps://127.0.0.1:0")
            .access("requireTls", true)
            .start();
  }

  @AfterAll
  static void end() {
    proxy.close();
    slapd.close();
    certificates.close();
  }

  private static LDAPConnection connect(boolean startTls) throws LDAPException {
    SSLContext tls = certificates.clientContext();
    int port = proxy.proxy().addresses().get(startTls ? 0 : 1).getPort();
    if (!startTls) {
      return new LDAPConnection(tls.getSocketFactory(), "127.0.0.1", port);
    }
    LDAPConnection client = new LDAPConnection("127.0.0.1", port);
    assertThat(client.processExtendedOperation(new StartTLSExtendedRequest(tls)).getResultCode())
        .isEqualTo(ResultCode.SUCCESS);
    return client;
  }

  private static void bind(LDAPConnection client, String mechanism, int person, String password)
      throws LDAPException {
    client.bind(SaslBinds.of(mechanism, People.user(person), password));
  }

  /** Of each person, only that person sees the description. */
  private static String description(LDAPConnection client, int person) throws LDAPException {
    return client
        .searchForEntry(People.dn(person), SearchScope.BASE, "(objectClass=*)", "description")
        .getAttributeValue("description");
  }

  @ParameterizedTest
  @CsvSource({
    "PLAIN, true",
    "PLAIN, false",
    "SCRAM-SHA-1, false",
    "SCRAM-SHA-256, true",
    "SCRAM-SHA-256, false",
    "SCRAM-SHA-512, true",
    "DIGEST-MD5, true",
    "DIGEST-MD5, false"
  })
  void aClientKeepsItsIdentityInsideTls(String mechanism, boolean startTls) throws Exception {
    try (LDAPConnection client = connect(startTls);
        LDAPConnection same = connect(startTls)) {
      bind(client, mechanism, 1, People.PASSWORD);
      bind(same, mechanism, 1, People.PASSWORD);
      assertThat(whoAmI(client)).isEqualTo("dn:" + People.dn(1));
      assertServedFromMemory(client, same);
      assertWrites(client, same, mechanism + startTls + "@example.com");
      bind(client, mechanism, 2, People.PASSWORD);
      assertThat(whoAmI(client)).isEqualTo("dn:" + People.dn(2));
      assertThat(description(client, 1)).isNull();
      assertThatThrownBy(() -> bind(client, mechanism, 1, "wrong"))
          .isInstanceOf(LDAPException.class)
          .extracting(e -> ((LDAPException) e).getResultCode())
          .isEqualTo(ResultCode.INVALID_CREDENTIALS);
      assertThat(whoAmI(client)).isEmpty();
      assertThat(description(client, 2)).isNull();
      assertThat(description(same, 1)).isEqualTo(People.dn(1));
    }
  }

  private static void assertServedFromMemory(LDAPConnection client, LDAPConnection same)
      throws LDAPException {
    assertThat(description(client, 1)).isEqualTo(People.dn(1));
    long hits = proxy.cache().filterHits();
    assertThat(description(client, 1)).isEqualTo(People.dn(1));
    assertThat(description(same, 1)).isEqualTo(People.dn(1));
    assertThat(proxy.cache().filterHits()).isEqualTo(hits + 2);
  }

  private static void assertWrites(LDAPConnection writer, LDAPConnection reader, String mail)
      throws Exception {
    writer.modify("dn: " + People.dn(1), "changetype: modify", "replace: mail", "mail: " + mail);
    for (LDAPConnection each : new LDAPConnection[] {writer, reader}) {
      assertThat(each.getEntry(People.dn(1), "mail").getAttributeValue("mail")).isEqualTo(mail);
    }
  }
}
