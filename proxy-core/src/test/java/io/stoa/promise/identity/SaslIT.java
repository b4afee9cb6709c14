// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.identity;

import static io.stoa.testing.SaslBinds.whoAmI;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.ANONYMOUSBindRequest;
import com.unboundid.ldap.sdk.BindRequest;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import io.stoa.testing.Await;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.SaslBinds;
import io.stoa.testing.Slapd;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that bind by SASL, before a real slapd: who they are, and what they share. */
class SaslIT {
  private static final int PEOPLE = 30;
  private static final int MANY = 400;
  private static final int PAGE = 7;
  private static final int BUSY_CODE = 1;
  private static final int AUTH_METHOD_NOT_SUPPORTED = 7;
  private static final int IN_PROGRESS = 14;
  private static final String WRONG = "wrong";
  private static final String SCRAM = "SCRAM-SHA-256";
  private static final String CLIENT_FIRST = "n,,n=user.1,r=rOprNGfwEbeRWgbNEkqO";
  private static final String PLAIN_OF_2 = "\0user.2\0" + People.PASSWORD;

  private static Slapd slapd;

  private RunningProxy proxy;

  @BeforeAll
  static void startSlapd() {
    slapd = Slapd.start(People.saslSlapd(PEOPLE));
  }

  @AfterAll
  static void stopSlapd() {
    slapd.close();
  }

  @BeforeEach
  void start() {
    proxy = ProxySetup.before(slapd.port()).maxAge(Duration.ofHours(1)).start();
  }

  @AfterEach
  void stop() {
    proxy.close();
  }

  private LDAPConnection connect() throws LDAPException {
    return new LDAPConnection("127.0.0.1", proxy.address().getPort());
  }

  private static BindRequest bind(String mechanism, int person, String password) {
    return SaslBinds.of(mechanism, People.user(person), password);
  }

  /** Of each person, only that person sees the description. */
  private static String description(LDAPConnection client, int person) throws LDAPException {
    return client
        .searchForEntry(People.dn(person), SearchScope.BASE, "(objectClass=*)", "description")
        .getAttributeValue("description");
  }

  private static String dnOf(int person) {
    return "dn:" + People.dn(person);
  }

