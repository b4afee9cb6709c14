// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.caching;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.controls.DontUseCopyRequestControl;
import io.stoa.cache.result.Exclusions;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Records;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.SearchBuilder;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Who must see the directory itself, such as the page of an administrator, can ask for it. */
class NoCacheIT {
  private static final RawRequest READ =
      search(People.dn(1)).baseScope().attributes("title").request();

  private static Slapd slapd;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  @BeforeAll
  static void startDirectory() {
    slapd = Slapd.start(People.slapd(3));
  }

  @AfterAll
  static void stopDirectory() {
    slapd.close();
  }

  @BeforeEach
  void before() throws LDAPException {
    title("before");
  }

  private static void title(String value) throws LDAPException {
    try (LDAPConnection direct =
        new LDAPConnection("127.0.0.1", slapd.port(), People.ROOT, SlapdConfig.ROOT_PASSWORD)) {
      direct.modify(People.dn(1), new Modification(ModificationType.REPLACE, "title", value));
    }
  }

  private static ProxySetup setup() {
    return ProxySetup.before(slapd.port()).maxAge(Duration.ofHours(1));
  }

  private static boolean shows(RawLdapClient client, RawRequest request, String value) {
    return client.call(request).get(0).mentions(value);
  }

  /** RFC 6171. */
  @Test
  void aSearchWithDontUseCopyReachesTheDirectory() throws LDAPException {
    RawRequest fresh = READ.with(new DontUseCopyRequestControl());
    try (RunningProxy proxy = setup().start();
        RawLdapClient client = proxy.client()) {
      assertThat(shows(client, READ, "before")).isTrue();
      title("after");
      assertThat(shows(client, READ, "before")).as("from memory").isTrue();
      assertThat(shows(client, fresh, "after")).isTrue();
      assertThat(proxy.cache().filterHits()).isEqualTo(1);
    }
  }

  @Test
  void anExcludedSubtreeIsAlwaysReadFromTheDirectory() throws LDAPException {
    Exclusions exclusions = Records.with(Exclusions.NONE, "subtrees", List.of(People.dn(1)));
    try (RunningProxy proxy = setup().cache("exclusions", exclusions).start();
        RawLdapClient client = proxy.client()) {
      assertThat(shows(client, READ, "before")).isTrue();
      title("after");
      assertThat(shows(client, READ, "after")).isTrue();
      assertThat(client.code(People.find(2))).isZero();
      assertThat(proxy.cache().filterHits()).isZero();
    }
  }

  /** An alias elsewhere may lead there, as the base or as an entry of the scope. */
  @Test
  void anExcludedSubtreeReachedByAliasIsReadFromTheDirectory() throws Exception {
    String alias = "cn=alias," + People.SUFFIX;
    try (LDAPConnection direct =
        new LDAPConnection("127.0.0.1", slapd.port(), People.ROOT, SlapdConfig.ROOT_PASSWORD)) {
      direct.add(
          "dn: " + alias,
          "objectClass: alias",
          "objectClass: extensibleObject",
          "cn: alias",
          "aliasedObjectName: " + People.dn(1));
      Exclusions exclusions = Records.with(Exclusions.NONE, "subtrees", List.of(People.dn(1)));
      try (RunningProxy proxy = setup().cache("exclusions", exclusions).start();
          RawLdapClient client = proxy.client()) {
        for (int deref = 1; deref <= 3; deref++) {
          SearchBuilder where = deref == 1 ? search(People.SUFFIX).oneLevel() : search(alias);
          RawRequest read = where.filter("(uid=*)").attributes("title").deref(deref).request();
          title("before");
          assertThat(shows(client, read, "before")).as("deref %d", deref).isTrue();
          title("after");
          assertThat(shows(client, read, "after")).as("deref %d", deref).isTrue();
        }
        assertThat(proxy.cache().filterHits()).isZero();
      } finally {
        direct.delete(alias);
      }
    }
  }
}
