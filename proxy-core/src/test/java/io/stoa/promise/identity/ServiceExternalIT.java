// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.identity;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.net.tls.ClientAuthentication;
import io.stoa.net.tls.TlsConfig;
import io.stoa.testing.Await;
import io.stoa.testing.Certificates;
import io.stoa.testing.Ds389;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Records;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ServiceWatch;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import io.stoa.upstream.connect.UpstreamTransport;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Stoa binds as its service account by SASL EXTERNAL, before real directories that are set up as
 * docs/reference/identity.md says.
 */
class ServiceExternalIT {
  private static final int PEOPLE = 5;
  private static final int DENIED = 123;
  private static final int INVALID = 49;
  private static final String BY_CERTIFICATE =
      "authz-regexp \"^cn=proxy,o=example$\" \"" + ServiceWatch.DN + "\"";
  private static final String BY_SOCKET =
      "authz-regexp \"^gidNumber=[0-9]+[+]uidNumber=[0-9]+,cn=peercred,cn=external,cn=auth$\" \""
          + ServiceWatch.DN
          + "\"";

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private final Certificates authority = Certificates.create();

  @AfterEach
  void removeFiles() {
    authority.close();
  }

  private SlapdConfig slapd(String policy) {
    return People.proxied(PEOPLE, policy).tls(authority, authority.server());
  }

  private ProxySetup before(Slapd slapd, String way) {
    Certificates.Pair own = authority.client("cn=proxy,o=Example");
    TlsConfig tls =
        TlsConfig.DEFAULTS.trusting(authority.ca()).identity(own.certificate(), own.key());
    UpstreamTransport transport = Records.with(UpstreamTransport.DEFAULTS, "tls", tls);
    String url =
        switch (way) {
          case "ldapi" -> slapd.ldapiUrl();
          case "ldaps" -> slapd.ldapsUrl();
          default -> slapd.url();
        };
    return ProxySetup.beforeUrls(url)
        .upstream("transport", Records.with(transport, "startTls", way.equals("startTls")))
        .upstream("identity", ServiceWatch.byPeer());
  }

  private static RawRequest own() {
    return search(People.PEOPLE).filter("(description=*)").attributes("description").request();
  }

  @ParameterizedTest
  @CsvSource({"ldapi, to", "ldaps, to", "startTls, to", "ldapi, from", "ldaps, from"})
  void slapdActsAsTheClient(String way, String policy) {
    try (Slapd slapd = Slapd.start(slapd(policy).global(BY_CERTIFICATE).global(BY_SOCKET))) {
      slapd.logOperations();
      try (RunningProxy proxy = before(slapd, way).start()) {
        assertClientIdentities(proxy);
      }
      Await.until(
          "slapd tells",
          () -> slapd.log().contains("mech=EXTERNAL") && slapd.log().contains("PROXYAUTHZ"));
    }
  }

  private static void assertClientIdentities(RunningProxy proxy) {
    try (RawLdapClient one = proxy.client().bind(People.dn(1), People.PASSWORD);
        RawLdapClient two = proxy.client().bind(People.dn(2), People.PASSWORD);
        RawLdapClient nobody = proxy.client();
        RawLdapClient bound = proxy.client()) {
      assertThat(bound.code(Requests.anonymousBind())).isZero();
      for (int round = 0; round < 2; round++) {
        assertThat(one.call(own()).get(0).mentions(People.dn(1))).isTrue();
        assertThat(two.call(own()).get(0).mentions(People.dn(2))).isTrue();
        assertThat(nobody.call(own())).hasSize(1);
        assertThat(bound.call(own())).hasSize(1);
      }
      assertThat(one.code(Requests.replace(People.dn(1), "title", "mine"))).isZero();
      assertThat(one.code(Requests.replace(People.dn(2), "title", "mine"))).isEqualTo(50);
      for (RawLdapClient each : List.of(nobody, bound)) {
        assertThat(RawLdapClient.last(each.call(Requests.whoAmI())).mentions("stoa")).isFalse();
      }
    }
  }

  /** By a local socket, where 389-ds knows its peers as entries, and root as one it is told. */
  @Test
  void ds389ActsAsTheClient() {
    try (Ds389 server = Ds389.start(People.localDs389(PEOPLE))) {
      ServiceWatch.letActOnRoot(server);
      ProxySetup setup =
          ProxySetup.beforeUrls(server.ldapiUrl()).upstream("identity", ServiceWatch.byPeer());
      try (RunningProxy proxy = setup.start()) {
        assertClientIdentities(proxy);
      }
    }
  }

  /**
   * Without a rule of slapd's the account is the peer itself, for whom nobody has said anything.
   */
  @Test
  void aPeerThatMayNotActForOthersIsDenied() {
    try (Slapd slapd = Slapd.start(slapd("to"));
        RunningProxy proxy = before(slapd, "ldaps").start();
        RawLdapClient one = proxy.client().bind(People.dn(1), People.PASSWORD)) {
      assertThat(one.code(own())).isEqualTo(DENIED);
    }
  }

  /** The account's name is nowhere in the configuration: the directory knows it. */
  @ParameterizedTest
  @ValueSource(strings = {"ldapi", "ldaps"})
  void noExternalRuleYieldsTheServiceAccount(String way) {
    Certificates.Pair server = authority.server();
    TlsConfig front =
        TlsConfig.DEFAULTS.trusting(authority.ca()).identity(server.certificate(), server.key());
    try (Slapd slapd = Slapd.start(slapd("to").global(BY_CERTIFICATE).global(BY_SOCKET))) {
      ProxySetup setup =
          before(slapd, way)
              .tls(Records.with(front, "clientAuth", ClientAuthentication.REQUEST), "127.0.0.1:0")
              .upstream("identity", ServiceWatch.byPeer("certificate * => dn:{subject}"));
      try (RunningProxy proxy = setup.start();
          RawLdapClient person = by(proxy, People.dn(1));
          RawLdapClient account = by(proxy, "CN=Stoa,DC=Example,DC=com")) {
        RawRequest bind = Requests.saslBind("EXTERNAL");
        assertThat(person.code(bind)).isZero();
        assertThat(person.call(own()).get(0).mentions(People.dn(1))).isTrue();
        assertThat(account.code(bind)).isEqualTo(INVALID);
        assertThat(account.call(own())).hasSize(1);
      }
    }
  }

  private RawLdapClient by(RunningProxy proxy, String subject) {
    return proxy.client().startTls(authority.clientContext(authority.client(subject)));
  }

  @Test
  void aServerThatDoesNotKnowThePeerIsNotUsed() {
    try (Slapd slapd = Slapd.start(slapd("to").global("TLSVerifyClient never"));
        RunningProxy proxy = before(slapd, "ldaps").startWithoutUpstream()) {
      proxy.awaitReason(1, "result code");
      assertThat(proxy.status().ready()).isFalse();
    }
  }
}
