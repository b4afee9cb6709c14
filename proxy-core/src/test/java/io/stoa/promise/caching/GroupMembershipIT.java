// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.caching;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Who was removed from a group does not get in any more, in all the ways in which it is asked. */
class GroupMembershipIT {
  private static final String GROUP = "cn=staff," + People.SUFFIX;
  private static final String MEMBER = People.dn(1);
  private static final int COMPARE_FALSE = 5;
  private static final int COMPARE_TRUE = 6;
  private static final RawRequest COMPARE = Requests.compare(GROUP, "member", MEMBER);
  private static final RawRequest GROUPS_OF_MEMBER =
      search(People.SUFFIX).filter("(member=" + MEMBER + ")").attributes("cn").request();
  private static final RawRequest MEMBERS =
      search(GROUP).baseScope().attributes("member").request();

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
  void makeGroup() throws LDAPException {
    try (LDAPConnection direct = direct()) {
      if (direct.getEntry(GROUP) != null) {
        direct.delete(GROUP);
      }
      direct.add(
          GROUP,
          new Attribute("objectClass", "groupOfNames"),
          new Attribute("cn", "staff"),
          new Attribute("member", MEMBER, People.dn(2)));
    }
  }

  private static LDAPConnection direct() throws LDAPException {
    return new LDAPConnection("127.0.0.1", slapd.port(), People.ROOT, SlapdConfig.ROOT_PASSWORD);
  }

  private static Modification removal() {
    return new Modification(ModificationType.DELETE, "member", MEMBER);
  }

  @Test
  void aRemovalThroughStoaIsSeenAtOnce() {
    try (RunningProxy proxy = ProxySetup.before(slapd.port()).maxAge(Duration.ofHours(1)).start();
        RawLdapClient service = proxy.client();
        RawLdapClient root = proxy.client().bind(People.ROOT, SlapdConfig.ROOT_PASSWORD)) {
      assertIsMember(service);
      assertIsMember(service);
      assertThat(proxy.cache().filterHits()).isEqualTo(2);
      assertThat(root.code(Requests.modify(GROUP, removal()))).isZero();
      assertThat(service.code(COMPARE)).isEqualTo(COMPARE_FALSE);
      assertThat(service.call(GROUPS_OF_MEMBER)).hasSize(1);
      assertThat(service.call(MEMBERS).get(0).mentions(MEMBER)).isFalse();
    }
  }

  @Test
  void aRemovalBehindStoaIsSeenAfterMaxAge() throws LDAPException {
    try (RunningProxy proxy =
            ProxySetup.before(slapd.port()).maxAge(Duration.ofMillis(500)).start();
        RawLdapClient service = proxy.client();
        LDAPConnection direct = direct()) {
      assertIsMember(service);
      direct.modify(GROUP, removal());
      Await.until("the removal is seen", () -> service.code(COMPARE) == COMPARE_FALSE);
      Await.until("the removal is seen", () -> service.call(GROUPS_OF_MEMBER).size() == 1);
      Await.until("the removal is seen", () -> !service.call(MEMBERS).get(0).mentions(MEMBER));
    }
  }

  private static void assertIsMember(RawLdapClient client) {
    assertThat(client.code(COMPARE)).isEqualTo(COMPARE_TRUE);
    assertThat(client.call(GROUPS_OF_MEMBER)).hasSize(2);
    assertThat(client.call(MEMBERS).get(0).mentions(MEMBER)).isTrue();
  }
}
