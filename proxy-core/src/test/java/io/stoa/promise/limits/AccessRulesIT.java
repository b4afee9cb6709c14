// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.limits;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.LDAPConnection;
import io.stoa.client.access.AccessOperation;
import io.stoa.client.access.AccessRules;
import io.stoa.client.access.ClientAccessRule;
import io.stoa.client.access.ClientAccessRule.ClientCondition;
import io.stoa.client.access.ClientAccessRule.RequestCondition;
import io.stoa.client.listener.ListenerConfig;
import io.stoa.net.peer.Network;
import io.stoa.net.transport.InvalidConfigException;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.SaslBinds;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Access rules deny operations, by client and by operation, before a real directory. */
class AccessRulesIT {
  private static final int DENIED = 50;
  private static final int UNWILLING = 53;
  private static final int INAPPROPRIATE = 48;
  private static final int METHOD_UNSUPPORTED = 7;
  private static final int NO_SUCH_OBJECT = 32;
  private static final String PASSWORD_MODIFY = "1.3.6.1.4.1.4203.1.11.1";
  private static final String WHO_AM_I = "1.3.6.1.4.1.4203.1.11.3";

  private static Slapd slapd;
  private static Slapd sasl;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  @BeforeAll
  static void start() {
    slapd = Slapd.start(People.slapd(3));
    slapd.logOperations();
    sasl = Slapd.start(People.saslSlapd(3));
  }

  @AfterAll
  static void stop() {
    slapd.close();
    sasl.close();
  }

  private static ClientCondition identities(String... all) {
    return new ClientCondition(List.of(), List.of(), null, List.of(all));
  }

  private static ClientCondition networks(String... all) {
    List<Network> parsed = List.of(all).stream().map(Network::parse).toList();
    return new ClientCondition(parsed, List.of(), null, List.of());
  }

  private static RequestCondition operations(AccessOperation... all) {
    return new RequestCondition(Set.of(all), List.of(), List.of(), List.of());
  }

  private static RequestCondition bases(String... all) {
    return new RequestCondition(Set.of(), List.of(), List.of(all), List.of());
  }

  private static RequestCondition methods(String... all) {
    return new RequestCondition(Set.of(), List.of(), List.of(), List.of(all));
  }

  private static ClientAccessRule deny(ClientCondition client, RequestCondition request) {
    return new ClientAccessRule("no", client, request, false);
  }

  private static ClientAccessRule allow(ClientCondition client, RequestCondition request) {
    return new ClientAccessRule("yes", client, request, true);
  }

  private static ProxySetup rules(ClientAccessRule... all) {
    return ProxySetup.before(slapd.port()).rules(new AccessRules(List.of(all), false));
  }

  private static RawRequest read(String dn) {
    return search(dn).baseScope().request();
  }

  private static RawRequest subtree(String dn) {
    return search(dn).request();
  }

  // Operations

  @Test
  void aDeniedOperationReachesNeitherTheDirectoryNorTheCache() {
    RawRequest marked = search(People.dn(1)).baseScope().filter("(cn=never-sent)").request();
    try (RunningProxy proxy = rules(deny(ClientCondition.ANY, bases(People.dn(1)))).start();
        RawLdapClient client = proxy.client()) {
      assertThat(client.code(marked)).isEqualTo(DENIED);
      assertThat(client.code(marked)).isEqualTo(DENIED);
      assertThat(client.code(read(People.dn(2)))).isZero();
      assertThat(slapd.log()).contains(People.dn(2)).doesNotContain("never-sent");
    }
  }

  @Test
  void cachedResultsAreDeniedAsSoonAsTheRulesChange() {
    ProxySetup open = rules();
    ProxySetup closed = rules(deny(ClientCondition.ANY, operations(AccessOperation.SEARCH)));
    try (RunningProxy proxy = open.start();
        RawLdapClient client = proxy.client()) {
      assertThat(client.code(read(People.dn(1)))).isZero();
      assertThat(client.code(read(People.dn(1)))).isZero();
      proxy.proxy().reconfigure(closed.config());
      assertThat(client.code(read(People.dn(1)))).isEqualTo(DENIED);
      proxy.proxy().reconfigure(open.config());
      assertThat(client.code(read(People.dn(1)))).isZero();
    }
  }

