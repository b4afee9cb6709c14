// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.tls;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.Entry;
import io.stoa.net.peer.ClientTlsFailure;
import io.stoa.net.peer.TlsStart;
import io.stoa.net.tls.TlsConfig;
import io.stoa.net.tls.TlsProvider;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.Certificates;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
import io.stoa.testing.Peers;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.Tlv;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** StartTLS: RFC 4511, section 4.14, and what attackers make of it. */
class StartTlsIT {
  private static final String OID = "1.3.6.1.4.1.1466.20037";
  private static final RawRequest START_TLS = Requests.extended(OID);
  private static final int OPERATIONS_ERROR = 1;
  private static final int PROTOCOL_ERROR = 2;
  private static final int UNAVAILABLE_CRITICAL_EXTENSION = 12;
  private static final int CONFIDENTIALITY_REQUIRED = 13;
  private static final int SASL_BIND_IN_PROGRESS = 14;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private static Certificates certificates;
  private static TlsConfig own;

  private final Peers peers = new Peers();
  private ScriptedUpstream upstream;

  @BeforeAll
  static void issue() {
    certificates = Certificates.create();
    Certificates.Pair server = certificates.server();
    own = TlsConfig.DEFAULTS.identity(server.certificate(), server.key());
  }

  @AfterAll
  static void forget() {
    certificates.close();
  }

  @BeforeEach
  void start() {
    upstream = ScriptedUpstream.start();
  }

  @AfterEach
  void end() {
    upstream.close();
  }

  private ProxySetup setup() {
    return ProxySetup.before(upstream.port()).tls(own, "127.0.0.1:0");
  }

  private RunningProxy proxy() {
    return start(setup());
  }

  private RunningProxy start(ProxySetup setup) {
    return RunningProxy.start(setup.config(), peers.extensions());
  }

  @ParameterizedTest
  @EnumSource(names = {"OPENSSL", "JDK"})
  void requestsAfterStartTlsAreProtected(TlsProvider provider) {
    ProxySetup setup = ProxySetup.before(upstream.port());
    try (RunningProxy proxy = start(setup.tls(own.provider(provider), "127.0.0.1:0"));
        RawLdapClient client = proxy.client()) {
      client.call(People.find(1));
      assertThat(peers.last().tls()).isFalse();
      client.startTls(certificates.clientContext());
      client.bind(People.dn(1), People.PASSWORD);
      assertThat(client.code(People.find(1))).isZero();
      assertThat(peers.last().tls()).isTrue();
      assertThat(peers.counters().handshakes().get(TlsStart.STARTTLS)).isEqualTo(1);
      assertThat(upstream.received(request -> request.message().mentions(OID))).isEmpty();
    }
  }

  /** RFC 4511, section 4.14.2: the response bears the name of the request. */
  @Test
  void theAnswerNamesTheOperation() {
    try (RunningProxy proxy = proxy();
        RawLdapClient client = proxy.client()) {
      RawMessage answer = client.call(START_TLS).get(0);
      assertThat(answer.resultCode()).isZero();
      assertThat(answer.mentions(OID)).isTrue();
    }
  }

  /** slapd does not change it either; RFC 4513, section 4, leaves it to the server. */
  @Test
  void aBoundClientIsAnonymousAfterStartTls() {
    try (RunningProxy proxy = proxy();
        RawLdapClient client = proxy.client()) {
      client.bind(People.dn(1), People.PASSWORD);
      client.startTls(certificates.clientContext());
      client.call(People.find(3));
      Received last = upstream.received().get(upstream.received().size() - 1);
      assertThat(last.identity()).isEmpty();
    }
  }

  @Test
  void aSecondStartTlsIsRefused() {
    try (RunningProxy proxy = proxy();
        RawLdapClient client = proxy.client()) {
      client.startTls(certificates.clientContext());
      assertThat(client.code(START_TLS)).isEqualTo(OPERATIONS_ERROR);
      assertThat(client.code(People.find(1))).isZero();
    }
  }

