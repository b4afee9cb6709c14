// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import static io.stoa.promise.coherence.SlapdWithFeed.find;
import static io.stoa.promise.coherence.SlapdWithFeed.value;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchScope;
import io.stoa.testing.People;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * I2: a client reads at once what its own write has changed beside its entry, though no feed tells
 * of that: rights and overlays by the configuration, and entries that an overlay writes.
 */
class SideEffectsIT {
  private static final Duration MAX_AGE = Duration.ofMillis(100);

  /** For so long, and longer, an answer would be old if a write did not void it. */
  private static final Duration RIGHTS = Duration.ofSeconds(20);

  private static final String DATABASE = "olcDatabase={1}mdb,cn=config";
  private static final String GROUP = "cn=urls," + People.SUFFIX;

  private static final String CONFIGURATION =
      """
      database config
      rootdn cn=config
      rootpw config
      access to * by dn.exact="%s" read by dn.exact="%s" manage by * none
      """
          .formatted(SlapdWithFeed.FEED, People.ROOT);

  private static SlapdWithFeedSetup setup() {
    return SlapdWithFeedSetup.of(10, MAX_AGE).rights(RIGHTS).global(CONFIGURATION);
  }

  private static String mail(LDAPConnection who) {
    return value(who, "(uid=user.3)", "mail");
  }

  private static Modification replace(String type, String... values) {
    return new Modification(ModificationType.REPLACE, type, values);
  }

  /** Rules of access are part of it. */
  @Test
  void ownConfigurationChangesHoldForTheNextRead() throws Exception {
    try (SlapdWithFeed people = setup().start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD);
        LDAPConnection admin = people.client(People.ROOT, "secret")) {
      Map<Boolean, Integer> stale = new TreeMap<>();
      String rule = "{0}to attrs=mail by dn.exact=\"" + SlapdWithFeed.FEED + "\" read by * none";
      people.awaitHeldByFeed("its mail", () -> mail(client));
      for (int round = 0; round < 4; round++) {
        boolean hidden = round % 2 == 0;
        admin.modify(
            DATABASE,
            hidden
                ? new Modification(ModificationType.ADD, "olcAccess", rule)
                : new Modification(ModificationType.DELETE, "olcAccess", "{0}"));
        stale.merge((mail(client) == null) == hidden, 1, Integer::sum);
        if (!hidden) {
          people.awaitHeldByFeed("its mail", () -> mail(client));
        }
      }
      assertThat(stale).as("by whether it is as the rule says").isEqualTo(Map.of(true, 4));
    }
  }

  /**
   * The group's members follow from the entries that its URL finds, as overlay autogroup sees it.
   */
  @Test
  void ownWritesOfAnUnknownOverlayAreSeenAtOnce() throws Exception {
    SlapdWithFeedSetup setup =
        setup()
            .overlay("memberof\noverlay autogroup\nautogroup-attrset groupOfURLs memberURL member")
            .entry(
                GROUP,
                "objectClass: groupOfURLs",
                "objectClass: extensibleObject",
                "cn: urls",
                "memberURL: ldap:///" + People.PEOPLE + "??sub?(l=Here)");
    try (SlapdWithFeed people = setup.start();
        LDAPConnection client = people.client(People.ROOT, "secret")) {
      for (int i = 1; i <= 3; i++) {
        String member = "(member=" + People.dn(i) + ")";
        people.awaitHeldByFeed("no group", () -> groups(client, member));
        assertThat(groups(client, member)).isZero();
        client.modify(People.dn(i), replace("l", "Here"));
        assertThat(groups(client, member)).isEqualTo(1);
      }
    }
  }

  private static int groups(LDAPConnection who, String filter) {
    return find(who, People.SUFFIX, SearchScope.SUB, filter, "cn").getEntryCount();
  }
}
