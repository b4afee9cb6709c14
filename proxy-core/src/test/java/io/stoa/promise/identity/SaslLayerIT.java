// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.DIGESTMD5BindRequest;
import com.unboundid.ldap.sdk.DIGESTMD5BindRequestProperties;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SASLQualityOfProtection;
import com.unboundid.ldap.sdk.extensions.WhoAmIExtendedRequest;
import com.unboundid.ldap.sdk.extensions.WhoAmIExtendedResult;
import io.stoa.net.tls.TlsConfig;
import io.stoa.testing.Answer;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.Certificates;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.Records;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.ServiceWatch;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import io.stoa.testing.SocketRelay;
import io.stoa.upstream.connect.UpstreamTransport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Where slapd knows Stoa by the connection, a client that got a security layer could bind by
 * EXTERNAL inside it, unseen, and be Stoa: there it gets none.
 */
class SaslLayerIT {
  private static final String BY_PEER =
      """
      authz-regexp "^cn=proxy,o=example$" "%1$s"
      authz-regexp "^gidNumber=[0-9]+[+]uidNumber=[0-9]+,cn=peercred,cn=external,cn=auth$" "%1$s"
      """
          .formatted(ServiceWatch.DN);

  private static final String USERS =
      """
      sasl-host localhost
      sasl-secprops none
      authz-regexp "^uid=([^,]+),(cn=[^,]+,)*cn=auth$" "uid=$1,ou=people,dc=example,dc=com"
      """;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private static Certificates authority;
  private static Slapd slapd;

  @BeforeAll
  static void startSlapd() {
    authority = Certificates.create();
    SlapdConfig config = People.proxied(3, "to").global(USERS + BY_PEER);
    slapd = Slapd.start(config.tls(authority, authority.server()));
  }

  @AfterAll
  static void stopSlapd() {
    slapd.close();
    authority.close();
  }

  /** Over the way, with a certificate of Stoa's or without. */
  private static ProxySetup before(String way, boolean certificate) {
    Certificates.Pair own = authority.client("cn=proxy,o=Example");
    TlsConfig trusting = TlsConfig.DEFAULTS.trusting(authority.ca());
    TlsConfig tls = certificate ? trusting.identity(own.certificate(), own.key()) : trusting;
    UpstreamTransport transport = Records.with(UpstreamTransport.DEFAULTS, "tls", tls);
    return ProxySetup.beforeUrls(url(way))
        .upstream("transport", Records.with(transport, "startTls", way.equals("startTls")));
  }

  private static String url(String way) {
    return switch (way) {
      case "ldapi" -> slapd.ldapiUrl();
      case "ldaps" -> slapd.ldapsUrl();
      case "plain", "startTls" -> slapd.url();
      default -> way;
    };
  }

  private static LDAPConnection bound(RunningProxy proxy, SASLQualityOfProtection layer)
      throws LDAPException {
    DIGESTMD5BindRequestProperties properties =
        new DIGESTMD5BindRequestProperties(People.user(1), People.PASSWORD);
    properties.setAllowedQoP(layer);
    LDAPConnection client = new LDAPConnection("127.0.0.1", proxy.address().getPort());
    client.bind(new DIGESTMD5BindRequest(properties));
    return client;
  }

  private static String whoAmI(LDAPConnection client) throws LDAPException {
    WhoAmIExtendedResult who =
        (WhoAmIExtendedResult) client.processExtendedOperation(new WhoAmIExtendedRequest());
    return who.getAuthorizationID();
  }

  @ParameterizedTest
  @CsvSource({
    "ldapi, false, false",
    "ldapi, false, true",
    "ldaps, true, false",
    "ldaps, true, true",
    "startTls, true, false",
    "startTls, true, true"
  })
  void noLayerIsNegotiatedIfSlapdKnowsStoasPeer(String way, boolean certificate, boolean proxied)
      throws LDAPException {
    long before = slapd.connections();
    ProxySetup setup = before(way, certificate);
    setup = proxied ? setup.upstream("identity", ServiceWatch.byPeer()) : setup;
    try (RunningProxy proxy = setup.start();
        LDAPConnection layered = bound(proxy, SASLQualityOfProtection.AUTH_INT);
        LDAPConnection without = bound(proxy, SASLQualityOfProtection.AUTH)) {
      assertThatThrownBy(() -> whoAmI(layered)).isInstanceOf(LDAPException.class);
      Await.until("it is disconnected", () -> proxy.status().connections() == 1);
      assertThat(whoAmI(without)).isEqualTo("dn:" + People.dn(1));
      assertThat(without.getEntry(People.dn(1), "description").getAttributes()).hasSize(1);
    }
    Await.until("the connections have ended", () -> slapd.connections() <= before);
    assertThat(log.warnings()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"plain, false", "plain, true", "ldaps, false", "startTls, false"})
  void aLayerIsTunneledIfSlapdDoesNotKnowStoasPeer(String way, boolean certificate)
      throws LDAPException {
    try (RunningProxy proxy = before(way, certificate).start();
        LDAPConnection layered = bound(proxy, SASLQualityOfProtection.AUTH_INT)) {
      assertThat(whoAmI(layered)).isEqualTo("dn:" + People.dn(1));
      assertThat(layered.getEntry(People.dn(1), "description").getAttributes()).hasSize(1);
      assertThat(proxy.cache().filterMisses()).isZero();
    }
  }

  /** The layer may show itself first in what the server sends: none of it reaches the client. */
  @Test
  void serverOctetsUnderAnUnexpectedLayerEndTheClient() {
    byte[] wrapped = {0, 0, 0, 3, 'a', 'b', 'c'};
    Answer layered = Answers.success().then((request, link) -> link.sendOctets(wrapped));
    try (ScriptedUpstream upstream = ScriptedUpstream.start();
        SocketRelay tls =
            SocketRelay.tls(authority.clientContext(authority.server()), upstream.port());
        RunningProxy proxy = before("ldaps://127.0.0.1:" + tls.address().getPort(), true).start();
        RawLdapClient client = proxy.client()) {
      upstream.when(request -> request.message().mentions("X-LAYER"), layered);
      assertThat(client.code(Requests.saslBind("X-LAYER", "token"))).isZero();
      assertThat(client.drain()).isEmpty();
    }
    assertThat(log.warnings()).isEmpty();
  }
}