  @Test
  void startTlsIsRefusedInsideLdaps() {
    try (RunningProxy proxy =
            start(ProxySetup.before(upstream.port()).tls(own, "ldaps://127.0.0.1:0"));
        RawLdapClient client =
            RawLdapClient.connect(proxy.address(), certificates.clientContext())) {
      assertThat(client.code(START_TLS)).isEqualTo(OPERATIONS_ERROR);
      assertThat(client.code(People.find(1))).isZero();
    }
  }

  @Test
  void startTlsIsRefusedWithoutACertificate() {
    try (RunningProxy proxy = ProxySetup.before(upstream.port()).start();
        RawLdapClient client = proxy.client()) {
      assertThat(client.code(START_TLS)).isEqualTo(PROTOCOL_ERROR);
      assertThat(client.code(People.find(1))).isZero();
    }
  }

  @Test
  void aRequestWithAValueOrCriticalControlIsRefused() {
    RawRequest turn = Requests.extended("1.3.6.1.1.19");
    Control unknown = new Control("1.2.3.4", true);
    try (RunningProxy proxy = proxy();
        RawLdapClient client = proxy.client()) {
      assertThat(client.code(Requests.extended(OID, new byte[] {1}))).isEqualTo(PROTOCOL_ERROR);
      assertThat(client.code(Requests.extended(OID, new byte[0]))).isEqualTo(PROTOCOL_ERROR);
      assertThat(client.code(START_TLS.with(unknown))).isEqualTo(UNAVAILABLE_CRITICAL_EXTENSION);
      assertThat(client.code(turn.with(unknown))).isEqualTo(UNAVAILABLE_CRITICAL_EXTENSION);
      client.startTls(certificates.clientContext());
      assertThat(client.code(People.find(1))).isZero();
    }
  }

  @Test
  void startTlsIsRefusedDuringASearch() {
    try (RunningProxy proxy = proxy();
        RawLdapClient client = proxy.client()) {
      Held held = upstream.hold(request -> request.message().mentions("user.1"));
      int search = client.send(People.find(1));
      held.awaitArrival();
      assertThat(client.code(START_TLS)).isEqualTo(OPERATIONS_ERROR);
      held.answer(Answers.success());
      assertThat(client.await(search)).hasSize(1);
      client.startTls(certificates.clientContext());
      assertThat(client.code(People.find(2))).isZero();
    }
  }

  @Test
  void startTlsIsRefusedDuringASaslExchange() {
    try (RunningProxy proxy = proxy();
        RawLdapClient client = proxy.client()) {
      upstream.when(request -> request.is(Received.BIND), Answers.result(SASL_BIND_IN_PROGRESS));
      assertThat(client.code(Requests.saslBind("DIGEST-MD5"))).isEqualTo(SASL_BIND_IN_PROGRESS);
      assertThat(client.code(START_TLS)).isEqualTo(OPERATIONS_ERROR);
    }
  }

