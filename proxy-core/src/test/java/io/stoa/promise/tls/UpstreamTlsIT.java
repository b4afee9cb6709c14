// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.net.tls.TlsConfig;
import io.stoa.net.tls.TlsProvider;
import io.stoa.testing.Await;
import io.stoa.testing.Certificates;
import io.stoa.testing.Certificates.Pair;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Records;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.Slapd;
import io.stoa.upstream.connect.UpstreamTransport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** TLS between Stoa and a real slapd, and what Stoa says when it cannot be. */
class UpstreamTlsIT {
  private static final int PEOPLE = 3;

  /** slapd does not say why it closes the connection. */
  private static final Pattern CLOSED =
      Pattern.compile(
          "connection (closed during the TLS handshake|without a response)"
              + ".* client certificate, set upstream.tls.certificate and upstream.tls.key");

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private final Certificates authority = Certificates.create();
  private final TlsConfig trusting = TlsConfig.DEFAULTS.trusting(authority.ca());

  @AfterEach
  void removeFiles() {
    authority.close();
  }

  private Slapd slapd(Pair own, String... lines) {
    return Slapd.start(People.slapd(PEOPLE).tls(authority, own).global(String.join("\n", lines)));
  }

  private static ProxySetup setup(String url, TlsConfig tls) {
    UpstreamTransport transport = UpstreamTransport.DEFAULTS;
    transport = Records.with(transport, "startTls", url.startsWith("ldap:"));
    return ProxySetup.beforeUrls(url).upstream("transport", Records.with(transport, "tls", tls));
  }

  private static void assertServes(RunningProxy proxy) {
    try (RawLdapClient client = proxy.client()) {
      client.bind(People.dn(1), People.PASSWORD);
      assertThat(client.call(People.find(2))).hasSize(2);
    }
  }

  @ParameterizedTest
  @CsvSource({"AUTO, TLSv1.3", "AUTO, TLSv1.2", "JDK, TLSv1.3", "JDK, TLSv1.2"})
  void speaksLdapsAndStartTls(TlsProvider provider, String protocol) {
    TlsConfig tls = Records.with(trusting.provider(provider), "protocols", List.of(protocol));
    try (Slapd slapd = slapd(authority.server(), "security tls=1")) {
      for (String url : List.of(slapd.ldapsUrl(), slapd.url())) {
        try (RunningProxy proxy = setup(url, tls).start()) {
          assertServes(proxy);
        }
      }
    }
  }

  /** slapd offers PLAIN and LOGIN to whoever uses TLS, and Stoa does. */
  @Test
  void plaintextMechanismsAreOfferedOnlyToProtectedClients() {
    Pair own = authority.server();
    TlsConfig front = trusting.identity(own.certificate(), own.key());
    try (Slapd slapd = slapd(own)) {
      for (String url : List.of(slapd.ldapsUrl(), slapd.url(), slapd.ldapiUrl())) {
        try (RunningProxy proxy = setup(url, trusting).tls(front, "127.0.0.1:0").start();
            RawLdapClient plain = proxy.client();
            RawLdapClient tls = proxy.client().startTls(authority.clientContext())) {
          assertThat(mechanisms(plain)).contains("SCRAM-SHA-256").doesNotContain("PLAIN", "LOGIN");
          assertThat(mechanisms(tls)).contains("SCRAM-SHA-256", "PLAIN", "LOGIN");
        }
      }
    }
  }

  /** slapd would not take them either; but it sees Stoa's connection, and not the client's. */
  @Test
  void plaintextMechanismsAreAcceptedOnlyFromProtectedClients() {
    Pair own = authority.server();
    TlsConfig front = trusting.identity(own.certificate(), own.key());
    RawRequest bind = Requests.saslBind("PLAIN", "\0user.1\0" + People.PASSWORD);
    String users = "authz-regexp uid=([^,]*),cn=.*auth uid=$1," + People.PEOPLE;
    try (Slapd slapd = slapd(own, "sasl-host localhost", users);
        RawLdapClient direct = RawLdapClient.connect(slapd.address())) {
      int refused = direct.code(bind);
      for (String url : List.of(slapd.ldapsUrl(), slapd.url(), slapd.ldapiUrl())) {
        ProxySetup setup = setup(url, trusting).tls(front, "127.0.0.1:0");
        try (RunningProxy proxy = setup.start();
            RawLdapClient plain = proxy.client();
            RawLdapClient tls = proxy.client().startTls(authority.clientContext())) {
          assertThat(plain.code(bind)).isEqualTo(refused);
          assertThat(plain.code(Requests.saslBind("login"))).isEqualTo(refused);
          assertThat(plain.bind(People.dn(1), People.PASSWORD).call(People.find(2))).hasSize(2);
          assertThat(tls.code(bind)).isZero();
        }
        try (RunningProxy proxy = setup.access("allowPlainSasl", true).start();
            RawLdapClient plain = proxy.client()) {
          assertThat(mechanisms(plain)).contains("PLAIN", "LOGIN");
          assertThat(plain.code(bind)).isZero();
        }
      }
    }
  }

