// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.identity;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.net.tls.TlsConfig;
import io.stoa.testing.Await;
import io.stoa.testing.Certificates;
import io.stoa.testing.DirectoryServer;
import io.stoa.testing.Ds389;
import io.stoa.testing.Ds389Config;
import io.stoa.testing.Kerberos;
import io.stoa.testing.LdapCommand;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** ldapsearch and a real slapd with a real KDC: GSSAPI through Stoa, with and without a layer. */
class KerberosIT {
  private static final int PEOPLE = 300;
  private static final String NO_LAYER = "maxssf=0";

  private static Certificates certificates;
  private static Kerberos kerberos;
  private static Slapd slapd;

  private RunningProxy proxy;

  @BeforeAll
  static void startServers() {
    certificates = Certificates.create();
    kerberos = Kerberos.start(People.user(1), People.user(2));
    slapd = Slapd.start(People.saslSlapd(PEOPLE).environment(kerberos.service()));
  }

  @AfterAll
  static void stopServers() {
    slapd.close();
    kerberos.close();
    certificates.close();
  }

  @BeforeEach
  void start() throws UnknownHostException {
    // What libldap takes localhost for.
    InetAddress self = InetAddress.getLocalHost();
    Certificates.Pair own =
        certificates.server("localhost", self.getHostName(), self.getCanonicalHostName());
    proxy =
        ProxySetup.before(slapd.port())
            .maxAge(Duration.ofHours(1))
            .tls(TlsConfig.DEFAULTS.identity(own.certificate(), own.key()), "127.0.0.1:0")
            .start();
  }

  @AfterEach
  void stop() {
    proxy.close();
  }

  private String run(int person, String mechanism, String properties, String... program) {
    return at(through("localhost"), person, mechanism, properties, program);
  }

  private String through(String host) {
    return "ldap://" + host + ":" + proxy.address().getPort();
  }

  private static String at(
      String url, int person, String mechanism, String properties, String... program) {
    List<String> command = new ArrayList<>();
    command.add(program[0]);
    command.addAll(List.of("-Q", "-N", "-Y", mechanism, "-O", properties, "-H", url));
    command.addAll(List.of(program).subList(1, program.length));
    Map<String, String> environment = new HashMap<>(kerberos.client(People.user(person)));
    environment.put("LDAPTLS_CACERT", certificates.ca().toString());
    return LdapCommand.run(environment, command.toArray(String[]::new)).text();
  }

  private String describe(int reader, String properties, int person) {
    return run(
        reader,
        "GSSAPI",
        properties,
        "ldapsearch",
        "-LLL",
        "-o",
        "ldif-wrap=no",
        "-s",
        "base",
        "-b",
        People.dn(person),
        "description");
  }

  @ParameterizedTest
  @ValueSource(strings = {"GSSAPI", "GSS-SPNEGO"})
  void theClientHasTheDirectorysIdentity(String mechanism) {
    for (String layer : List.of(NO_LAYER, "minssf=1,maxssf=1", "minssf=56")) {
      assertThat(run(1, mechanism, layer, "ldapwhoami")).isEqualTo("dn:" + People.dn(1) + "\n");
    }
  }

  /** As SSSD does it: TLS first, so that no layer is needed. */
  @ParameterizedTest
  @ValueSource(strings = {"GSSAPI", "GSS-SPNEGO"})
  void clientsInsideTlsAreServedFromTheCache(String mechanism) {
    assertThat(run(1, mechanism, NO_LAYER, "ldapwhoami", "-ZZ"))
        .isEqualTo("dn:" + People.dn(1) + "\n");
    for (int i = 0; i < 2; i++) {
      String entry =
          run(1, mechanism, NO_LAYER, "ldapsearch", "-ZZ", "-LLL", "-b", People.dn(1), "mail");
      assertThat(entry).contains("mail: user.1@example.com");
    }
    assertThat(proxy.cache().filterHits()).isEqualTo(1);
  }

