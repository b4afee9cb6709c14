// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.identity;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.controls.AuthorizationIdentityRequestControl;
import com.unboundid.ldap.sdk.controls.ProxiedAuthorizationV2RequestControl;
import io.stoa.cache.result.Exclusions;
import io.stoa.client.listener.ListenerConfig;
import io.stoa.net.tls.ClientAuthentication;
import io.stoa.net.tls.TlsConfig;
import io.stoa.net.tls.TlsProvider;
import io.stoa.testing.Certificates;
import io.stoa.testing.Ds389;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.LdapCommand;
import io.stoa.testing.Pager;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Records;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ServiceWatch;
import io.stoa.testing.Slapd;
import io.stoa.testing.SocketRelay;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Clients that bind by SASL EXTERNAL in proxied-authorization mode: who they are by a certificate
 * or a local socket, before real directories.
 */
class ExternalBindIT {
  private static final String ORGANISATION = ",ou=People,o=Example";
  private static final int BY_SOCKET = 4;
  private static final int BY_NAME = 2;
  private static final int BY_SUBJECT = 3;
  private static final String[] RULES = {
    "certificate CN={user},OU=People,O=Example => dn:uid={user}," + People.PEOPLE,
    "certificate *,DC=example,DC=com => dn:{subject}",
    "certificate CN=app,O=Example => u:" + People.user(BY_NAME),
    "socket uid=" + People.own("unix:uid") + " => dn:" + People.dn(BY_SOCKET)
  };
  private static final String EXTERNAL = "EXTERNAL";
  private static final RawRequest BIND = Requests.saslBind(EXTERNAL);
  private static final RawRequest MECHANISMS =
      search("").baseScope().attributes("supportedSASLMechanisms").request();
  private static final String PASSWORD_MODIFY = "1.3.6.1.4.1.4203.1.11.1";
  private static final String AUTHZID_RESPONSE = "2.16.840.1.113730.3.4.15";
  private static final String WHO_AM_I = "1.3.6.1.4.1.4203.1.11.3";
  private static final String CANCEL = "1.3.6.1.1.8";
  private static final int NOT_SUPPORTED = 7;
  private static final int CRITICAL = 12;
  private static final int CONFIDENTIALITY = 13;
  private static final int INVALID = 49;
  private static final int INSUFFICIENT_ACCESS = 50;
  private static final int UNWILLING = 53;
  private static final int DENIED = 123;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();
  @TempDir Path directory;

  private static Slapd slapd;
  private static Certificates certificates;
  private static Certificates.Pair server;

  private RunningProxy proxy;
  private SocketRelay local;

  @BeforeAll
  static void startSlapd() {
    certificates = Certificates.create();
    server = certificates.server();
    String users = "authz-regexp uid=([^,]*),cn=.*auth uid=$1," + People.PEOPLE;
    slapd = Slapd.start(People.proxied(10, "to").global(users));
  }

  @AfterAll
  static void stopSlapd() {
    slapd.close();
    certificates.close();
  }

  @BeforeEach
  void start() {
    start(TlsProvider.AUTO, slapd.port());
  }

  private void start(TlsProvider provider, int port) {
    proxy = setup(provider, port).start();
    local = SocketRelay.to(directory.resolve("ldapi"));
  }

  private ProxySetup setup(TlsProvider provider, int port) {
    TlsConfig own =
        TlsConfig.DEFAULTS
            .identity(server.certificate(), server.key())
            .trusting(certificates.ca())
            .provider(provider);
    TlsConfig asking = Records.with(own, "clientAuth", ClientAuthentication.REQUEST);
    return ProxySetup.before(port)
        .tls(asking, "127.0.0.1:0", "ldaps://127.0.0.1:0", ldapi())
        .maxAge(Duration.ofHours(1))
        .upstream("identity", ServiceWatch.identity(directory, RULES));
  }

  private String ldapi() {
    String path = directory.resolve("ldapi").toString();
    return new ListenerConfig(ListenerConfig.Protocol.LDAPI, path, 0).toString();
  }

  @AfterEach
  void stop() {
    local.close();
    proxy.close();
  }

  private void restart(ProxySetup setup) {
    stop();
    proxy = setup.start();
    local = SocketRelay.to(directory.resolve("ldapi"));
  }

  private static SSLContext context(String subject) {
    return certificates.clientContext(certificates.client(subject));
  }