  private static List<String> mechanisms(RawLdapClient client) {
    RawRequest rootDse =
        Requests.search("").baseScope().attributes("supportedSASLMechanisms").request();
    return client
        .call(rootDse)
        .get(0)
        .decoded()
        .getSearchResultEntryProtocolOp()
        .getAttributes()
        .stream()
        .flatMap(attribute -> Stream.of(attribute.getValues()))
        .toList();
  }

  @Test
  void verifiesTheConfiguredServerName() {
    try (Slapd slapd = slapd(authority.server("localhost"));
        RunningProxy proxy = setup("ldaps://localhost:" + slapd.tlsPort(), trusting).start()) {
      assertServes(proxy);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void refusesACertificateForAnotherName(boolean startTls) {
    try (Slapd slapd = slapd(authority.server("ldap.example.com"))) {
      ProxySetup setup = setup(startTls ? slapd.url() : slapd.ldapsUrl(), trusting);
      assertStaysDown(
          setup,
          Pattern.compile(
              "does not match host name 127.0.0.1; .* upstream.tls.verifyHost to false"));
      UpstreamTransport anyName = Records.with(setup.upstream().transport(), "verifyHost", false);
      try (RunningProxy proxy = setup.upstream("transport", anyName).start()) {
        assertServes(proxy);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = TlsProvider.class,
      names = {"AUTO", "JDK"})
  void refusesAnUnknownAuthority(TlsProvider provider) {
    try (Slapd slapd = slapd(authority.server())) {
      TlsConfig runtime = TlsConfig.DEFAULTS.provider(provider);
      assertStaysDown(
          setup(slapd.ldapsUrl(), runtime),
          Pattern.compile("certificate is not trusted; set upstream.tls.ca"));
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = TlsProvider.class,
      names = {"AUTO", "JDK"})
  void refusesAnExpiredCertificate(TlsProvider provider) {
    try (Slapd slapd = slapd(authority.expired("cn=localhost", "127.0.0.1"))) {
      assertStaysDown(
          setup(slapd.ldapsUrl(), trusting.provider(provider)), "server certificate expired at");
    }
  }

  @ParameterizedTest
  @CsvSource({"AUTO, TLSv1.3", "AUTO, TLSv1.2", "JDK, TLSv1.3", "JDK, TLSv1.2"})
  void showsItsCertificateToAServerThatWantsOne(TlsProvider provider, String protocol) {
    TlsConfig tls = Records.with(trusting.provider(provider), "protocols", List.of(protocol));
    try (Slapd slapd = slapd(authority.server(), "TLSVerifyClient demand")) {
      assertStaysDown(setup(slapd.ldapsUrl(), tls), CLOSED);
      Pair own = authority.client("cn=stoa");
      TlsConfig known = tls.identity(own.certificate(), own.key());
      try (RunningProxy proxy = setup(slapd.ldapsUrl(), known).start()) {
        assertServes(proxy);
      }
    }
  }

  @Test
  void usesARenewedCertificateWithoutARestart() {
    Pair own = authority.expired("cn=stoa");
    try (Slapd slapd = slapd(authority.server(), "TLSVerifyClient demand");
        RunningProxy proxy =
            setup(slapd.ldapsUrl(), trusting.identity(own.certificate(), own.key()))
                .startWithoutUpstream()) {
      Await.until("it is refused", () -> !log.warnings().isEmpty());
      assertThat(proxy.status().ready()).isFalse();
      Certificates.replace(own, authority.client("cn=stoa"));
      Await.until("it is accepted", () -> proxy.status().ready());
      assertServes(proxy);
    }
  }

  @Test
  void reportsAServerWithoutTls() {
    try (Slapd slapd = slapd(authority.server())) {
      assertStaysDown(setup("ldaps://127.0.0.1:" + slapd.port(), trusting), CLOSED);
    }
  }

  @Test
  void reportsAServerWithoutStartTls() {
    try (Slapd slapd = Slapd.start(People.slapd(PEOPLE))) {
      assertStaysDown(
          setup(slapd.url(), trusting),
          Pattern.compile("StartTLS refused with result code 2; .* upstream.startTls to false"));
    }
  }

  /** Nothing was said of LDAP yet, whatever Stoa would say first. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void reportsAServerThatHangsInTheHandshake(boolean withCertificate) throws IOException {
    Pair own = authority.client("cn=stoa");
    TlsConfig tls = withCertificate ? trusting.identity(own.certificate(), own.key()) : trusting;
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      ProxySetup setup = setup("ldaps://127.0.0.1:" + silent.getLocalPort(), tls);
      assertStaysDown(
          setup.upstream("connectTimeout", Duration.ofMillis(300)),
          "no response to the TLS handshake within");
    }
  }

  /** Only one line says so, however often it is tried, and nothing is sent. */
  private void assertStaysDown(ProxySetup setup, String reason) {
    assertStaysDown(setup, Pattern.compile(Pattern.quote(reason)));
  }

  private void assertStaysDown(ProxySetup setup, Pattern reason) {
    try (RunningProxy proxy = setup.startWithoutUpstream()) {
      Await.until(
          "the reason is " + reason,
          () -> reason.matcher(proxy.status().backends().get(0).reason()).find());
      assertThat(proxy.status().ready()).isFalse();
    }
  }
}
