// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import static io.stoa.promise.coherence.SlapdWithFeed.find;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import io.stoa.testing.Await;
import io.stoa.testing.People;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * I12: whatever groups change, nothing is given that contradicts them. No feed tells what overlays
 * memberof, refint and dynlist do to other entries.
 */
class MemberOfIT {
  private static final Duration MAX_AGE = Duration.ofMillis(100);

  /** The bound of what a feed vouches for, and what a busy machine adds to it. */
  private static final Duration BOUND = Duration.ofSeconds(2);

  private static final String GROUP = "cn=group," + People.SUFFIX;
  private static final String OTHER = "cn=other," + People.SUFFIX;
  private static final String DYNAMIC = "cn=dynamic," + People.SUFFIX;
  private static final String FILTER = "(&(uid=user.2)(memberOf=" + GROUP + "))";

  private static SlapdWithFeedSetup setup() {
    return SlapdWithFeedSetup.of(10, MAX_AGE)
        .entry(GROUP, "objectClass: groupOfNames", "cn: group", "member: " + People.dn(1));
  }

  private static Set<String> groups(LDAPConnection who) {
    List<SearchResultEntry> found = find(who, "(uid=user.2)", "uid", "memberOf").getSearchEntries();
    String[] values = found.isEmpty() ? null : found.get(0).getAttributeValues("memberOf");
    return values == null ? Set.of() : new TreeSet<>(List.of(values));
  }

  private static boolean found(LDAPConnection who) {
    return find(who, FILTER, "uid").getEntryCount() == 1;
  }

  private static void member(LDAPConnection who, ModificationType how) throws LDAPException {
    who.modify(GROUP, new Modification(how, "member", People.dn(2)));
  }

  private static void awaitHeldByFeed(SlapdWithFeed people, LDAPConnection client) {
    people.awaitHeldByFeed(
        "members of groups",
        () -> {
          groups(client);
          found(client);
          return null;
        });
  }

  private interface Act {
    void on(LDAPConnection who) throws Exception;
  }

  /** So that in the end there is what there was. */
  private static final List<Act> ACTS =
      List.of(
          who -> member(who, ModificationType.ADD),
          who -> who.modifyDN(GROUP, "cn=group2", true),
          who -> who.modifyDN("cn=group2," + People.SUFFIX, "cn=group", true),
          who ->
              who.add(
                  "dn: " + OTHER,
                  "objectClass: groupOfNames",
                  "cn: other",
                  "member: " + People.dn(2)),
          who -> who.delete(OTHER),
          who -> member(who, ModificationType.DELETE));

  @Test
  void directGroupChangesAreSeenWithinTheBound() throws Exception {
    try (SlapdWithFeed people = setup().overlay("memberof").start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      for (Act act : ACTS) {
        awaitHeldByFeed(people, client);
        act.on(people.root());
        Set<String> now = groups(people.root());
        boolean is = found(people.root());
        Await.until("it is seen", BOUND, () -> groups(client).equals(now) && found(client) == is);
      }
    }
  }

  @Test
  void groupChangesThroughStoaAreSeenAtOnce() throws Exception {
    try (SlapdWithFeed people = setup().overlay("memberof").start();
        LDAPConnection root = people.client(People.ROOT, "secret");
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      for (Act act : ACTS) {
        awaitHeldByFeed(people, client);
        act.on(root);
        assertThat(groups(client)).isEqualTo(groups(people.root()));
        assertThat(found(client)).isEqualTo(found(people.root()));
      }
    }
  }

  private static Set<String> members(LDAPConnection who, String dn) {
    List<SearchResultEntry> found =
        find(who, dn, SearchScope.BASE, "(objectClass=*)", "*").getSearchEntries();
    return found.isEmpty() || found.get(0).getAttributeValues("member") == null
        ? Set.of()
        : new TreeSet<>(List.of(found.get(0).getAttributeValues("member")));
  }

  private static List<String> holding(LDAPConnection who, String member) {
    return find(who, People.SUFFIX, SearchScope.SUB, "(member=" + member + ")", "cn")
        .getSearchEntries()
        .stream()
        .map(SearchResultEntry::getDN)
        .toList();
  }

  /** Each of its members is there. */
  private static boolean isRepaired(LDAPConnection who) {
    return members(who, GROUP).stream()
        .allMatch(
            dn -> find(who, dn, SearchScope.BASE, "(objectClass=*)", "1.1").getEntryCount() == 1);
  }

  /** What overlay refint repairs, and that it has: by nothing but the deletes and renames. */
  @Test
  void groupsRepairedByRefintAreSeen() throws Exception {
    String renamed = "uid=moved," + People.PEOPLE;
    List<Act> acts =
        List.of(
            who -> who.modifyDN(People.dn(4), "uid=moved", true),
            who -> who.delete(renamed),
            who -> who.delete(People.dn(5)));
    for (boolean own : new boolean[] {false, true}) {
      SlapdWithFeedSetup setup =
          SlapdWithFeedSetup.of(10, MAX_AGE)
              .overlay("refint\nrefint_attributes member")
              .linked("member")
              .entry(
                  GROUP,
                  "objectClass: groupOfNames",
                  "cn: group",
                  "member: " + People.dn(1),
                  "member: " + People.dn(4),
                  "member: " + People.dn(5));
      try (SlapdWithFeed people = setup.start();
          LDAPConnection root = people.client(People.ROOT, "secret");
          LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
        for (Act act : acts) {
          people.awaitHeldByFeed("its members", () -> members(client, GROUP));
          people.awaitHeldByFeed("a filter for one member", () -> holding(client, People.dn(5)));
          people.awaitHeldByFeed("a filter for the renamed member", () -> holding(client, renamed));
          act.on(own ? root : people.root());
          Await.until("it is repaired", () -> isRepaired(people.root()));
          Set<String> now = members(people.root(), GROUP);
          Await.until(
              "it is seen",
              BOUND,
              () ->
                  members(client, GROUP).equals(now)
                      && holding(client, People.dn(5)).equals(holding(people.root(), People.dn(5)))
                      && holding(client, renamed).equals(holding(people.root(), renamed)));
        }
      }
    }
  }

  /** Its members are those who are found, whoever of them changes. */
  @Test
  void dynamicGroupsExpireByAge() throws Exception {
    SlapdWithFeedSetup setup =
        SlapdWithFeedSetup.of(10, MAX_AGE)
            .overlay("dynlist\ndynlist-attrset groupOfURLs memberURL member")
            .entry(
                DYNAMIC,
                "objectClass: groupOfURLs",
                "cn: dynamic",
                "memberURL: ldap:///" + People.PEOPLE + "??sub?(l=Rome)");
    try (SlapdWithFeed people = setup.start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      Await.until("the feed is live", people::isLive);
      people.awaitHeldByFeed(client, "(uid=user.3)");
      assertThat(people.restingOnTheFeed(MAX_AGE.multipliedBy(5), () -> members(client, DYNAMIC)))
          .isZero();
      people.root().modify(People.dn(6), new Modification(ModificationType.REPLACE, "l", "Rome"));
      Await.until("is a member", BOUND, () -> members(client, DYNAMIC).contains(People.dn(6)));
    }
  }
}
