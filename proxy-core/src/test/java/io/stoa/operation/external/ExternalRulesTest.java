// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation.external;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.protocol.Octets;
import io.stoa.net.peer.LocalUser;
import io.stoa.net.peer.Peer;
import io.stoa.net.peer.SubjectName;
import io.stoa.testing.Records;
import io.stoa.testing.ServiceWatch;
import io.stoa.upstream.auth.IdentityConfig;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** As whom a peer may act, by the rules of a configuration. */
class ExternalRulesTest {
  private static final String PERSON =
      "certificate CN={user},OU=People,O=Example => dn:uid={user},ou=people,dc=example,dc=com";

  private static ExternalRules rules(String... texts) {
    List<ExternalRule> rules = Arrays.stream(texts).map(ExternalRule::parse).toList();
    IdentityConfig config = ServiceWatch.proxied(ServiceWatch.DN, "/a/file");
    return Records.with(config, "external", rules).externalRules(null);
  }

  private static @Nullable String ofSubject(String subject, String... rules) {
    return text(rules(rules).authzId(new Peer(null, "TLSv1.3", subject, null, "")));
  }

  private static @Nullable String ofUser(int uid, int gid, String... rules) {
    return text(rules(rules).authzId(new Peer(null, null, null, new LocalUser(uid, gid, 1), "")));
  }

  private static @Nullable String text(@Nullable Octets authzId) {
    return authzId == null ? null : new String(authzId.array(), StandardCharsets.UTF_8);
  }

  @Test
  void aSubjectValueIsCopiedIntoTheDn() {
    assertThat(ofSubject("CN=anna,OU=People,O=Example", PERSON))
        .isEqualTo("dn:uid=anna,ou=people,dc=example,dc=com");
    assertThat(ofSubject("cn=Anna  B.,ou=PEOPLE,o=example", PERSON))
        .isEqualTo("dn:uid=Anna  B.,ou=people,dc=example,dc=com");
  }

  /** Whatever is in it: it ends no RDN and begins none. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          CN=a\\,ou\\=admins,OU=People,O=Example     | dn:uid=a\\,ou=admins,ou=people,dc=example,dc=com
          CN=a\\+cn\\=b,OU=People,O=Example          | dn:uid=a\\+cn=b,ou=people,dc=example,dc=com
          CN=\\"a\\",OU=People,O=Example              | dn:uid=\\"a\\",ou=people,dc=example,dc=com
          CN=a\\\\,OU=People,O=Example               | dn:uid=a\\\\,ou=people,dc=example,dc=com
          CN={user},OU=People,O=Example              | dn:uid={user},ou=people,dc=example,dc=com
          CN=$1,OU=People,O=Example                  | dn:uid=$1,ou=people,dc=example,dc=com
          """)
  void aValueCannotAddAnRdn(String subject, String authzId) {
    assertThat(ofSubject(subject, PERSON)).isEqualTo(authzId);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CN=anna,OU=People,O=Other",
        "CN=anna,OU=People,OU=People,O=Example",
        "CN=anna,O=Example",
        "CN=anna,OU=People,O=Example,C=DE",
        "CN=x,CN=anna,OU=People,O=Example",
        "CN=anna+UID=b,OU=People,O=Example",
        "UID=anna,OU=People,O=Example",
        "CN=anna,OU=People+OU=More,O=Example",
        "OU=People,O=Example",
        "",
        "no name",
        "CN=anna\\00,OU=People,O=Example",
        "CN=anna\\0a,OU=People,O=Example",
        "CN=\\20,OU=People,O=Example",
        "CN=anna,OU=People,O=Example\\00"
      })
  void otherSubjectsHaveNoIdentity(String subject) {
    assertThat(ofSubject(subject, PERSON)).isNull();
  }

  @Test
  void theSubjectItselfMayBeTheDn() {
    String below = "certificate *,DC=example,DC=com => dn:{subject}";
    assertThat(ofSubject("UID=b,OU=c,DC=example,DC=com", below))
        .isEqualTo("dn:UID=b,OU=c,DC=example,DC=com");
    assertThat(ofSubject("DC=example,DC=com", below)).isEqualTo("dn:DC=example,DC=com");
    assertThat(ofSubject("UID=b,DC=example,DC=org", below)).isNull();
    assertThat(ofSubject("UID=b\\00,DC=example,DC=com", below)).isNull();
    assertThat(ofSubject("CN=a", "certificate * => dn:{subject}")).isEqualTo("dn:CN=a");
    assertThat(ofSubject("", "certificate * => dn:{subject}")).isNull();
  }

  /** Directories make a DN of a user's name. */
  @ParameterizedTest
  @ValueSource(strings = {"a\\,b", "a\\+b", "a\\=b", "\\23a", "a\\\\", "\\\"", "a\\;", "\\<a\\>"})
  void aUserNameWithDnSyntaxIsRefused(String value) {
    String rule = "certificate CN={user} => u:{user}";
    assertThat(ofSubject("CN=" + value, rule)).isNull();
    assertThat(ofSubject("CN=anna@example.com", rule)).isEqualTo("u:anna@example.com");
  }

