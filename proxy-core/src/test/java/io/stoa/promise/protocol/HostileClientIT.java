// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.protocol;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.internal.PlatformDependent;
import io.stoa.promise.limits.OpenFiles;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ClientSwarm;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.Slapd;
import io.stoa.testing.Tlv;
import java.io.UncheckedIOException;
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
import org.junit.jupiter.params.provider.ValueSource;

/** What clients send that no client should: each is refused alone, and nobody else notices. */
class HostileClientIT {
  private static final int PROTOCOL_ERROR = 2;
  private static final int AUTH_METHOD_NOT_SUPPORTED = 7;
  private static final long MEGABYTE = 1 << 20;
  private static final RawRequest ROOT_DSE = search("").baseScope().request();

  private static Slapd slapd;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private RunningProxy proxy;

  @BeforeAll
  static void startDirectory() {
    slapd = Slapd.start(People.slapd(20));
  }

  @AfterAll
  static void stopDirectory() {
    slapd.close();
  }

  @BeforeEach
  void startProxy() {
    proxy = ProxySetup.before(slapd.port()).limit("requestTimeout", Duration.ofSeconds(2)).start();
  }

  @AfterEach
  void assertOthersServedAndNothingLeft() {
    try (RunningProxy closing = proxy;
        RawLdapClient other = closing.client()) {
      assertThat(other.code(People.find(3))).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "30 80 02 01 01 42 00 00 00", // indefinite length
        "30 0e 02 01 01 60 80 02 01 03 04 00 80 00 00 00", // indefinite length inside
        "30 84 7f ff ff ff", // two gigabytes
        "30 84 ff ff ff ff", // a negative length
        "30 88 00 00 00 00 00 00 00 05 02 01 01 42 00", // eight octets of length
        "30 ff 01", // the reserved form
        "02 01 01", // no SEQUENCE
        "30 00", // nothing in it
        "30 03 02 01 01", // no operation
        "30 05 04 01 01 42 00", // no messageID
        "47 45 54 20 2f 20 48 54 54 50", // GET / HTTP
        "16 03 01 02 00 01 00 01 fc 03 03" // a TLS ClientHello
      })
  void octetsThatAreNoLdapMessageAreRefused(String hex) {
    assertDisconnected(Tlv.hex(hex));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void lengthsThatAreNotMinimalAreAccepted(int octets) {
    byte[] id = Tlv.integer(0x02, 9);
    byte[] whole = Tlv.ofLongLength(0x30, octets, id, ROOT_DSE.op());
    try (RawLdapClient client = proxy.client()) {
      client.sendOctets(whole);
      assertThat(RawLdapClient.last(client.await(9)).resultCode()).isZero();
    }
  }

  /** A header may claim what it likes: only what was received takes memory. */
  @Test
  void claimedLengthsCostNoMemory() {
    long before = PlatformDependent.usedDirectMemory();
    try (ClientSwarm crowd = new ClientSwarm()) {
      for (int i = 0; i < 1000; i++) {
        RawLdapClient client = crowd.add(proxy.client());
        client.sendOctets(Tlv.hex("30 83 03 ff 00 02 01 01 63 83 03 fe f9 04 00"));
      }
      Await.until("all are half read", () -> proxy.status().readWaiters() == 1000);
      assertThat(PlatformDependent.usedDirectMemory() - before).isLessThan(100 * MEGABYTE);
    }
  }

  @Test
  void anIncompleteRequestTimesOut() {
    try (RawLdapClient client = proxy.client()) {
      client.sendOctets(Tlv.hex("30 1c 02 01"));
      assertThat(client.closesWithin(Duration.ofSeconds(15))).isTrue();
    }
  }

  @Test
  void aDrippingRequestTimesOut() {
    byte[] bind = Requests.bind(People.dn(1), "x".repeat(100)).encode(1);
    try (RawLdapClient client = proxy.client()) {
      assertThat(isCutOffWhileDripping(client, bind)).isTrue();
    }
  }

  private static boolean isCutOffWhileDripping(RawLdapClient client, byte[] octets) {
    try {
      for (byte octet : octets) {
        client.sendOctets(new byte[] {octet});
        if (client.closesWithin(Duration.ofMillis(200))) {
          return true;
        }
      }
      return false;
    } catch (UncheckedIOException e) {
      return true;
    }
  }

  @Test
  void silentConnectionsDoNotBlockOthers() {
    int count = OpenFiles.pairs(10_000);
    System.out.println("connections without an octet: " + count);
    long before = PlatformDependent.usedDirectMemory();
    try (ClientSwarm silent = new ClientSwarm()) {
      for (int i = 0; i < count; i++) {
        silent.add(proxy.client());
      }
      try (RawLdapClient other = proxy.client()) {
        assertThat(other.code(People.find(4))).isZero();
      }
      assertThat(proxy.status().connections()).isGreaterThanOrEqualTo(count);
      assertThat(PlatformDependent.usedDirectMemory() - before).isLessThan(16 * MEGABYTE);
    }
  }

  @Test
  void aRequestBelowTheLimitOfAnAnonymousClientIsServed() {
    try (RawLdapClient client = proxy.client()) {
      assertThat(client.code(HostileOctets.searchOfSize(256 * 1024 - 100))).isZero();
    }
  }

  @Test
  void aRequestAboveTheLimitOfAnAnonymousClientIsRefused() {
    byte[] tooLarge = HostileOctets.searchOfSize(256 * 1024 + 100).encode(1);
    assertDisconnected(Arrays.copyOf(tooLarge, 1000));
  }

  @Test
  void aBoundClientHasTheLargerLimit() {
    try (RawLdapClient client = bound()) {
      assertThat(client.code(HostileOctets.searchOfSize(4 * 1024 * 1024 - 100))).isZero();
      byte[] tooLarge = HostileOctets.searchOfSize(4 * 1024 * 1024 + 100).encode(7);
      assertDisconnected(client, Arrays.copyOf(tooLarge, 1000));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 500, 999})
  void aFilterAsDeepAsTheDirectoryTakesIsServed(int depth) {
    try (RawLdapClient client = proxy.client()) {
      assertThat(client.code(HostileOctets.search(HostileOctets.negations(depth)))).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1_001, 50_000})
  void aFilterThatIsTooDeepIsRefused(int depth) {
    try (RawLdapClient client = bound()) {
      client.send(7, HostileOctets.search(HostileOctets.negations(depth)));
      RawMessage answer = client.next().orElseThrow();
      assertThat(answer.resultCode()).isIn(PROTOCOL_ERROR, 11, 53);
      assertThat(answer.messageId()).isIn(0, 7);
    }
  }

  @Test
  void aFilterOfHundredThousandTermsIsServed() {
    try (RawLdapClient client = bound()) {
      List<RawMessage> answer =
          client.call(HostileOctets.search(HostileOctets.alternatives(100_000)));
      assertThat(answer).hasSize(2);
    }
  }

  @Test
  void tenThousandAttributesAreServed() {
    byte[][] attributes = HostileOctets.attributes(10_000);
    try (RawLdapClient client = proxy.client()) {
      assertThat(client.code(HostileOctets.search(HostileOctets.present(), attributes))).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "02 01 00", // zero is for notifications of the server
        "02 01 ff", // negative
        "02 05 00 80 00 00 00", // 2^31
        "02 05 00 00 00 00 07", // five octets
        "02 00", // none
        "02 09 00 00 00 00 00 00 00 00 01"
      })
  void messageIdsOutsideTheProtocolAreRefused(String id) {
    assertDisconnected(HostileOctets.withMessageId(id, ROOT_DSE));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 127, 128, 255, 256, 65_535, 1 << 24, Integer.MAX_VALUE})
  void everyLegalMessageIdComesBack(int id) {
    try (RawLdapClient client = proxy.client()) {
      client.send(id, ROOT_DSE);
      assertThat(client.await(id)).hasSize(2);
    }
  }

