// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.tls;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoa.net.peer.ClientTlsFailure;
import io.stoa.net.peer.TlsStart;
import io.stoa.net.tls.ClientAuthentication;
import io.stoa.net.tls.TlsConfig;
import io.stoa.net.tls.TlsContext;
import io.stoa.net.tls.TlsProvider;
import io.stoa.testing.Await;
import io.stoa.testing.Certificates;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Parallel;
import io.stoa.testing.Peers;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.Records;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.Slapd;
import io.stoa.testing.Tlv;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients that speak TLS from the first octet on. */
class TlsIT {
  private static final int MANY = 3_000;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private static Slapd slapd;
  private static Certificates certificates;
  private static Certificates.Pair server;

  private final Peers peers = new Peers();

  @BeforeAll
  static void start() {
    certificates = Certificates.create();
    server = certificates.server();
    slapd = Slapd.start(People.slapd(MANY));
  }

  @AfterAll
  static void end() {
    slapd.close();
    certificates.close();
  }

  private static TlsConfig own(TlsProvider provider) {
    return TlsConfig.DEFAULTS.identity(server.certificate(), server.key()).provider(provider);
  }

  private RunningProxy ldaps(TlsConfig config) {
    ProxySetup setup = ProxySetup.before(slapd.port()).tls(config, "ldaps://127.0.0.1:0");
    return RunningProxy.start(setup.config(), peers.extensions());
  }

  @ParameterizedTest
  @EnumSource(names = {"OPENSSL", "JDK"})
  void operationsWorkOverTls(TlsProvider provider) {
    try (RunningProxy proxy = ldaps(own(provider));
        RawLdapClient client =
            RawLdapClient.connect(proxy.address(), certificates.clientContext())) {
      client.bind(People.dn(1), People.PASSWORD);
      assertThat(client.call(People.find(1))).hasSize(2);
      assertThat(client.call(People.find(1))).hasSize(2);
      assertThat(proxy.cache().filterHits()).isEqualTo(1);
      assertThat(client.call(search(People.SUFFIX).request())).hasSize(501); // slapd's limit
      assertThat(peers.last().tls()).isTrue();
      assertThat(peers.last().subject()).isNull();
      assertThat(peers.counters().handshakes().get(TlsStart.LDAPS)).isEqualTo(1);
    }
  }