  @Test
  void clientsWithoutALayerAreServedFromTheCache() {
    assertThat(describe(1, NO_LAYER, 1)).contains("description: " + People.dn(1));
    assertThat(describe(1, NO_LAYER, 1)).contains("description: " + People.dn(1));
    assertThat(describe(2, NO_LAYER, 1)).doesNotContain("description");
    assertThat(describe(2, NO_LAYER, 1)).doesNotContain("description");
    assertThat(proxy.cache().filterMisses()).isEqualTo(2);
    assertThat(proxy.cache().filterHits()).isEqualTo(2);
  }

  /** The key is in the keytab, but slapd has one name, and takes tickets for no other. */
  @Test
  void aTicketForStoasNameIsRefusedByASlapdWithOneName() {
    String other = Kerberos.OTHER_HOST;
    String direct = at("ldap://" + other + ":" + slapd.port(), 1, "GSSAPI", NO_LAYER, "ldapwhoami");
    assertThat(direct).contains("Invalid credentials (49)");
    assertThat(at(through(other), 1, "GSSAPI", NO_LAYER, "ldapwhoami")).isEqualTo(direct);
  }

  @Test
  void aTicketForStoasNameIsGoodWhereEveryNameOfTheKeytabIs() {
    SlapdConfig config = People.saslSlapd(3).environment(kerberos.serviceOfAnyName());
    try (Slapd named = Slapd.start(config)) {
      assertTakesEveryName(named, "dn:" + People.dn(1));
    }
  }

  @Test
  void aTicketForAnyKeytabNameIsAcceptedByDs389() {
    Ds389Config config = People.proxiedDs389(3).saslNames(People.SUFFIX);
    try (Ds389 named = Ds389.start(config.environment(kerberos.serviceOfAnyName()))) {
      assertTakesEveryName(named, "dn: " + People.dn(1));
    }
  }

  private static void assertTakesEveryName(DirectoryServer named, String identity) {
    String direct = "ldap://localhost:" + named.address().getPort();
    try (RunningProxy before = ProxySetup.before(named.address().getPort()).start()) {
      String stoa = ":" + before.address().getPort();
      for (String url :
          List.of(direct, "ldap://localhost" + stoa, "ldap://" + Kerberos.OTHER_HOST + stoa)) {
        assertIs(identity, url, NO_LAYER);
        assertIs(identity, url, "minssf=56");
      }
    }
  }

  private static void assertIs(String identity, String url, String layer) {
    for (String mechanism : List.of("GSSAPI", "GSS-SPNEGO")) {
      assertThat(at(url, 1, mechanism, layer, "ldapwhoami")).isEqualTo(identity + "\n");
    }
  }

  @Test
  void noLayerIsNegotiatedIfSlapdKnowsStoasPeer() {
    proxy.close();
    proxy = ProxySetup.beforeUrls(slapd.ldapiUrl()).start();
    assertThat(run(1, "GSSAPI", NO_LAYER, "ldapwhoami")).isEqualTo("dn:" + People.dn(1) + "\n");
    for (String layer : List.of("minssf=1,maxssf=1", "minssf=56")) {
      assertThat(run(1, "GSSAPI", layer, "ldapwhoami")).doesNotContain("dn:");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"minssf=1,maxssf=1", "minssf=56"})
  void requestsUnderALayerBypassTheCache(String layer) {
    long before = slapd.connections();
    String all =
        run(1, "GSSAPI", layer, "ldapsearch", "-LLL", "-s", "one", "-b", People.PEOPLE, "uid");
    assertThat(all.lines().filter(line -> line.startsWith("uid: "))).hasSize(PEOPLE);
    assertThat(describe(1, layer, 1)).contains("description: " + People.dn(1));
    assertThat(describe(2, layer, 1)).doesNotContain("description");
    assertThat(proxy.cache().filterMisses()).isZero();
    Await.until("the connections have ended", () -> slapd.connections() <= before);
  }
}