  @Test
  void anOverlongIdentityIsRefused() {
    assertThat(ofSubject("CN=" + "a".repeat(1100) + ",OU=People,O=Example", PERSON)).isNull();
  }

  @Test
  void socketRulesMatchUidAndGid() {
    String rule = "socket uid=1 gid=2 => u:a";
    assertThat(ofUser(1, 2, rule)).isEqualTo("u:a");
    assertThat(ofUser(1, 3, rule)).isNull();
    assertThat(ofUser(2, 2, rule)).isNull();
    assertThat(ofUser(5, 9, "socket uid=5 => u:a")).isEqualTo("u:a");
    assertThat(ofUser(5, 9, "socket gid=9 => u:a")).isEqualTo("u:a");
    assertThat(ofUser(-2, 9, "socket uid=4294967294 => u:{uid}")).isEqualTo("u:4294967294");
    String peer = "dn:gidNumber={gid}+uidNumber={uid},cn=peercred,cn=external,cn=auth";
    assertThat(ofUser(5, 9, "socket * => " + peer))
        .isEqualTo("dn:gidNumber=9+uidNumber=5,cn=peercred,cn=external,cn=auth");
    assertThat(ofSubject("CN=a", "socket * => u:a")).isNull();
    assertThat(ofUser(0, 0, "certificate * => u:a")).isNull();
  }

  /** One that makes nobody of a client does not leave it to the next. */
  @Test
  void theFirstMatchingRuleDecides() {
    String[] rules = {"certificate CN={a},O=x => u:{a}", "certificate *,O=x => u:other"};
    assertThat(ofSubject("CN=anna,O=x", rules)).isEqualTo("u:anna");
    assertThat(ofSubject("CN=a\\,b,O=x", rules)).isNull();
    assertThat(ofSubject("CN=b,OU=c,O=x", rules)).isEqualTo("u:other");
  }

  @ParameterizedTest
  @ValueSource(strings = {"CN=Stoa,DC=example,DC=com", "cn=directory\\20manager"})
  void theServiceAccountAndForbiddenIdentitiesAreRefused(String subject) {
    assertThat(ofSubject(subject, "certificate * => dn:{subject}")).isNull();
  }

  @Test
  void attributeNamesOfRulesMatchThoseOfSubjects() {
    X500Principal subject =
        new X500Principal("EMAILADDRESS=a@b,SERIALNUMBER=7,GIVENNAME=c,O=x,C=DE");
    assertThat(SubjectName.of(subject))
        .isEqualTo("emailAddress=a@b,serialNumber=7,givenName=c,O=x,C=DE");
    String rule = "certificate emailaddress={mail},serialnumber=7,givenname=C,o=X,c=de => u:{mail}";
    assertThat(ofSubject(SubjectName.of(subject), rule)).isEqualTo("u:a@b");
  }
}