  /** Many answers in one round, and more than the socket takes at once. */
  @ParameterizedTest
  @EnumSource(names = {"OPENSSL", "JDK"})
  void pipelinedRequestsAreAllAnswered(TlsProvider provider) {
    try (RunningProxy proxy = ldaps(own(provider));
        RawLdapClient client =
            RawLdapClient.connect(proxy.address(), certificates.clientContext())) {
      byte[][] requests = new byte[MANY][];
      for (int id = 1; id <= MANY; id++) {
        requests[id - 1] = People.find(id % 100).encode(id);
      }
      client.sendOctets(Tlv.concat(requests));
      for (int id = 1; id <= MANY; id++) {
        assertThat(client.await(id)).hasSize(2);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"OPENSSL", "JDK"})
  void clientCertificatesAreVerified(TlsProvider provider) {
    TlsConfig asking =
        Records.with(
            own(provider).trusting(certificates.ca()), "clientAuth", ClientAuthentication.REQUIRE);
    try (Certificates others = Certificates.create();
        RunningProxy proxy = ldaps(asking)) {
      Certificates.Pair known = certificates.client("cn=app,ou=clients,dc=example,dc=com");
      assertServed(proxy, certificates.clientContext(known));
      assertThat(peers.last().subject()).isEqualTo("CN=app,OU=clients,DC=example,DC=com");
      assertThat(peers.counters().tlsFailures().get(ClientTlsFailure.REFUSED)).isZero();
      assertRefused(proxy, certificates.clientContext());
      assertRefused(proxy, certificates.clientContext(certificates.expired("cn=old")));
      assertRefused(proxy, certificates.clientContext(others.client("cn=stranger")));
      Await.until(
          "three failures",
          () -> peers.counters().tlsFailures().get(ClientTlsFailure.REFUSED) == 3);
    }
  }

  /** A resumed session is one of the same client. */
  @ParameterizedTest
  @EnumSource(names = {"OPENSSL", "JDK"})
  void theSubjectIsKnownInResumedSessionsToo(TlsProvider provider) {
    TlsConfig asking =
        Records.with(
            own(provider).trusting(certificates.ca()), "clientAuth", ClientAuthentication.REQUEST);
    try (RunningProxy proxy = ldaps(asking)) {
      SSLContext context = certificates.clientContext(certificates.client("cn=app"));
      for (int i = 0; i < 3; i++) {
        assertServed(proxy, context);
        assertThat(peers.last().subject()).isEqualTo("CN=app");
      }
      assertServed(proxy, certificates.clientContext());
      assertThat(peers.last().subject()).isNull();
    }
  }

  private static void assertServed(RunningProxy proxy, SSLContext context) {
    try (RawLdapClient client = RawLdapClient.connect(proxy.address(), context)) {
      assertThat(client.call(People.find(1))).hasSize(2);
    }
  }

  /** In TLS 1.3 the client's handshake is over before its certificate is looked at. */
  private static void assertRefused(RunningProxy proxy, SSLContext context) {
    assertThatThrownBy(
            () -> {
              try (RawLdapClient client = RawLdapClient.connect(proxy.address(), context)) {
                assertThat(client.call(People.find(1))).hasSize(2);
              }
            })
        .isInstanceOfAny(UncheckedIOException.class, AssertionError.class);
  }

  /** It would be a password if it were a bind: neither the log nor anything else shows it. */
  @ParameterizedTest
  @EnumSource(names = {"OPENSSL", "JDK"})
  void plainLdapAtATlsListenerEndsTheConnection(TlsProvider provider) {
    try (RunningProxy proxy = ldaps(own(provider));
        RawLdapClient client = proxy.client()) {
      client.send(1, Requests.bind(People.dn(1), "secret"));
      assertThat(client.closesWithin(PATIENCE)).isTrue();
      Await.until(
          "it is counted", () -> peers.counters().tlsFailures().get(ClientTlsFailure.NOT_TLS) == 1);
    }
  }

  @Test
  void aSilentClientIsDisconnected() {
    ProxySetup setup =
        ProxySetup.before(slapd.port())
            .limit("requestTimeout", Duration.ofSeconds(1))
            .tls(own(TlsProvider.AUTO), "ldaps://127.0.0.1:0");
    try (RunningProxy proxy = RunningProxy.start(setup.config(), peers.extensions());
        RawLdapClient silent = proxy.client();
        RawLdapClient slow = proxy.client()) {
      slow.sendOctets(Tlv.hex("16 03 01 02 00 01 00 01"));
      assertThat(silent.closesWithin(PATIENCE)).isTrue();
      assertThat(slow.closesWithin(PATIENCE)).isTrue();
      Await.until(
          "both counted", () -> peers.counters().tlsFailures().get(ClientTlsFailure.TIMEOUT) == 2);
    }
  }

  @Test
  void aThousandSilentConnectionsDoNotBlockOthers() {
    try (RunningProxy proxy = ldaps(own(TlsProvider.AUTO))) {
      List<RawLdapClient> silent = IntStream.range(0, 1000).mapToObj(i -> proxy.client()).toList();
      try {
        Await.until("all are there", () -> proxy.status().connections() == 1000);
        assertServed(proxy, certificates.clientContext());
      } finally {
        silent.forEach(RawLdapClient::close);
      }
      Await.until("all have gone", () -> proxy.status().connections() == 0);
      Await.until(
          "all counted", () -> peers.counters().tlsFailures().get(ClientTlsFailure.CLOSED) == 1000);
    }
  }

  /** Connections that are there go on, and those made meanwhile are made. */
  @ParameterizedTest
  @EnumSource(names = {"OPENSSL", "JDK"})
  void renewedCertificatesCostNoConnection(TlsProvider provider) {
    Certificates.Pair pair = certificates.server();
    TlsConfig config =
        TlsConfig.DEFAULTS.identity(pair.certificate(), pair.key()).provider(provider);
    AtomicBoolean done = new AtomicBoolean();
    AtomicInteger made = new AtomicInteger();
    try (RunningProxy proxy = ldaps(config)) {
      Parallel.run(
          4,
          PATIENCE,
          number -> {
            if (number == 0) {
              renewTwice(proxy.address(), pair, made);
              done.set(true);
            } else {
              work(proxy, number == 1, done, made);
            }
          });
      TlsContext.Status status = proxy.status().tls().get(0);
      assertThat(status.ofListeners()).isTrue();
      assertThat(status.expires()).isAfter(Instant.now());
      assertThat(status.reloads()).isEqualTo(2);
    }
  }

  /** The one that was there is still shown, and its end known. */
  @Test
  void unusableCertificateFilesAreCounted() throws IOException {
    Certificates.Pair pair = certificates.server();
    TlsConfig config = TlsConfig.DEFAULTS.identity(pair.certificate(), pair.key());
    try (RunningProxy proxy = ldaps(config)) {
      TlsContext.Status before = proxy.status().tls().get(0);
      assertThat(before.failures()).isZero();
      Files.writeString(pair.key(), "none");
      Await.until("it is counted", () -> proxy.status().tls().get(0).failures() == 1);
      assertThat(proxy.status().tls().get(0).expires()).isEqualTo(before.expires());
      assertServed(proxy, certificates.clientContext());
    }
  }

  private static void renewTwice(
      InetSocketAddress address, Certificates.Pair pair, AtomicInteger made) {
    for (int i = 0; i < 2; i++) {
      String before = certificates.shownAt(address);
      Certificates.replace(pair, certificates.server());
      Await.until("the new one is shown", () -> !certificates.shownAt(address).equals(before));
      int now = made.get();
      Await.until("more connections", () -> made.get() > now + 5);
    }
  }

  private static void work(
      RunningProxy proxy, boolean stays, AtomicBoolean done, AtomicInteger made) {
    try (RawLdapClient lasting =
        RawLdapClient.connect(proxy.address(), certificates.clientContext())) {
      while (!done.get()) {
        assertThat(lasting.call(People.find(1))).hasSize(2);
        if (!stays) {
          assertServed(proxy, certificates.clientContext());
          made.incrementAndGet();
        }
      }
    }
  }

  @Test
  void theClientsCloseNotifyEndsTheConnection() {
    try (RunningProxy proxy = ldaps(own(TlsProvider.AUTO));
        RawLdapClient client =
            RawLdapClient.connect(proxy.address(), certificates.clientContext())) {
      assertThat(client.call(People.find(1))).hasSize(2);
      client.halfClose();
      assertThat(client.drain()).extracting(RawMessage::messageId).isEmpty();
      Await.until("it has gone", () -> proxy.status().connections() == 0);
    }
  }
}
