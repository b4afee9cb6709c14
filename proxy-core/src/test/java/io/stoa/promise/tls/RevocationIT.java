// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.tls;

import static io.stoa.testing.Requests.search;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoa.net.tls.ClientAuthentication;
import io.stoa.net.tls.TlsConfig;
import io.stoa.net.tls.TlsContexts;
import io.stoa.net.tls.TlsException;
import io.stoa.net.tls.TlsProvider;
import io.stoa.testing.Await;
import io.stoa.testing.Certificates;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Records;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.Slapd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Base64;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Revoked certificates of clients and servers, and the renewal of revocation lists. */
class RevocationIT {
  private static final Duration DAY = Duration.ofDays(1);
  private static final RawRequest READ = search(People.dn(1)).baseScope().request();

  private static Slapd slapd;
  private static Certificates certificates;
  private static Certificates.Pair server;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();
  @TempDir Path directory;

  private Certificates.Pair good;
  private Certificates.Pair bad;
  private Path file;

  @BeforeAll
  static void startSlapd() {
    certificates = Certificates.create();
    server = certificates.server();
    slapd = Slapd.start(People.slapd(2).tls(certificates, server));
  }

  @AfterAll
  static void stopSlapd() {
    slapd.close();
    certificates.close();
  }

  @BeforeEach
  void write() throws IOException {
    good = certificates.client("cn=good");
    bad = certificates.client("cn=bad");
    file = directory.resolve("list.crl");
    put(certificates.revocationList(DAY));
  }

  private void put(byte[] list) throws IOException {
    Path fresh = directory.resolve("fresh");
    Files.write(fresh, list);
    Files.move(fresh, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
  }

  private static byte[] pem(byte[] list) {
    String text = Base64.getMimeEncoder().encodeToString(list);
    return ("-----BEGIN X509 CRL-----\n" + text + "\n-----END X509 CRL-----\n").getBytes(US_ASCII);
  }

  private TlsConfig tls(TlsProvider provider) {
    TlsConfig config =
        TlsConfig.DEFAULTS
            .identity(server.certificate(), server.key())
            .trusting(certificates.ca())
            .provider(provider);
    return Records.with(config, "clientAuth", ClientAuthentication.REQUIRE).crl(file);
  }

  private RunningProxy start(TlsProvider provider) {
    return ProxySetup.before(slapd.port()).tls(tls(provider), "ldaps://127.0.0.1:0").start();
  }

  private static boolean isServed(RunningProxy proxy, Certificates.Pair pair) {
    SSLContext context = certificates.clientContext(pair);
    try (RawLdapClient client = RawLdapClient.connect(proxy.address(), context)) {
      client.send(1, READ);
      return client.next().isPresent();
    } catch (RuntimeException | AssertionError e) {
      return false; // the handshake failed
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"OPENSSL", "JDK"})
  void aRevokedClientIsRefusedAsSoonAsTheListIsNew(TlsProvider provider) throws IOException {
    try (RunningProxy proxy = start(provider)) {
      assertThat(isServed(proxy, good)).isTrue();
      assertThat(isServed(proxy, bad)).isTrue();
      put(certificates.revocationList(DAY, bad));
      Await.until("the revoked client is refused", () -> !isServed(proxy, bad));
      assertThat(isServed(proxy, good)).isTrue();
      put(pem(certificates.revocationList(DAY, good)));
      Await.until("the other client is refused", () -> !isServed(proxy, good));
      assertThat(isServed(proxy, bad)).isTrue();
    }
  }

  @Test
  void anUnusableListChangesNothing() throws IOException {
    put(certificates.revocationList(DAY, bad));
    try (RunningProxy proxy = start(TlsProvider.AUTO)) {
      put("nothing".getBytes(US_ASCII));
      Await.until("the file is refused", () -> !log.warningsOf("TlsContext").isEmpty());
      assertThat(log.warnings().toString()).contains("certificate revocation list");
      put(certificates.revocationList(DAY.negated(), good));
      Await.until("the list is refused", () -> log.warnings().toString().contains("expired at"));
      assertThat(isServed(proxy, good)).isTrue();
      assertThat(isServed(proxy, bad)).isFalse();
    }
  }

  @Test
  void anExpiredListRefusesEveryClient() throws IOException {
    put(certificates.revocationList(DAY.negated()));
    try (RunningProxy proxy = start(TlsProvider.AUTO)) {
      assertThat(isServed(proxy, good)).isFalse();
      assertThat(log.warnings().toString()).contains("expired at", "put a newer one in its place");
      put(certificates.revocationList(DAY));
      Await.until("the new list is in use", () -> isServed(proxy, good));
    }
  }

  @Test
  void aMissingListIsAnError() throws IOException {
    Files.delete(file);
    try (TlsContexts contexts = new TlsContexts()) {
      assertThatThrownBy(() -> contexts.server(tls(TlsProvider.AUTO)))
          .isInstanceOf(TlsException.class)
          .hasMessageContaining(file.toString());
    }
  }

  @Test
  void aRevokedServerGetsNoOperations() throws IOException {
    TlsConfig trusting = TlsConfig.DEFAULTS.trusting(certificates.ca()).crl(file);
    ProxySetup setup = ProxySetup.beforeUrls(slapd.ldapsUrl());
    ProxySetup checked =
        setup.upstream("transport", Records.with(setup.upstream().transport(), "tls", trusting));
    try (RunningProxy proxy = checked.start();
        RawLdapClient client = proxy.client()) {
      assertThat(client.code(READ)).isZero();
    }
    put(certificates.revocationList(DAY, server));
    try (RunningProxy proxy = checked.startWithoutUpstream()) {
      proxy.awaitReason(1, "revoked");
    }
  }
}