  @Test
  void eachKindOfOperationCanBeDenied() {
    try (RunningProxy proxy =
            rules(
                    deny(
                        ClientCondition.ANY,
                        operations(
                            AccessOperation.COMPARE,
                            AccessOperation.ADD,
                            AccessOperation.DELETE,
                            AccessOperation.MODIFY,
                            AccessOperation.MODIFY_DN,
                            AccessOperation.EXTENDED)))
                .start();
        RawLdapClient client = proxy.client()) {
      client.bind(People.ROOT, SlapdConfig.ROOT_PASSWORD);
      String dn = People.dn(1);
      assertThat(client.code(Requests.compare(dn, "cn", "x"))).isEqualTo(DENIED);
      assertThat(client.code(Requests.add("cn=a," + People.PEOPLE, "objectClass: x")))
          .isEqualTo(DENIED);
      assertThat(client.code(Requests.delete(dn))).isEqualTo(DENIED);
      assertThat(client.code(Requests.replace(dn, "sn", "x"))).isEqualTo(DENIED);
      assertThat(client.code(Requests.rename(dn, "uid=x", true))).isEqualTo(DENIED);
      assertThat(client.code(Requests.extended(PASSWORD_MODIFY))).isEqualTo(DENIED);
      assertThat(client.code(Requests.extended(WHO_AM_I))).isZero();
      assertThat(client.code(read(dn))).isZero();
    }
  }

  @Test
  void theFirstRuleThatAppliesDecides() {
    ClientCondition root = identities(People.ROOT);
    try (RunningProxy proxy =
            rules(
                    allow(root, RequestCondition.ANY),
                    deny(ClientCondition.ANY, operations(AccessOperation.MODIFY)))
                .start();
        RawLdapClient client = proxy.client();
        RawLdapClient user = proxy.client()) {
      client.bind(People.ROOT.toUpperCase(Locale.ROOT), SlapdConfig.ROOT_PASSWORD);
      user.bind(People.dn(1), People.PASSWORD);
      assertThat(client.code(Requests.replace(People.dn(1), "sn", "new"))).isZero();
      assertThat(user.code(Requests.replace(People.dn(1), "sn", "new"))).isEqualTo(DENIED);
    }
  }

  // Bases

  @ParameterizedTest
  @ValueSource(
      strings = {
        "uid=user.1,ou=people,dc=example,dc=com",
        "UID=USER.1 , OU=People,dc=example,dc=com",
        "userid=user.1,ou=people,dc=example,dc=com",
        "0.9.2342.19200300.100.1.1=user.1,ou=people,dc=example,dc=com",
        "uid=user\\2e1,ou=\\70eople,dc=example,dc=com",
        "uid=\"user.1\",ou=people,dc=example,dc=com",
        "<SID=1-2-3>"
      })
  void noSpellingOfANameEvadesARule(String name) {
    try (RunningProxy proxy = rules(deny(ClientCondition.ANY, bases(People.PEOPLE))).start();
        RawLdapClient client = proxy.client()) {
      assertThat(client.code(read(name))).isEqualTo(DENIED);
    }
  }

  @Test
  void aSearchThatReachesIntoADeniedSubtreeIsDenied() {
    try (RunningProxy proxy = rules(deny(ClientCondition.ANY, bases(People.dn(1)))).start();
        RawLdapClient client = proxy.client()) {
      assertThat(client.code(subtree(People.SUFFIX))).isEqualTo(DENIED);
      assertThat(client.code(search(People.PEOPLE).oneLevel().request())).isEqualTo(DENIED);
      assertThat(client.code(search(People.SUFFIX).oneLevel().request())).isZero();
      assertThat(client.code(read(People.PEOPLE))).isZero();
      assertThat(client.code(read(""))).isZero();
    }
  }

