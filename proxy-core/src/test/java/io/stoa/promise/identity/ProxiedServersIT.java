// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.identity;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.controls.AuthorizationIdentityRequestControl;
import com.unboundid.ldap.sdk.controls.ProxiedAuthorizationV2RequestControl;
import io.stoa.testing.DirectoryServer;
import io.stoa.testing.Ds389;
import io.stoa.testing.Ds389Config;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Ldif;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ServiceWatch;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import io.stoa.testing.Tlv;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Proxied-authorization mode before real directories, set up as docs/reference/identity.md says.
 */
class ProxiedServersIT {
  private static final String SUFFIX = People.SUFFIX;
  private static final String ANNA = "uid=anna," + SUFFIX;
  private static final String BERT = "uid=bert," + SUFFIX;
  private static final String STRANGER = "cn=stranger," + SUFFIX;
  private static final String WHO_AM_I = "1.3.6.1.4.1.4203.1.11.3";
  private static final String PASSWORD_MODIFY = "1.3.6.1.4.1.4203.1.11.1";
  private static final int AUTHORIZATION_DENIED = 123;
  private static final int INSUFFICIENT_ACCESS = 50;
  private static final RawRequest OWN =
      search(SUFFIX).filter("(description=*)").attributes("description").request();

  @RegisterExtension final ExpectedLog log = new ExpectedLog();
  @TempDir Path directory;

  private static SlapdConfig slapd() {
    String access =
        """
        access to attrs=userPassword by anonymous auth by self write by * none
        access to attrs=description by self write by * none
        access to * by * read
        """;
    String all = "authzTo: dn.regex:^uid=[^,]+," + SUFFIX + "$";
    return SlapdConfig.stock()
        .global("authz-policy to")
        .database(SUFFIX, access, people(new Ldif(), "objectClass: domain").entry(all));
  }

  private static Ds389Config ds389() {
    return Ds389Config.stock()
        .database(
            SUFFIX,
            people(
                    Ldif.forDs389(),
                    "objectClass: domain",
                    aci("(targetattr!=\"description || aci\")", "read,search,compare", "anyone"),
                    aci("(targetattr=\"description\")", "read,search,compare,write", "self"),
                    aci("(targetattr=\"userPassword\")", "write", "self"),
                    aci("(targetattr=\"*\")", "proxy", ServiceWatch.DN))
                .entry(""));
  }

  private static String aci(String target, String rights, String who) {
    return "aci: %s(version 3.0; acl \"a rule\"; allow (%s) userdn=\"ldap:///%s\";)"
        .formatted(target, rights, who);
  }

  /** A directory whose service account gets one line more. */
  private record Content(Ldif ldif) {
    Ldif entry(String more) {
      String[] lines = {
        "objectClass: inetOrgPerson",
        "cn: stoa",
        "sn: Stoa",
        "userPassword: " + ServiceWatch.PASSWORD,
        more
      };
      ldif.entry(ServiceWatch.DN, more.isEmpty() ? Arrays.copyOf(lines, 4) : lines);
      return ldif;
    }
  }

  private static Content people(Ldif ldif, String... suffix) {
    ldif.entry(
        SUFFIX,
        Stream.concat(Stream.of("dc: example"), Arrays.stream(suffix)).toArray(String[]::new));
    for (String dn : List.of(ANNA, BERT, STRANGER)) {
      String name = dn.substring(dn.indexOf('=') + 1, dn.indexOf(','));
      ldif.entry(
          dn,
          "objectClass: inetOrgPerson",
          "uid: " + name,
          "cn: " + name,
          "sn: " + name,
          "description: only for " + name,
          "userPassword: pw-" + name);
    }
    return new Content(ldif);
  }

  private void before(DirectoryServer server, boolean keepPasswords, Consumer<RunningProxy> test) {
    ProxySetup setup =
        ProxySetup.before(server.address().getPort())
            .upstream("identity", ServiceWatch.identity(directory))
            .upstream("keepPasswords", keepPasswords);
    try (RunningProxy proxy = setup.start()) {
      test.accept(proxy);
    }
  }

  @Test
  void slapdActsAsTheClient() {
    try (Slapd slapd = Slapd.start(slapd())) {
      before(slapd, true, ProxiedServersIT::assertActsAsClient);
      before(slapd, true, ProxiedServersIT::assertStrangerIsDenied);
      before(slapd, false, ProxiedServersIT::assertActsAsClient);
    }
  }