  @Test
  void aMessageIdThatIsInFlightIsRefused() {
    try (ScriptedUpstream upstream = ScriptedUpstream.start();
        RunningProxy scripted = ProxySetup.before(upstream.port()).start();
        RawLdapClient client = scripted.client()) {
      Held first = upstream.hold(request -> request.isSearchFor("ou=held"));
      client.send(5, search("ou=held,dc=example,dc=com").request());
      first.awaitArrival();
      client.send(5, search("ou=second,dc=example,dc=com").request());
      assertThat(RawLdapClient.last(client.drain()).resultCode()).isEqualTo(PROTOCOL_ERROR);
      first.answer(Answers.success());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"7f 00", "61 07 0a 01 00 04 00 04 00", "64 04 04 00 30 00", "1f 00"})
  void operationsThatNoClientMaySendAreRefused(String op) {
    assertDisconnected(new RawRequest(Tlv.hex(op)).encode(1));
  }

  /** As slapd answers them: whatever it says reaches the client. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 127})
  void bindVersionsAreJudgedByTheDirectory(int version) {
    RawRequest bind = HostileOctets.bind(version, Tlv.of(0x80));
    try (RawLdapClient client = proxy.client();
        RawLdapClient direct = RawLdapClient.connect(slapd.address())) {
      assertThat(client.call(bind).get(0).body()).isEqualTo(direct.call(bind).get(0).body());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"81 01 78", "82 01 78", "89 01 78", "a3 02 04 00"})
  void unknownAuthenticationMethodsAreRefused(String authentication) {
    RawRequest bind = HostileOctets.bind(3, Tlv.hex(authentication));
    try (RawLdapClient client = proxy.client();
        RawLdapClient direct = RawLdapClient.connect(slapd.address())) {
      assertThat(client.call(bind).get(0).body()).isEqualTo(direct.call(bind).get(0).body());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "EXTERNAL",
        "external",
        "eXTERNAL",
        "EXTERNAL-PLUS",
        "external-plus",
        "EXTERNAL\0x",
        "EXTERNAL ",
        " EXTERNAL",
        "EXTERNAL\n",
        "EXTERNALX",
        "\0",
        "PLAIN\0",
        "",
        "caf\u00e9",
        "A-MECHANISM-OF-21-LTR"
      })
  void externalIsNeverForwardedInAnySpelling(String mechanism) {
    try (ScriptedUpstream upstream = ScriptedUpstream.start();
        RunningProxy scripted = ProxySetup.before(upstream.port()).start();
        RawLdapClient client = scripted.client()) {
      assertThat(client.code(Requests.saslBind(mechanism))).isEqualTo(AUTH_METHOD_NOT_SUPPORTED);
      assertThat(client.code(Requests.whoAmI())).isZero();
      assertThat(upstream.received(request -> request.is(Received.BIND))).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1.3.6.1.4.1.1466.20037", "1.3.6.1.1.19"})
  void startTlsAndTurnAreNeverForwarded(String oid) {
    try (ScriptedUpstream upstream = ScriptedUpstream.start();
        RunningProxy scripted = ProxySetup.before(upstream.port()).start();
        RawLdapClient client = scripted.client()) {
      assertThat(client.code(Requests.extended(oid))).isEqualTo(PROTOCOL_ERROR);
      assertThat(upstream.received(request -> request.message().mentions(oid))).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "63 00", // a search of nothing
        "63 03 04 01 78", // a search that ends early
        "66 05 04 00 30 01 00", // a modify whose list is no list
        "68 02 04 05", // an add that claims more than there is
        "6e 04 04 00 30 00", // a compare without an assertion
        "77 02 81 00", // an extended request without a name
        "50 00", // an abandon of nothing
        "60 03 02 01 03" // a bind of nobody
      })
  void malformedRequestsAreNeverForwarded(String op) {
    try (ScriptedUpstream upstream = ScriptedUpstream.start();
        RunningProxy scripted = ProxySetup.before(upstream.port()).start();
        RawLdapClient client = scripted.client()) {
      byte[] octets = Tlv.hex(op);
      assertDisconnected(client, new RawRequest(octets).encode(1));
      assertThat(upstream.received()).noneMatch(r -> Arrays.equals(r.message().body(), octets));
    }
  }

  private RawLdapClient bound() {
    return proxy.client().bind(People.dn(1), People.PASSWORD);
  }

  private void assertDisconnected(byte[] octets) {
    try (RawLdapClient client = proxy.client()) {
      assertDisconnected(client, octets);
    }
  }

  /** A Notice of Disconnection with protocolError, and the end of the connection. */
  private static void assertDisconnected(RawLdapClient client, byte[] octets) {
    client.sendOctets(octets);
    List<RawMessage> rest = client.drain();
    assertThat(rest).hasSize(1);
    assertThat(rest.get(0).messageId()).isZero();
    assertThat(rest.get(0).opTag()).isEqualTo(RawMessage.EXTENDED_RESPONSE);
    assertThat(rest.get(0).resultCode()).isEqualTo(PROTOCOL_ERROR);
  }
}