  @Test
  void onlyOperationsInsideAnAllowedSubtreeAreAllowed() {
    try (RunningProxy proxy =
            rules(
                    allow(ClientCondition.ANY, bases(People.PEOPLE)),
                    deny(ClientCondition.ANY, RequestCondition.ANY))
                .start();
        RawLdapClient client = proxy.client()) {
      assertThat(client.code(read("UID=user.1,OU=people,DC=example,DC=com"))).isZero();
      assertThat(client.code(subtree(People.PEOPLE))).isZero();
      assertThat(client.code(subtree(People.SUFFIX))).isEqualTo(DENIED);
      assertThat(client.code(read(""))).isEqualTo(DENIED);
      assertThat(client.code(read("cn=x\\,ou=people,dc=example,dc=com"))).isEqualTo(DENIED);
    }
  }

  @Test
  void aRenameCountsWithItsEntryItsNewSuperiorAndItsNewName() {
    String closed = "ou=closed," + People.SUFFIX;
    ClientAccessRule rule = deny(ClientCondition.ANY, bases(closed));
    try (RunningProxy proxy = rules(rule).start();
        RawLdapClient client = proxy.client()) {
      client.bind(People.ROOT, SlapdConfig.ROOT_PASSWORD);
      assertThat(client.code(Requests.move(People.dn(2), "uid=user.2", closed))).isEqualTo(DENIED);
      assertThat(client.code(Requests.rename(People.PEOPLE, "ou=closed", true))).isEqualTo(DENIED);
      assertThat(client.code(Requests.rename("uid=a," + closed, "uid=b", true))).isEqualTo(DENIED);
      assertThat(client.code(Requests.rename("uid=absent," + People.PEOPLE, "uid=b", true)))
          .isEqualTo(NO_SUCH_OBJECT);
    }
  }

  // Clients

  @Test
  void networksListenersAndTlsAreConditions() {
    try (RunningProxy proxy =
            rules(
                    allow(networks("127.0.0.1"), RequestCondition.ANY),
                    deny(
                        new ClientCondition(
                            List.of(), List.of("127.0.0.1:0"), false, List.of("anonymous")),
                        operations(AccessOperation.SEARCH)))
                .start();
        RawLdapClient near = proxy.client();
        RawLdapClient far = RawLdapClient.from("127.0.0.2", proxy.address())) {
      assertThat(near.code(read(People.dn(1)))).isZero();
      assertThat(far.code(read(People.dn(1)))).isEqualTo(DENIED);
      far.bind(People.dn(1), People.PASSWORD);
      assertThat(far.code(read(People.dn(1)))).isZero();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "uid=user.1,ou=people,dc=example,dc=com | true",
        "UID=user.1,ou=people,dc=example,dc=com | true",
        "*,ou=people,dc=example,dc=com | true",
        "**,dc=example,dc=com | true",
        "*,dc=example,dc=com | false",
        "uid=user.2,ou=people,dc=example,dc=com | false",
        "anonymous | false"
      })
  void identitiesAreDnsAndPatterns(String pattern, boolean denied) {
    ClientAccessRule rule = deny(identities(pattern), operations(AccessOperation.SEARCH));
    try (RunningProxy proxy = rules(rule).start();
        RawLdapClient client = proxy.client()) {
      client.bind(People.dn(1), People.PASSWORD);
      assertThat(client.code(read(People.dn(1)))).isEqualTo(denied ? DENIED : 0);
    }
  }

  @Test
  void anAdministratorOfTheDirectoryBindsFromItsOwnNetworkOnly() {
    try (RunningProxy proxy =
            rules(
                    allow(networks("127.0.0.1"), RequestCondition.ANY),
                    deny(identities(People.ROOT), RequestCondition.ANY))
                .start();
        RawLdapClient near = proxy.client();
        RawLdapClient far = RawLdapClient.from("127.0.0.2", proxy.address())) {
      assertThat(near.code(Requests.bind(People.ROOT, SlapdConfig.ROOT_PASSWORD))).isZero();
      assertThat(far.code(Requests.bind(People.ROOT, SlapdConfig.ROOT_PASSWORD)))
          .isEqualTo(INAPPROPRIATE);
      assertThat(far.code(Requests.bind("root@example", "x"))).isEqualTo(INAPPROPRIATE);
      assertThat(far.code(Requests.bind(People.dn(1), People.PASSWORD))).isZero();
    }
  }

