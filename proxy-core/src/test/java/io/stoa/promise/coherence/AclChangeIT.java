// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import static io.stoa.promise.coherence.SlapdWithFeed.find;
import static io.stoa.promise.coherence.SlapdWithFeed.value;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPSearchException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchScope;
import io.stoa.testing.Await;
import io.stoa.testing.People;
import io.stoa.testing.ServiceWatch;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** I10: nobody is shown for longer than the bound what he may not see any more. */
class AclChangeIT {
  private static final Duration MAX_AGE = Duration.ofMillis(100);

  /** How long rights are taken for what they were; cn=config is read twice as often. */
  private static final Duration RIGHTS = Duration.ofMillis(600);

  private static final Duration BOUND = RIGHTS.plusMillis(1400);
  private static final String GROUP = "cn=readers," + People.SUFFIX;
  private static final String DATABASE = "olcDatabase={1}mdb,cn=config";

  /** Whoever is in the group sees more of the third than others do. */
  private static final String RULES =
      """
      access to dn.exact="%s" attrs=mail
        by group.exact="%s" read by dn.exact="%s" read by * none
      """
          .formatted(People.dn(3), GROUP, SlapdWithFeed.FEED);

  private static final String CONFIGURATION =
      """
      database config
      rootdn cn=config
      rootpw config
      %s
      """;

  private static final String READABLE =
      "access to * by dn.exact=\"%s\" read by * none".formatted(SlapdWithFeed.FEED);

  private static SlapdWithFeedSetup setup(String configuration, String rules) {
    return SlapdWithFeedSetup.of(10, MAX_AGE)
        .rights(RIGHTS)
        .global(configuration)
        .access(rules)
        .entry(
            GROUP,
            "objectClass: groupOfNames",
            "cn: readers",
            "member: " + People.dn(1),
            "member: " + People.dn(2));
  }

  private static SlapdWithFeedSetup readable(String rules) {
    return configured(READABLE, rules);
  }

  private static SlapdWithFeedSetup configured(String access, String rules) {
    return setup(CONFIGURATION.formatted(access), rules);
  }

  private static String mail(LDAPConnection who) {
    return value(who, "(uid=user.3)", "mail");
  }

  /** Answered from memory for much longer than rights would be trusted if nobody watched them. */
  private static boolean isKept(SlapdWithFeed people, LDAPConnection client) throws Exception {
    long begun = System.nanoTime();
    long asked = begun;
    while (asked - begun < RIGHTS.multipliedBy(2).toNanos()) {
      asked = System.nanoTime();
      if (!people.isRemembered(() -> mail(client))) {
        return false;
      }
    }
    return true;
  }

  private static void watched(SlapdWithFeed people, LDAPConnection client) {
    Await.until("rights are watched", () -> isKept(people, client));
  }

  private static void rule(SlapdWithFeed people, ModificationType how, String rule)
      throws LDAPException {
    configure(people, DATABASE, new Modification(how, "olcAccess", rule));
  }

  private static void configure(SlapdWithFeed people, String entry, Modification what)
      throws LDAPException {
    try (LDAPConnection admin =
        SlapdWithFeed.connect(people.slapd().address(), "cn=config", "config")) {
      admin.modify(entry, what);
    }
  }

  @Test
  void aRuleThatIsChangedHoldsWithinTheBound() throws Exception {
    try (SlapdWithFeed people = readable(RULES).start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      watched(people, client);
      assertThat(mail(client)).isNotNull();
      String rule = "{0}to attrs=mail by dn.exact=\"" + SlapdWithFeed.FEED + "\" read by * none";
      rule(people, ModificationType.ADD, rule);
      Await.until("it is hidden", BOUND, () -> mail(client) == null);
      watched(people, client);
      rule(people, ModificationType.DELETE, "{0}");
      Await.until("it is shown", BOUND, () -> mail(client) != null);
    }
  }