  @Test
  void ds389ActsAsTheClient() {
    try (Ds389 server = Ds389.start(ds389())) {
      ServiceWatch.letActOnRoot(server);
      before(server, true, ProxiedServersIT::assertActsAsClient);
      before(server, true, ProxiedServersIT::assertRootDseAndSchemaAreReadable);
      before(server, true, ProxiedServersIT::assertBindReturnsAuthorizationIdentity);
      before(server, false, ProxiedServersIT::assertActsAsClient);
    }
  }

  private static void assertActsAsClient(RunningProxy proxy) {
    try (RawLdapClient anna = proxy.client().bind(ANNA, "pw-anna");
        RawLdapClient bert = proxy.client().bind(BERT, "pw-bert");
        RawLdapClient nobody = proxy.client()) {
      for (int round = 0; round < 2; round++) {
        assertThat(text(anna.call(OWN))).contains("only for anna").doesNotContain("for bert");
        assertThat(text(bert.call(OWN))).contains("only for bert").doesNotContain("for anna");
        assertThat(text(nobody.call(OWN))).doesNotContain("only for");
      }
      assertThat(anna.code(Requests.replace(BERT, "description", "x")))
          .isEqualTo(INSUFFICIENT_ACCESS);
      assertThat(anna.code(Requests.replace(ANNA, "description", "only for anna"))).isZero();
      assertThat(anna.code(Requests.delete(BERT))).isEqualTo(INSUFFICIENT_ACCESS);
    }
  }

  /** What every client of a directory reads first. */
  private static void assertRootDseAndSchemaAreReadable(RunningProxy proxy) {
    try (RawLdapClient anna = proxy.client().bind(ANNA, "pw-anna")) {
      assertThat(anna.call(search("").baseScope().request())).hasSize(2);
      assertThat(anna.call(search("cn=schema").baseScope().request())).hasSize(2);
    }
  }

  private static String text(List<RawMessage> messages) {
    return messages.toString();
  }

  private static void assertStrangerIsDenied(RunningProxy proxy) {
    try (RawLdapClient stranger = proxy.client().bind(STRANGER, "pw-stranger")) {
      assertThat(stranger.code(OWN)).isEqualTo(AUTHORIZATION_DENIED);
    }
  }

  private static void assertBindReturnsAuthorizationIdentity(RunningProxy proxy) {
    try (RawLdapClient anna = proxy.client()) {
      RawRequest bind =
          Requests.bind(ANNA, "pw-anna").with(new AuthorizationIdentityRequestControl());
      assertThat(text(anna.call(bind))).contains("2.16.840.1.113730.3.4.15").contains(ANNA);
    }
  }

  @Test
  void extendedOperationsAreTheClients() {
    try (Slapd slapd = Slapd.start(slapd());
        Ds389 ds389 = Ds389.start(ds389())) {
      before(slapd, true, ProxiedServersIT::whoAmIAndPasswordModify);
      before(ds389, true, ProxiedServersIT::whoAmI);
    }
  }

  private static void whoAmI(RunningProxy proxy) {
    try (RawLdapClient anna = proxy.client().bind(ANNA, "pw-anna")) {
      assertThat(text(anna.call(Requests.extended(WHO_AM_I)))).contains(ANNA);
    }
  }

  private static void whoAmIAndPasswordModify(RunningProxy proxy) {
    whoAmI(proxy);
    byte[] value = Tlv.hex("3010 8107 70772d616e6e61 8205 706f707579");
    try (RawLdapClient anna = proxy.client().bind(ANNA, "pw-anna")) {
      assertThat(anna.code(Requests.extended(PASSWORD_MODIFY, value))).isZero();
    }
    proxy.client().bind(ANNA, "popuy").close();
    proxy.client().bind(BERT, "pw-bert").close();
  }

  /** Who may not proxy in the directory cannot through Stoa, which may. */
  @Test
  void aClientsOwnRightToProxyIsAllThatCounts() {
    try (Slapd slapd = Slapd.start(slapd())) {
      before(
          slapd,
          true,
          proxy -> {
            try (RawLdapClient anna = proxy.client().bind(ANNA, "pw-anna")) {
              RawRequest asBert = OWN.with(new ProxiedAuthorizationV2RequestControl("dn:" + BERT));
              assertThat(anna.code(asBert)).isEqualTo(AUTHORIZATION_DENIED);
            }
          });
    }
  }
}