  /**
   * Who sits between client and server can put octets behind the request: whatever they are, they
   * must not count as if they had come by TLS.
   */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 20, 1000})
  void requestsInTheSameSegmentAreDiscarded(int octets) {
    try (RunningProxy proxy = proxy();
        RawLdapClient client = proxy.client()) {
      byte[] bind = Requests.bind("cn=attacker", "secret").encode(2);
      byte[] find = search("dc=injected").request().encode(3);
      byte[] behind = Tlv.concat(bind, find);
      byte[] injected = octets == 0 ? behind : Arrays.copyOf(behind, Math.min(octets, 21));
      client.sendOctets(Tlv.concat(START_TLS.encode(1), injected));
      assertThat(client.await(1).get(0).resultCode()).isZero();
      client.handshake(certificates.clientContext());
      assertThat(client.call(People.find(1))).isNotEmpty();
      assertThat(client.take(2)).isEmpty();
      assertThat(client.take(3)).isEmpty();
      assertThat(upstream.received(r -> r.message().mentions("attacker"))).isEmpty();
      assertThat(upstream.received(r -> r.message().mentions("injected"))).isEmpty();
    }
  }

  /** What waits for the end of a bind, and the half of a message that came with it, go too. */
  @Test
  void requestsQueuedBehindABindAreDiscarded() {
    try (RunningProxy proxy = proxy();
        RawLdapClient client = proxy.client()) {
      Held held = upstream.hold(request -> request.is(Received.BIND));
      byte[] half = Arrays.copyOf(search("dc=injected").request().encode(4), 10);
      client.sendOctets(
          Tlv.concat(
              Requests.bind(People.dn(1), People.PASSWORD).encode(1),
              START_TLS.encode(2),
              search("dc=injected").request().encode(3),
              half));
      held.awaitArrival();
      held.answer(Answers.success());
      assertThat(client.await(1).get(0).resultCode()).isZero();
      assertThat(client.await(2).get(0).resultCode()).isZero();
      client.handshake(certificates.clientContext());
      assertThat(client.call(People.find(1))).isNotEmpty();
      assertThat(upstream.received(r -> r.message().mentions("injected"))).isEmpty();
    }
  }

  /** After the answer nothing but TLS is taken, and a password is in no log line. */
  @Test
  void aClientThatContinuesWithoutTlsIsDisconnected() {
    try (RunningProxy proxy = proxy();
        RawLdapClient client = proxy.client()) {
      assertThat(client.code(START_TLS)).isZero();
      client.send(Requests.bind(People.dn(1), People.PASSWORD));
      assertThat(client.closesWithin(PATIENCE)).isTrue();
      Await.until(
          "it is counted", () -> peers.counters().tlsFailures().get(ClientTlsFailure.NOT_TLS) == 1);
      assertThat(upstream.received(request -> request.is(Received.BIND))).isEmpty();
    }
  }

  @Test
  void aClientThatDoesNotContinueIsDisconnected() {
    try (RunningProxy proxy = start(setup().limit("requestTimeout", Duration.ofSeconds(1)));
        RawLdapClient client = proxy.client()) {
      assertThat(client.code(START_TLS)).isZero();
      assertThat(client.closesWithin(PATIENCE)).isTrue();
      Await.until(
          "it is counted", () -> peers.counters().tlsFailures().get(ClientTlsFailure.TIMEOUT) == 1);
    }
  }

  @Test
  void anUnrequestedTlsHandshakeIsNoLdap() {
    try (RunningProxy proxy = proxy();
        RawLdapClient client = proxy.client()) {
      client.sendOctets(Tlv.hex("16 03 01 00 05 01 00 00 01 00"));
      List<RawMessage> rest = client.drain();
      assertThat(rest).hasSize(1);
      assertThat(rest.get(0).resultCode()).isEqualTo(PROTOCOL_ERROR);
    }
  }

  @Test
  void passwordsAreRefusedWithoutTlsIfTlsIsRequired() {
    try (RunningProxy proxy = start(setup().access("requireTls", true));
        RawLdapClient client = proxy.client()) {
      RawRequest bind = Requests.bind(People.dn(1), People.PASSWORD);
      assertThat(client.code(bind)).isEqualTo(CONFIDENTIALITY_REQUIRED);
      assertThat(client.code(Requests.saslBind("PLAIN"))).isEqualTo(CONFIDENTIALITY_REQUIRED);
      assertThat(client.code(Requests.anonymousBind())).isZero();
      assertThat(client.code(People.find(1))).isZero();
      assertThat(upstream.received(r -> r.message().mentions(People.PASSWORD))).isEmpty();
      client.startTls(certificates.clientContext());
      assertThat(client.code(bind)).isZero();
    }
  }

  /** Although the directory does not speak TLS itself. */
  @Test
  void theRootDseOffersStartTlsWhereItWorks() {
    try (RunningProxy proxy = proxy();
        RunningProxy without = ProxySetup.before(upstream.port()).start();
        RawLdapClient client = proxy.client();
        RawLdapClient plain = without.client()) {
      upstream.when(
          request -> request.message().mentions("supportedExtension"),
          Answers.entries(new Entry("", new Attribute("supportedExtension", "1.3.6.1.1.8"))));
      RawRequest read = search("").baseScope().attributes("supportedExtension").request();
      assertThat(client.call(read).get(0).mentions(OID)).isTrue();
      assertThat(plain.call(read).get(0).mentions(OID)).isFalse();
      client.startTls(certificates.clientContext());
      assertThat(client.call(read).get(0).mentions(OID)).isFalse();
    }
  }
}