  /** Also where it is not told when an entry of the configuration was changed last. */
  @Test
  void aLimitThatIsLoweredHoldsWithinTheBound() throws Exception {
    String access =
        """
        access to attrs=entryCSN,modifyTimestamp by * none
        access to * by dn.exact="%s" read by * none
        """;
    try (SlapdWithFeed people = configured(access.formatted(SlapdWithFeed.FEED), RULES).start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      for (String entry : List.of("cn=config", DATABASE)) {
        watched(people, client);
        people.awaitHeldByFeed("all of them", () -> searchAllPeople(client));
        assertThat(searchAllPeople(client)).isEqualTo(ResultCode.SUCCESS);
        configure(people, entry, new Modification(ModificationType.REPLACE, "olcSizeLimit", "3"));
        Await.until(
            "it is cut",
            BOUND,
            () -> searchAllPeople(client).equals(ResultCode.SIZE_LIMIT_EXCEEDED));
        configure(people, entry, new Modification(ModificationType.REPLACE, "olcSizeLimit", "500"));
      }
    }
  }

  private static ResultCode searchAllPeople(LDAPConnection who) {
    try {
      return who.search(People.PEOPLE, SearchScope.SUB, "(objectClass=person)", "uid")
          .getResultCode();
    } catch (LDAPSearchException e) {
      return e.getResultCode();
    }
  }

  /** To rules of a database those of the frontend are added, and what holds for all. */
  @Test
  void noTrustBeyondMaxAgeIfOnlyTheDatabaseRulesAreReadable() throws Exception {
    String feed = SlapdWithFeed.FEED;
    String access =
        """
        access to dn.subtree="%s" by dn.exact="%s" read by * none
        access to dn.base="cn=config" attrs=entry by dn.exact="%s" search by * none
        access to * by * none
        """;
    try (SlapdWithFeed people = configured(access.formatted(DATABASE, feed, feed), RULES).start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      neverKept(people, client);
    }
  }

  @Test
  void aFormerGroupMemberLosesItsRightsWhenTheFeedReportsIt() throws Exception {
    try (SlapdWithFeed people = readable(RULES).start();
        LDAPConnection root = people.client(People.ROOT, "secret");
        LDAPConnection one = people.client(People.dn(1), People.PASSWORD);
        LDAPConnection two = people.client(People.dn(2), People.PASSWORD)) {
      watched(people, one);
      assertThat(mail(one)).isNotNull();
      people
          .root()
          .modify(GROUP, new Modification(ModificationType.DELETE, "member", People.dn(1)));
      Await.until("it is hidden", Duration.ofSeconds(2), () -> mail(one) == null);
      watched(people, two);
      assertThat(mail(two)).isNotNull();
      root.modify(GROUP, new Modification(ModificationType.REPLACE, "member", People.dn(1)));
      assertThat(mail(two)).isNull();
      assertThat(mail(one)).isNotNull();
      people.root().delete(GROUP);
      Await.until("it is hidden again", Duration.ofSeconds(2), () -> mail(one) == null);
    }
  }

  private static SlapdWithFeedSetup repaired() {
    return readable(RULES).overlay("refint\nrefint_attributes member manager");
  }

  /** The directory itself takes whoever is gone out of groups, and tells nobody. */
  @Test
  void aMemberRemovedByRefintLosesItsRightsWithinTheBound() throws Exception {
    for (boolean renamed : new boolean[] {false, true}) {
      try (SlapdWithFeed people = repaired().start();
          LDAPConnection one = people.client(People.dn(1), People.PASSWORD)) {
        watched(people, one);
        assertThat(mail(one)).isNotNull();
        if (renamed) {
          people.root().modifyDN(People.dn(1), "uid=moved", true);
        } else {
          people.root().delete(People.dn(1));
        }
        Await.until("it is hidden", BOUND, () -> mail(one) == null);
      }
    }
  }

