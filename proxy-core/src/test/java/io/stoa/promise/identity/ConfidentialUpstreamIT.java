// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.identity;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.net.tls.TlsConfig;
import io.stoa.testing.Await;
import io.stoa.testing.Certificates;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Pager;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Records;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.Slapd;
import io.stoa.testing.Tlv;
import io.stoa.upstream.connect.UpstreamTransport;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a client binds with by TLS never goes to a server that is reached in plain, unless that is
 * allowed. The one in plain is a scripted one, which records what it gets; its address is a
 * spelling of 127.0.0.1 that does not count as the machine's own.
 */
class ConfidentialUpstreamIT {
  private static final int MANY = 300;
  private static final int FIRST = 1000; // messageID of many
  private static final int SUCCESS = 0;
  private static final int UNAVAILABLE = 52;
  private static final int UNWILLING = 53;
  private static final RawRequest SIMPLE = Requests.bind(People.dn(1), People.PASSWORD);
  private static final RawRequest PLAIN =
      Requests.saslBind("PLAIN", "\0user.1\0" + People.PASSWORD);

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private static Certificates certificates;
  private static Slapd slapd;

  private ScriptedUpstream plain;

  @BeforeAll
  static void startSlapd() {
    certificates = Certificates.create();
    slapd = Slapd.start(People.saslSlapd(10).tls(certificates, certificates.server()));
  }

  @AfterAll
  static void stopSlapd() {
    slapd.close();
    certificates.close();
  }

  @BeforeEach
  void start() {
    plain = ScriptedUpstream.start();
  }

  @AfterEach
  void stop() {
    plain.close();
  }

  private String exposed() {
    return "ldap://[::ffff:127.0.0.1]:" + plain.port();
  }

  private static ProxySetup before(boolean allowPlain, String... urls) {
    Certificates.Pair own = certificates.server();
    TlsConfig trusting = TlsConfig.DEFAULTS.trusting(certificates.ca());
    UpstreamTransport transport =
        Records.with(
            Records.with(UpstreamTransport.DEFAULTS, "tls", trusting), "allowPlain", allowPlain);
    return ProxySetup.beforeUrls(urls)
        .upstream("transport", transport)
        .tls(TlsConfig.DEFAULTS.identity(own.certificate(), own.key()), "127.0.0.1:0");
  }

  /** Waits until all servers are up, so that each could be chosen. */
  private static RunningProxy start(ProxySetup setup) {
    RunningProxy proxy = setup.start();
    proxy.awaitUp();
    return proxy;
  }

  private RawLdapClient byTls(RunningProxy proxy) {
    return proxy.client().startTls(certificates.clientContext());
  }

  /** No step of a bind, neither its name nor its mechanism. */
  private void assertNothingReachedThePlainOne() {
    for (String text : List.of(People.PASSWORD, "user.1", "PLAIN", "LOGIN")) {
      assertThat(
              plain.received(
                  request -> request.is(Received.BIND) && request.message().mentions(text)))
          .isEmpty();
    }
  }