  // Bind methods

  @Test
  void eachBindMethodHasItsCode() {
    try (RunningProxy proxy =
            rules(deny(ClientCondition.ANY, methods("anonymous", "unauthenticated", "plain")))
                .start();
        RawLdapClient client = proxy.client()) {
      assertThat(client.code(Requests.anonymousBind())).isEqualTo(INAPPROPRIATE);
      assertThat(client.code(Requests.bind(People.dn(1), ""))).isEqualTo(UNWILLING);
      assertThat(client.code(Requests.saslBind("PLAIN", "\0a\0b"))).isEqualTo(METHOD_UNSUPPORTED);
      assertThat(client.code(Requests.bind(People.dn(1), People.PASSWORD))).isZero();
      assertThat(client.code(read(People.dn(1)))).isZero();
    }
  }

  @Test
  void rulesApplyToTheIdentityAfterASaslBind() throws Exception {
    ClientAccessRule rule =
        deny(identities("**," + People.SUFFIX), operations(AccessOperation.SEARCH));
    ClientAccessRule extended = deny(ClientCondition.ANY, operations(AccessOperation.EXTENDED));
    ProxySetup setup =
        ProxySetup.before(sasl.port()).rules(new AccessRules(List.of(rule, extended), false));
    try (RunningProxy proxy = setup.start();
        LDAPConnection client = new LDAPConnection("127.0.0.1", proxy.address().getPort())) {
      client.bind(SaslBinds.of("SCRAM-SHA-256", People.user(1), People.PASSWORD));
      assertThatThrownBy(() -> client.getEntry(People.dn(1))).hasMessageContaining("access rule");
      assertThat(SaslBinds.whoAmI(client)).containsIgnoringCase(People.dn(1));
    }
  }

  // Read-only

  @Test
  void aReadOnlyProxyRefusesEverythingThatMayWrite() {
    ProxySetup writable = rules();
    ProxySetup readOnly = writable.rules(new AccessRules(List.of(), true));
    try (RunningProxy proxy = readOnly.start();
        RawLdapClient client = proxy.client()) {
      client.bind(People.ROOT, SlapdConfig.ROOT_PASSWORD);
      List<RawMessage> answer = client.call(Requests.replace(People.dn(1), "sn", "x"));
      assertThat(RawLdapClient.last(answer).resultCode()).isEqualTo(UNWILLING);
      assertThat(RawLdapClient.last(answer).mentions("read-only")).isTrue();
      assertThat(client.code(Requests.extended(PASSWORD_MODIFY))).isEqualTo(UNWILLING);
      assertThat(client.code(Requests.extended("1.2.3.4"))).isEqualTo(UNWILLING);
      assertThat(client.code(Requests.extended(WHO_AM_I))).isZero();
      assertThat(client.code(Requests.delete(People.dn(1)))).isEqualTo(UNWILLING);
      assertThat(client.code(read(People.dn(1)))).isZero();
      proxy.proxy().reconfigure(writable.config());
      assertThat(client.code(Requests.replace(People.dn(1), "sn", "x"))).isZero();
    }
  }

  @Test
  void noRuleSeemsToHoldForConnectionsThatStoaCannotRead() {
    ProxySetup unread =
        ProxySetup.beforeUrls("ldaps://127.0.0.1:636")
            .access(
                "listeners",
                List.of(
                    ListenerConfig.parse("passthrough://127.0.0.1:0"),
                    ListenerConfig.parse("127.0.0.1:1")));
    assertThatThrownBy(() -> unread.rules(new AccessRules(List.of(), true)).config())
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("readOnly does not hold");
    ClientAccessRule rule = deny(ClientCondition.ANY, RequestCondition.ANY);
    assertThatThrownBy(() -> unread.rules(new AccessRules(List.of(rule), false)).config())
        .hasMessageContaining("name other listeners");
    ClientCondition other = new ClientCondition(List.of(), List.of("127.0.0.1:1"), null, List.of());
    ClientAccessRule readable = deny(other, RequestCondition.ANY);
    assertThat(unread.rules(new AccessRules(List.of(readable), false)).config()).isNotNull();
  }
}