  private InetSocketAddress ldaps() {
    int port = proxy.proxy().listeners().get(1).port();
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  private RawLdapClient byTls(String subject) {
    return RawLdapClient.connect(ldaps(), context(subject));
  }

  private RawLdapClient person(int number) {
    return byTls("cn=" + People.user(number) + ORGANISATION);
  }

  private static String whoAmI(RawLdapClient client) {
    RawMessage answer = RawLdapClient.last(client.call(Requests.whoAmI()));
    assertThat(answer.resultCode()).isZero();
    var value = answer.decoded().getExtendedResponseProtocolOp().getResponseValue();
    return value == null ? "" : value.stringValue();
  }

  private static String dnOf(int number) {
    return "dn:" + People.dn(number);
  }

  private static RawRequest own() {
    return search(People.PEOPLE).filter("(description=*)").attributes("description").request();
  }

  /** Of each person, only that person sees the description, which is the person's DN. */
  private static void assertActsAs(RawLdapClient client, int number) {
    for (int round = 0; round < 2; round++) {
      List<RawMessage> answer = client.call(own());
      assertThat(answer).hasSize(2);
      assertThat(answer.get(0).mentions("description")).isTrue();
      assertThat(answer.get(0).mentions(People.dn(number))).isTrue();
    }
    assertThat(client.code(Requests.replace(People.dn(number), "title", "mine"))).isZero();
    int other = (number + 1) % 10;
    assertThat(client.code(Requests.replace(People.dn(other), "title", "mine")))
        .isEqualTo(INSUFFICIENT_ACCESS);
  }

  // Who clients are

  @ParameterizedTest
  @EnumSource(names = {"OPENSSL", "JDK"})
  void aCertificateIsMappedByTheRule(TlsProvider provider) {
    restart(setup(provider, slapd.port()));
    SSLContext context = context("cn=" + People.user(1) + ORGANISATION);
    for (int round = 0; round < 3; round++) { // the later ones resume the session
      try (RawLdapClient client = RawLdapClient.connect(ldaps(), context);
          RawLdapClient started = proxy.client().startTls(context)) {
        for (RawLdapClient each : List.of(client, started)) {
          assertThat(each.code(BIND)).isZero();
          assertThat(whoAmI(each)).isEqualTo(dnOf(1));
          assertActsAs(each, 1);
        }
      }
    }
  }

  @Test
  void aLocalSocketPeerIsMappedByTheRule() {
    try (RawLdapClient client = local.client()) {
      assertThat(client.code(BIND)).isZero();
      assertThat(whoAmI(client)).isEqualTo(dnOf(BY_SOCKET));
      assertActsAs(client, BY_SOCKET);
    }
  }

  @Test
  void theSubjectItselfMayBeTheDn() {
    try (RawLdapClient client = byTls(People.dn(BY_SUBJECT))) {
      assertThat(client.code(BIND)).isZero();
      assertThat(whoAmI(client)).isEqualToIgnoringCase(dnOf(BY_SUBJECT));
      assertActsAs(client, BY_SUBJECT);
    }
  }

  @Test
  void theDirectoryMayMakeADnOfAUser() {
    try (RawLdapClient client = byTls("cn=app,o=Example")) {
      assertThat(client.code(BIND)).isZero();
      assertThat(whoAmI(client)).isEqualTo("u:" + People.user(BY_NAME));
      assertActsAs(client, BY_NAME);
    }
  }

  @Test
  void openLdapCommandsBindByExternal() {
    LdapCommand.Output output =
        LdapCommand.run(certificates.ca(), "ldapwhoami", "-Q", "-Y", EXTERNAL, "-H", ldapi());
    assertThat(output.text()).contains(dnOf(BY_SOCKET));
    assertThat(output.code()).isZero();
  }

  /** The same search at the same time, each asked twice. */
  @Test
  void externalClientsShareNoHits() {
    try (RawLdapClient one = person(1);
        RawLdapClient two = person(2);
        RawLdapClient socket = local.client();
        RawLdapClient typed = proxy.client().bind(People.dn(1), People.PASSWORD);
        RawLdapClient nobody = person(1)) {
      assertThat(one.code(BIND)).isZero();
      assertThat(two.code(BIND)).isZero();
      assertThat(socket.code(BIND)).isZero();
      for (int round = 0; round < 2; round++) {
        assertThat(one.call(own()).get(0).mentions(People.dn(1))).isTrue();
        assertThat(two.call(own()).get(0).mentions(People.dn(2))).isTrue();
        assertThat(socket.call(own()).get(0).mentions(People.dn(BY_SOCKET))).isTrue();
        assertThat(typed.call(own()).get(0).mentions(People.dn(1))).isTrue();
        assertThat(nobody.call(own())).hasSize(1);
      }
      assertThat(proxy.cache().filterHits()).isEqualTo(5);
    }
  }

  /** The exclusion names a DN, however the client became that. */
  @Test
  void cacheExclusionsHoldForExternalBinds() {
    Exclusions exclusions = new Exclusions(List.of(), List.of(People.dn(1)), List.of(), List.of());
    restart(setup(TlsProvider.AUTO, slapd.port()).cache("exclusions", exclusions));
    try (RawLdapClient one = person(1);
        RawLdapClient two = person(2)) {
      assertThat(one.code(BIND)).isZero();
      assertThat(two.code(BIND)).isZero();
      for (int round = 0; round < 3; round++) {
        assertThat(one.call(own()).get(0).mentions(People.dn(1))).isTrue();
      }
      assertThat(proxy.cache().filterHits()).isZero();
      two.call(own());
      two.call(own());
      assertThat(proxy.cache().filterHits()).isEqualTo(1);
    }
  }

  // What is refused

  @Test
  void aPeerThatMatchesNoRuleIsRefused() {
    try (RawLdapClient stranger = byTls("cn=" + People.user(1) + ",o=Other");
        RawLdapClient service = byTls(ServiceWatch.DN)) {
      for (RawLdapClient each : List.of(stranger, service)) {
        assertThat(each.code(BIND)).isEqualTo(INVALID);
        assertThat(whoAmI(each)).isEmpty();
        assertThat(each.call(own())).hasSize(1);
      }
    }
  }

  @Test
  void aPeerWithoutCredentialsCannotBindByExternal() {
    try (RawLdapClient plain = proxy.client();
        RawLdapClient tls = RawLdapClient.connect(ldaps(), certificates.clientContext())) {
      assertThat(plain.code(BIND)).isEqualTo(NOT_SUPPORTED);
      assertThat(tls.code(BIND)).isEqualTo(NOT_SUPPORTED);
    }
    restart(setup(TlsProvider.AUTO, slapd.port()).access("requireTls", true));
    try (RawLdapClient plain = proxy.client();
        RawLdapClient socket = local.client()) {
      assertThat(plain.code(BIND)).isEqualTo(CONFIDENTIALITY);
      assertThat(socket.code(BIND)).isZero();
    }
  }

  @Test
  void aClientMayNameOnlyItself() {
    try (RawLdapClient client = person(1)) {
      for (String itself : List.of(dnOf(1), "dn:UID=User.1, OU=People, dc=example,dc=com")) {
        assertThat(client.code(Requests.saslBind(EXTERNAL, itself))).isZero();
        assertThat(whoAmI(client)).isEqualTo(dnOf(1));
      }
      assertThat(client.code(Requests.saslBindWithoutCredentials("external"))).isZero();
      assertThat(whoAmI(client)).isEqualTo(dnOf(1));
      for (String other :
          List.of(
              dnOf(2),
              "dn:" + ServiceWatch.DN,
              "dn:",
              "u:user.1",
              "user.1",
              dnOf(1) + "\0",
              dnOf(1) + ",")) {
        assertThat(client.code(Requests.saslBind(EXTERNAL, other))).isEqualTo(DENIED);
        assertThat(whoAmI(client)).isEmpty();
      }
    }
  }

  @Test
  void anExternalBindReplacesTheFormerIdentity() {
    try (RawLdapClient client = person(1)) {
      client.bind(People.dn(2), People.PASSWORD);
      assertActsAs(client, 2);
      assertThat(client.code(BIND)).isZero();
      assertActsAs(client, 1);
      assertThat(client.code(Requests.saslBind(EXTERNAL, dnOf(2)))).isEqualTo(DENIED);
      assertThat(client.call(own())).hasSize(1);
      assertThat(client.code(BIND)).isZero();
      assertThat(client.code(Requests.bind(People.dn(2), "wrong"))).isEqualTo(INVALID);
      assertThat(client.call(own())).hasSize(1);
      assertThat(client.code(BIND)).isZero();
      assertThat(client.code(Requests.anonymousBind())).isZero();
      assertThat(whoAmI(client)).isEmpty();
    }
  }

  // Controls, and what needs a connection of the client's own

  @Test
  void theBindResponseCarriesTheIdentityIfRequested() {
    try (RawLdapClient client = person(1)) {
      RawMessage told =
          RawLdapClient.last(client.call(BIND.with(new AuthorizationIdentityRequestControl())));
      Control control = told.decoded().getControls().get(0);
      assertThat(control.getOID()).isEqualTo(AUTHZID_RESPONSE);
      assertThat(control.getValue().stringValue()).isEqualTo(dnOf(1));
      assertThat(RawLdapClient.last(client.call(BIND)).decoded().getControls()).isEmpty();
    }
  }

  @Test
  void controlsThatWouldNotBeHonouredAreRefused() {
    try (RawLdapClient client = person(1)) {
      assertThat(client.code(BIND.with(new Control("1.2.3.4", true)))).isEqualTo(CRITICAL);
      assertThat(whoAmI(client)).isEmpty();
      assertThat(client.code(BIND.with(new Control("1.2.3.4", false)))).isZero();
      Control other = new ProxiedAuthorizationV2RequestControl(dnOf(2));
      assertThat(client.code(Requests.whoAmI().with(other))).isEqualTo(DENIED);
      assertThat(client.code(own().with(other))).isEqualTo(DENIED);
      assertThat(client.code(Requests.whoAmI().with(new Control("1.2.3.4", true))))
          .isEqualTo(CRITICAL);
      assertThat(client.code(BIND.with(other))).isEqualTo(DENIED);
      assertThat(whoAmI(client)).isEmpty();
    }
  }

  @Test
  void dedicatedConnectionsAreRefusedForExternalClients() {
    try (RawLdapClient client = person(1)) {
      assertThat(client.code(BIND)).isZero();
      assertThat(client.code(Requests.extended(PASSWORD_MODIFY))).isEqualTo(UNWILLING);
      assertThat(client.code(Requests.extended("1.2.3.4.5"))).isEqualTo(UNWILLING);
      assertThat(client.code(own().with(new Control("1.2.3.4", true)))).isEqualTo(UNWILLING);
      RawRequest everybody = search(People.PEOPLE).oneLevel().attributes("uid").request();
      Pager pager = new Pager(client, everybody);
      assertThat(pager.rest(3)).hasSize(4);
      assertActsAs(client, 1);
    }
  }

  /** What Stoa answers by itself is answered as slapd answers those whom it has bound. */
  @Test
  void cancelAndWhoAmIAreAnsweredAsByTheDirectory() {
    byte[] none = {};
    byte[] nothing = {0x30, 3, 2, 1, 77};
    byte[] itself = {0x30, 3, 2, 1, 99};
    byte[] malformed = {0x30, 3, 2, 2, 77};
    List<RawRequest> requests =
        List.of(
            Requests.extended(CANCEL, nothing),
            Requests.extended(CANCEL, itself),
            Requests.extended(CANCEL, malformed),
            Requests.extended(CANCEL, none),
            Requests.extended(CANCEL),
            Requests.extended(CANCEL, nothing).with(new Control("1.2.3.4", true)),
            Requests.extended(CANCEL, nothing).with(new Control("1.2.3.4", false)),
            Requests.extended(WHO_AM_I, nothing),
            Requests.extended(WHO_AM_I, none),
            Requests.whoAmI().with(new Control("1.2.3.4", true)));
    try (RawLdapClient client = person(1);
        RawLdapClient direct = RawLdapClient.connect(slapd.address())) {
      assertThat(client.code(BIND)).isZero();
      direct.bind(People.dn(1), People.PASSWORD);
      for (RawRequest request : requests) {
        client.send(99, request);
        direct.send(99, request);
        int expected = RawLdapClient.last(direct.await(99)).resultCode();
        assertThat(RawLdapClient.last(client.await(99)).resultCode()).isEqualTo(expected);
      }
    }
  }

  // The root DSE

  @Test
  void externalIsOfferedOnlyWhereItWorks() {
    try (RawLdapClient known = person(1);
        RawLdapClient socket = local.client();
        RawLdapClient stranger = byTls("cn=stranger");
        RawLdapClient tls = RawLdapClient.connect(ldaps(), certificates.clientContext());
        RawLdapClient plain = proxy.client()) {
      for (int round = 0; round < 2; round++) {
        assertThat(offers(known)).isTrue();
        assertThat(offers(socket)).isTrue();
        assertThat(offers(stranger)).isFalse();
        assertThat(offers(tls)).isFalse();
        assertThat(offers(plain)).isFalse();
      }
      plain.startTls(context("cn=" + People.user(1) + ORGANISATION));
      assertThat(offers(plain)).isTrue();
    }
  }

  private static boolean offers(RawLdapClient client) {
    return client.call(MECHANISMS).get(0).mentions(EXTERNAL);
  }

  // Another directory

  @Test
  void ds389ActsAsTheClient() {
    try (Ds389 ds389 = Ds389.start(People.proxiedDs389(10))) {
      ServiceWatch.letActOnRoot(ds389);
      restart(setup(TlsProvider.AUTO, ds389.address().getPort()));
      try (RawLdapClient client = person(1);
          RawLdapClient socket = local.client()) {
        assertThat(client.code(BIND)).isZero();
        assertThat(whoAmI(client)).isEqualTo(dnOf(1));
        assertActsAs(client, 1);
        assertThat(client.code(Requests.extended(PASSWORD_MODIFY))).isEqualTo(UNWILLING);
        assertThat(socket.code(BIND)).isZero();
        assertActsAs(socket, BY_SOCKET);
        assertThat(offers(client)).isTrue();
      }
      restart(setup(TlsProvider.AUTO, slapd.port())); // before the directory ends
    }
  }
}