  static Stream<Arguments> binds() {
    return Stream.of(
        Arguments.of("simple", SIMPLE),
        Arguments.of("PLAIN", PLAIN),
        Arguments.of("LOGIN, whose first step is empty", Requests.saslBind("LOGIN")),
        Arguments.of("PLAIN, whose first step is empty", Requests.saslBind("PLAIN")));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("binds")
  void bindsOverTlsAreRefusedIfAllServersAreInPlain(String name, RawRequest bind) {
    try (RunningProxy proxy = start(before(false, exposed()));
        RawLdapClient client = byTls(proxy)) {
      RawMessage answer = client.call(bind).get(0);
      assertThat(answer.resultCode()).isEqualTo(UNWILLING);
      assertThat(answer.mentions("without TLS and does not send passwords")).isTrue();
      assertThat(client.code(People.find(2))).isEqualTo(SUCCESS);
      assertThat(client.code(Requests.anonymousBind())).isEqualTo(SUCCESS);
      assertNothingReachedThePlainOne();
      assertThat(log.warningsOf("Proxy")).hasSize(1);
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("binds")
  void bindsWithoutTlsUseServersInPlain(String name, RawRequest bind) {
    try (RunningProxy proxy = start(before(false, exposed()));
        RawLdapClient client = proxy.client()) {
      assertThat(client.code(bind)).isEqualTo(SUCCESS);
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("binds")
  void bindsOverTlsUseServersInPlainIfAllowed(String name, RawRequest bind) {
    try (RunningProxy proxy = start(before(true, exposed()));
        RawLdapClient client = byTls(proxy)) {
      assertThat(client.code(bind)).isEqualTo(SUCCESS);
      assertThat(plain.received(request -> request.is(Received.BIND))).hasSize(1);
      assertThat(log.warningsOf("Proxy")).hasSize(1);
    }
  }

  static Stream<RawRequest> changes() {
    String change = "user.1";
    return Stream.of(
        Requests.extended("1.3.6.1.4.1.4203.1.11.1", change.getBytes(StandardCharsets.UTF_8)),
        Requests.replace(People.dn(1), "userPassword", "new"));
  }

  /** Of an anonymous client, too: a change of a password says who it is by itself. */
  @ParameterizedTest
  @MethodSource("changes")
  void aNewPasswordIsNotSentInPlain(RawRequest change) {
    try (RunningProxy proxy = start(before(false, exposed()));
        RawLdapClient protectedClient = byTls(proxy);
        RawLdapClient other = proxy.client()) {
      assertThat(protectedClient.code(change)).isEqualTo(UNWILLING);
      assertThat(plain.received(request -> request.message().mentions("user.1"))).isEmpty();
      assertThat(other.code(change)).isEqualTo(SUCCESS);
    }
  }

  /** Loopback addresses and sockets of the file system are the machine's own. */
  @Test
  void bindsOverTlsUseServersOnTheSameMachine() {
    for (String url : new String[] {"ldap://127.0.0.1:" + plain.port(), slapd.ldapiUrl()}) {
      try (RunningProxy proxy = start(before(false, url));
          RawLdapClient client = byTls(proxy)) {
        assertThat(client.code(SIMPLE)).isEqualTo(SUCCESS);
      }
    }
    assertThat(log.warnings()).isEmpty();
  }

  /** Many clients, many searches: some would come to each server if there were a choice. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void bindsOverTlsUseOnlyServersReachedByTls(boolean plainIsPrimary) {
    String[] urls = {slapd.ldapsUrl(), exposed()};
    ProxySetup setup =
        plainIsPrimary ? before(false, urls[1], urls[0]) : before(false, urls[0], urls[1]);
    try (RunningProxy proxy = start(setup.cachesOff())) {
      for (RawRequest bind : new RawRequest[] {SIMPLE, PLAIN, SIMPLE, PLAIN}) {
        try (RawLdapClient client = byTls(proxy)) {
          assertThat(client.code(bind)).isEqualTo(SUCCESS);
          for (int i = 0; i < 10; i++) {
            assertThat(client.call(People.find(i))).hasSize(2);
          }
          Pager pager = new Pager(client, search(People.PEOPLE).oneLevel().request());
          assertThat(pager.rest(4)).hasSize(3);
          assertThat(client.code(Requests.whoAmI())).isEqualTo(SUCCESS);
          int written = client.code(Requests.replace(People.dn(1), "mail", "new@example.com"));
          assertThat(written).isEqualTo(plainIsPrimary ? UNWILLING : SUCCESS);
          assertThat(client.call(People.find(1))).hasSize(2);
        }
      }
      assertNothingReachedThePlainOne();
      assertThat(log.warningsOf("Proxy")).as("in plain, and unlike the other").hasSize(2);
    }
  }

  /** What a replica has may be old: it is not kept for those who read from the primary. */
  @Test
  void answersOfAReplicaAreNotCachedForReadersOfThePrimary() {
    try (RunningProxy proxy = start(before(false, exposed(), slapd.ldapsUrl()));
        RawLdapClient client = byTls(proxy)) {
      client.bind(People.dn(1), People.PASSWORD);
      assertThat(client.call(People.find(1))).hasSize(2);
      assertThat(client.call(People.find(1))).hasSize(2);
      assertThat(proxy.cache().filterHits()).isZero();
    }
  }

  /** The same name, with and without TLS: only what came in plain is used in plain. */
  @Test
  void plainAndTlsClientsOfOneNameShareNoPassword() {
    try (RunningProxy proxy = start(before(false, slapd.ldapsUrl(), exposed()).cachesOff());
        RawLdapClient client = byTls(proxy)) {
      client.bind(People.dn(1), People.PASSWORD);
      try (RawLdapClient other = proxy.client()) {
        other.bind(People.dn(1), People.PASSWORD);
        findManyAtOnce(other);
        plain.awaitReceived(1, request -> request.is(Received.BIND));
        plain.dropConnections();
        int before = plain.received(ConfidentialUpstreamIT::isAsPerson).size();
        findManyAtOnce(client);
        assertThat(plain.received(ConfidentialUpstreamIT::isAsPerson)).hasSize(before);
        findManyAtOnce(other);
        assertThat(plain.received(ConfidentialUpstreamIT::isAsPerson)).hasSizeGreaterThan(before);
      }
    }
  }

  private static boolean isAsPerson(Received request) {
    return request.is(Received.BIND) || !request.identity().isEmpty();
  }

  /** More than one server is given while others are without work. */
  private static void findManyAtOnce(RawLdapClient client) {
    byte[][] requests = new byte[MANY][];
    for (int i = 0; i < MANY; i++) {
      requests[i] = People.find(i).encode(FIRST + i);
    }
    client.sendOctets(Tlv.concat(requests));
    for (int i = 0; i < MANY; i++) {
      assertThat(RawLdapClient.last(client.await(FIRST + i)).resultCode()).isEqualTo(SUCCESS);
    }
  }

  /** It is not sent elsewhere when the one server that may have it is gone. */
  @Test
  void bindsOverTlsWaitForTheServerReachedByTls() {
    try (Slapd own = Slapd.start(People.slapd(3).tls(certificates, certificates.server()));
        RunningProxy proxy = start(before(false, own.ldapsUrl(), exposed()));
        RawLdapClient client = byTls(proxy);
        RawLdapClient bound = byTls(proxy)) {
      bound.bind(People.dn(1), People.PASSWORD);
      own.stop();
      Await.until("it is down", () -> client.code(SIMPLE) == UNAVAILABLE);
      assertThat(bound.code(search(People.dn(2)).baseScope().request())).isEqualTo(UNAVAILABLE);
      own.restart();
      Await.until("it is up", () -> client.code(SIMPLE) == SUCCESS);
      assertThat(bound.code(search(People.dn(2)).baseScope().request())).isEqualTo(SUCCESS);
      assertNothingReachedThePlainOne();
    }
  }
}