  @ParameterizedTest
  @ValueSource(strings = {"SCRAM-SHA-1", SCRAM, "SCRAM-SHA-512", "DIGEST-MD5", "CRAM-MD5", "PLAIN"})
  void aSaslClientIsServedFromTheCache(String mechanism) throws LDAPException {
    try (LDAPConnection client = connect();
        LDAPConnection same = connect();
        LDAPConnection other = connect()) {
      client.bind(bind(mechanism, 1, People.PASSWORD));
      same.bind(bind(mechanism, 1, People.PASSWORD));
      other.bind(bind(mechanism, 2, People.PASSWORD));
      assertThat(whoAmI(client)).isEqualTo(dnOf(1));
      assertThat(whoAmI(other)).isEqualTo(dnOf(2));
      assertThat(description(client, 1)).isEqualTo(People.dn(1));
      assertThat(description(other, 1)).isNull();
      long hits = proxy.cache().filterHits();
      assertThat(description(client, 1)).isEqualTo(People.dn(1));
      assertThat(description(same, 1)).isEqualTo(People.dn(1));
      assertThat(description(other, 1)).isNull();
      assertThat(proxy.cache().filterHits()).isEqualTo(hits + 3);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {SCRAM, "DIGEST-MD5", "CRAM-MD5", "PLAIN"})
  void aWrongPasswordMakesTheClientAnonymous(String mechanism) throws LDAPException {
    try (LDAPConnection client = connect()) {
      client.bind(bind(mechanism, 1, People.PASSWORD));
      assertThat(description(client, 1)).isEqualTo(People.dn(1));
      assertThatThrownBy(() -> client.bind(bind(mechanism, 1, WRONG)))
          .isInstanceOf(LDAPException.class)
          .extracting(e -> ((LDAPException) e).getResultCode())
          .isEqualTo(ResultCode.INVALID_CREDENTIALS);
      assertThat(whoAmI(client)).isEmpty();
      assertThat(description(client, 1)).isNull();
    }
  }

  @Test
  void mechanismsOfOneNameShareNothing() throws LDAPException {
    try (LDAPConnection plain = connect();
        LDAPConnection scram = connect();
        LDAPConnection simple = connect();
        LDAPConnection anonymous = connect()) {
      plain.bind(bind("PLAIN", 1, People.PASSWORD));
      scram.bind(bind(SCRAM, 1, People.PASSWORD));
      simple.bind(People.dn(1), People.PASSWORD);
      anonymous.bind(new ANONYMOUSBindRequest("trace"));
      long misses = proxy.cache().filterMisses();
      assertThat(description(plain, 1)).isEqualTo(People.dn(1));
      assertThat(description(scram, 1)).isEqualTo(People.dn(1));
      assertThat(description(simple, 1)).isEqualTo(People.dn(1));
      assertThat(description(anonymous, 1)).isNull();
      assertThat(proxy.cache().filterMisses()).isEqualTo(misses + 4);
      assertThat(whoAmI(anonymous)).isEmpty();
    }
  }

  @Test
  void saslThenSimpleThenSaslOnOneConnection() throws LDAPException {
    try (LDAPConnection client = connect()) {
      client.bind(bind(SCRAM, 1, People.PASSWORD));
      assertThat(whoAmI(client)).isEqualTo(dnOf(1));
      assertThat(description(client, 1)).isEqualTo(People.dn(1));
      client.bind(People.dn(2), People.PASSWORD);
      assertThat(whoAmI(client)).isEqualTo(dnOf(2));
      assertThat(description(client, 1)).isNull();
      client.bind(bind("DIGEST-MD5", 3, People.PASSWORD));
      assertThat(whoAmI(client)).isEqualTo(dnOf(3));
      assertThat(description(client, 3)).isEqualTo(People.dn(3));
      client.bind("", "");
      assertThat(whoAmI(client)).isEmpty();
    }
  }

  @Test
  void aClientReadsItsOwnWrites() throws Exception {
    try (LDAPConnection writer = connect();
        LDAPConnection reader = connect()) {
      writer.bind(bind(SCRAM, 4, People.PASSWORD));
      reader.bind(bind(SCRAM, 4, People.PASSWORD));
      for (int i = 0; i < PAGE; i++) {
        String mail = i + "@example.com";
        assertThat(writer.getEntry(People.dn(4), "mail")).isNotNull();
        writer.modify(
            "dn: " + People.dn(4), "changetype: modify", "replace: mail", "mail: " + mail);
        assertThat(writer.getEntry(People.dn(4), "mail").getAttributeValue("mail")).isEqualTo(mail);
        assertThat(reader.getEntry(People.dn(4), "mail").getAttributeValue("mail")).isEqualTo(mail);
      }
    }
  }

  @Test
  void pagesUseTheClientsConnection() throws LDAPException {
    try (LDAPConnection client = connect()) {
      client.bind(bind(SCRAM, 1, People.PASSWORD));
      int entries = 0;
      var request =
          new com.unboundid.ldap.sdk.SearchRequest(
              People.PEOPLE, SearchScope.ONE, "(objectClass=*)", "uid");
      com.unboundid.asn1.ASN1OctetString cookie = null;
      do {
        request.setControls(new SimplePagedResultsControl(PAGE, cookie));
        var result = client.search(request);
        entries += result.getEntryCount();
        cookie = SimplePagedResultsControl.get(result).getCookie();
      } while (cookie.getValueLength() > 0);
      assertThat(entries).isEqualTo(PEOPLE);
      assertThat(whoAmI(client)).isEqualTo(dnOf(1));
    }
  }

  @Test
  void requestsBetweenStepsAreAnsweredAsByTheDirectory() {
    try (RawLdapClient client = proxy.client();
        RawLdapClient direct = RawLdapClient.connect(slapd.address())) {
      for (RawLdapClient each : new RawLdapClient[] {client, direct}) {
        assertThat(each.code(Requests.saslBind(SCRAM, CLIENT_FIRST))).isEqualTo(IN_PROGRESS);
        RawMessage search = RawLdapClient.last(each.call(People.find(1)));
        assertThat(search.resultCode()).isEqualTo(BUSY_CODE);
        assertThat(search.mentions("SASL bind in progress")).isTrue();
        assertThat(each.code(Requests.whoAmI())).isEqualTo(BUSY_CODE);
      }
    }
  }

  @Test
  void anotherMechanismBeginsAnew() {
    try (RawLdapClient client = proxy.client()) {
      assertThat(client.code(Requests.saslBind(SCRAM, CLIENT_FIRST))).isEqualTo(IN_PROGRESS);
      assertThat(client.code(Requests.saslBind("PLAIN", PLAIN_OF_2))).isZero();
      assertThat(is(client, dnOf(2))).isTrue();
    }
  }

  @Test
  void anEmptyMechanismAbortsTheExchange() {
    try (RawLdapClient client = proxy.client()) {
      assertThat(client.code(Requests.saslBind(SCRAM, CLIENT_FIRST))).isEqualTo(IN_PROGRESS);
      assertThat(client.code(Requests.saslBind(""))).isEqualTo(AUTH_METHOD_NOT_SUPPORTED);
      assertThat(client.code(Requests.whoAmI())).isZero();
      assertThat(client.code(People.find(1))).isZero();
      long probe = 1;
      Await.until("the connection is given up", () -> slapd.connections() <= probe + 2);
    }
  }

  @Test
  void aSimpleBindAbortsTheExchange() {
    try (RawLdapClient client = proxy.client()) {
      assertThat(client.code(Requests.saslBind(SCRAM, CLIENT_FIRST))).isEqualTo(IN_PROGRESS);
      client.bind(People.dn(2), People.PASSWORD);
      assertThat(is(client, dnOf(2))).isTrue();
    }
  }

  private static boolean is(RawLdapClient client, String authzId) {
    return RawLdapClient.last(client.call(Requests.whoAmI())).mentions(authzId);
  }

  @Test
  void anInvalidStepAbortsTheExchange() {
    try (RawLdapClient client = proxy.client()) {
      assertThat(client.code(Requests.saslBind(SCRAM, CLIENT_FIRST))).isEqualTo(IN_PROGRESS);
      assertThat(client.code(Requests.saslBind(SCRAM, "junk"))).isNotIn(0, IN_PROGRESS);
      assertThat(client.code(People.find(1))).isZero();
      assertThat(is(client, "dn:")).isFalse();
    }
  }

  @Test
  void manyBindsLeaveNoConnection() {
    long before = slapd.connections();
    try (RawLdapClient again = proxy.client()) {
      for (int i = 0; i < MANY; i++) {
        assertThat(again.code(Requests.saslBind(SCRAM, CLIENT_FIRST))).isEqualTo(IN_PROGRESS);
        assertThat(again.code(Requests.saslBind("PLAIN", PLAIN_OF_2))).isZero();
        assertThat(is(again, dnOf(2))).isTrue();
        try (RawLdapClient once = proxy.client()) {
          assertThat(once.code(Requests.saslBind("PLAIN", PLAIN_OF_2))).isZero();
          assertThat(once.code(People.find(1))).isZero();
        }
      }
    }
    Await.until("the connections have ended", () -> slapd.connections() <= before);
  }

  @Test
  void aSaslClientIsDisconnectedWhenItsServerIsLost() throws LDAPException {
    try (Slapd own = Slapd.start(People.saslSlapd(2));
        RunningProxy before = ProxySetup.before(own.port()).start();
        RawLdapClient bound = before.client();
        RawLdapClient binding = before.client()) {
      assertThat(bound.code(Requests.saslBind("PLAIN", "\0user.1\0" + People.PASSWORD))).isZero();
      assertThat(is(bound, dnOf(1))).isTrue();
      assertThat(binding.code(Requests.saslBind(SCRAM, CLIENT_FIRST))).isEqualTo(IN_PROGRESS);
      own.kill();
      assertThat(bound.drain()).isEmpty();
      assertThat(binding.drain()).isEmpty();
    }
  }

  @Test
  void mechanismsAreOfferedExceptExternalAndChannelBinding() throws LDAPException {
    try (LDAPConnection client = connect();
        LDAPConnection direct = new LDAPConnection("127.0.0.1", slapd.port())) {
      assertThat(client.getRootDSE().getSupportedSASLMechanismNames())
          .containsExactlyInAnyOrder(direct.getRootDSE().getSupportedSASLMechanismNames())
          .contains(SCRAM, "GSSAPI", "PLAIN");
    }
  }
}