  /** It is looked who is in the groups, so that not each change needs to be feared. */
  @Test
  void changesOfEntriesInNoGroupInvalidateNothing() throws Exception {
    String dn = "uid=passing," + People.PEOPLE;
    try (SlapdWithFeed people = repaired().start();
        LDAPConnection one = people.client(People.dn(1), People.PASSWORD)) {
      watched(people, one);
      long revocations = people.report().revocations();
      long changes = people.report().domain().changes();
      people.root().add(dn, person("passing"));
      people.root().modifyDN(dn, "uid=renamed", true);
      people.root().delete("uid=renamed," + People.PEOPLE);
      people
          .root()
          .modify(People.dn(5), new Modification(ModificationType.REPLACE, "l", "Elsewhere"));
      Await.until("all is told", () -> people.report().domain().changes() >= changes + 4);
      assertThat(people.isRemembered(() -> mail(one))).isTrue();
      assertThat(isKept(people, one)).isTrue(); // and when it has been looked
      assertThat(people.report().revocations()).isEqualTo(revocations);
    }
  }

  private static Attribute[] person(String name) {
    return new Attribute[] {
      new Attribute("objectClass", "inetOrgPerson"),
      new Attribute("uid", name),
      new Attribute("cn", name),
      new Attribute("sn", name)
    };
  }

  @Test
  void noTrustBeyondMaxAgeIfARuleUsesASet() throws Exception {
    String rules =
        """
        access to attrs=mail by set="this/manager & user" read by dn.exact="%s" read by * none
        """
            .formatted(SlapdWithFeed.FEED);
    try (SlapdWithFeed people = readable(rules).start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      neverKept(people, client);
    }
  }

  @Test
  void noTrustBeyondMaxAgeIfTheConfigurationIsUnreadable() throws Exception {
    try (SlapdWithFeed people = setup("", RULES).start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      neverKept(people, client);
      people
          .root()
          .modify(GROUP, new Modification(ModificationType.DELETE, "member", People.dn(1)));
      Await.until("it is hidden", BOUND, () -> mail(client) == null);
    }
  }

  /**
   * In whose name Stoa asks is refused to it (123) as soon as its entry does not say so any more.
   */
  @Test
  void aRevokedProxyRightIsRefusedWhenTheFeedReportsIt() throws Exception {
    String everybody = "dn.regex:^uid=[^,]+," + People.PEOPLE + "$";
    try (SlapdWithFeed people = acting("to", everybody).start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      watched(people, client);
      people.awaitHeldByFeed("all of them", () -> searchAllPeople(client));
      people
          .root()
          .modify(
              ServiceWatch.DN,
              new Modification(ModificationType.REPLACE, "authzTo", "dn.exact:" + People.dn(2)));
      Await.until(
          "it is refused",
          Duration.ofSeconds(2),
          () -> searchAllPeople(client).equals(ResultCode.AUTHORIZATION_DENIED));
    }
  }

  /** A URL may find another one every time, and anybody's entry may say who may act for it. */
  @ParameterizedTest
  @CsvSource({"to,true", "any,false"})
  void noTrustBeyondMaxAgeIfAuthzPolicyDependsOnOtherEntries(String policy, boolean searched)
      throws Exception {
    String whom = "ldap:///" + People.PEOPLE + "??sub?(uid=*)";
    String all = "dn.regex:^uid=[^,]+," + People.PEOPLE + "$";
    try (SlapdWithFeed people = acting(policy, searched ? whom : all).start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      neverKept(people, client);
    }
  }

  private static SlapdWithFeedSetup acting(String policy, String whom) {
    return setup("authz-policy " + policy + "\n" + CONFIGURATION.formatted(READABLE), RULES)
        .acting(whom);
  }

  /** By the feed it is given for longer than its age permits, but for no longer than the bound. */
  private static void neverKept(SlapdWithFeed people, LDAPConnection client) throws Exception {
    people.awaitHeldByFeed("its mail", () -> mail(client));
    for (int i = 0; i < 2; i++) {
      assertThat(isKept(people, client)).isFalse();
    }
    assertThat(find(client, "(uid=user.4)", "uid").getEntryCount()).isEqualTo(1);
  }
}
