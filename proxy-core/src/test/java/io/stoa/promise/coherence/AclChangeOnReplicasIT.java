// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import static io.stoa.promise.coherence.SlapdWithFeed.value;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import io.stoa.testing.Await;
import io.stoa.testing.People;
import io.stoa.testing.Slapd;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * I10: nobody is shown for longer than the bound what he may not see any more, where a replica
 * answers; and what rests on the feed is given for longer only while all servers say the same.
 */
class AclChangeOnReplicasIT {
  private static final Duration MAX_AGE = Duration.ofMillis(100);

  /** How long rights are taken for what they were; cn=config is read twice as often. */
  private static final Duration RIGHTS = Duration.ofMillis(400);

  private static final Duration BOUND = RIGHTS.plusMillis(1600);
  private static final String GROUP = "cn=readers," + People.SUFFIX;
  private static final String DATABASE = "olcDatabase={1}mdb,cn=config";
  private static final String CONFIGURATION = "olcDatabase={0}config,cn=config";

  /** No rule names it at first. */
  private static final String OTHERS = "cn=others," + People.SUFFIX;

  private static final String RULES =
      """
      access to dn.exact="%s" attrs=mail
        by group.exact="%s" read by dn.exact="%s" read by * none
      """
          .formatted(People.dn(3), GROUP, SlapdWithFeed.FEED);

  private static final String READABLE =
      """
      database config
      rootdn cn=config
      rootpw config
      access to * by dn.exact="%s" read by * none
      """
          .formatted(SlapdWithFeed.FEED);

  private static final String HIDING =
      "{0}to attrs=mail by dn.exact=\"" + SlapdWithFeed.FEED + "\" read by * none";

  private static final String NAMING =
      "{0}to attrs=mail by group.exact=\"%s\" read by dn.exact=\"%s\" read by * none"
          .formatted(OTHERS, SlapdWithFeed.FEED);

  private static SlapdWithFeed people;
  private static LDAPConnection client;
  private static Slapd primary;
  private static Slapd replica;

  @BeforeAll
  static void start() {
    people =
        SlapdWithFeedSetup.of(10, MAX_AGE)
            .rights(RIGHTS)
            .global(READABLE)
            .access(RULES)
            .entry(
                GROUP,
                "objectClass: groupOfNames",
                "cn: readers",
                "member: " + People.dn(1),
                "member: " + People.dn(2))
            .entry(
                OTHERS,
                "objectClass: groupOfNames",
                "cn: others",
                "member: " + People.dn(1),
                "member: " + People.dn(2))
            .replicas(1)
            .start();
    primary = people.servers().primary();
    replica = people.servers().replica(0);
    client = people.client(People.dn(1), People.PASSWORD);
  }

  @AfterAll
  static void stop() {
    client.close();
    people.close();
  }

  private static String mail() {
    return value(client, "(uid=user.3)", "mail");
  }

  /** Answered from memory for much longer than rights would be trusted if nobody watched them. */
  private static boolean isKept() throws Exception {
    long begun = System.nanoTime();
    long asked = begun;
    while (asked - begun < RIGHTS.multipliedBy(3).dividedBy(2).toNanos()) {
      asked = System.nanoTime();
      if (!people.isRemembered(AclChangeOnReplicasIT::mail)) {
        return false;
      }
    }
    return true;
  }

  private static void watched() {
    Await.until("rights are watched", AclChangeOnReplicasIT::isKept);
  }

  /** By the feed it is given for longer than its age permits, but for no longer than the bound. */
  private static void neverKept() throws Exception {
    people.awaitHeldByFeed("its mail", AclChangeOnReplicasIT::mail);
    for (int i = 0; i < 2; i++) {
      assertThat(isKept()).isFalse();
    }
  }

  private static void configure(Slapd server, String entry, ModificationType how, String value)
      throws LDAPException {
    try (LDAPConnection admin = SlapdWithFeed.connect(server.address(), "cn=config", "config")) {
      admin.modify(entry, new Modification(how, "olcAccess", value));
    }
  }

  private static void rule(Slapd server, String rule) throws LDAPException {
    configure(server, DATABASE, ModificationType.ADD, rule);
  }

  private static void hide(Slapd server) throws LDAPException {
    rule(server, HIDING);
  }

  private static void show(Slapd server) throws LDAPException {
    configure(server, DATABASE, ModificationType.DELETE, "{0}");
  }

  @Test
  void aRuleOfTheAnsweringReplicaHoldsWithinTheBound() throws Exception {
    watched();
    assertThat(mail()).isNotNull();
    hide(replica);
    Await.until("it is hidden", BOUND, () -> mail() == null);
    neverKept(); // the other one would show it
    show(replica);
    Await.until("it is shown", BOUND, () -> mail() != null);
  }

  @Test
  void aServerThatReturnsWithOtherRulesIsNotTrusted() throws Exception {
    hide(replica);
    hide(primary);
    Await.until("it is hidden", BOUND, () -> mail() == null);
    watched();
    replica.kill();
    replica.restart(); // by the rules of the file that it has
    people.proxy().awaitUp();
    neverKept();
    hide(replica);
    Await.until("it is hidden again", BOUND, () -> mail() == null);
    show(replica);
    show(primary);
    Await.until("it is shown", BOUND, () -> mail() != null);
  }

  /** The one that answers knows of the rule before it knows who has left the group. */
  @Test
  void aMemberThatLeftBeforeARuleNamesTheGroupLosesItsRights() throws Exception {
    watched();
    people.servers().lag(Duration.ofMinutes(1));
    people.root().modify(OTHERS, new Modification(ModificationType.DELETE, "member", People.dn(1)));
    people.awaitLive(); // it has been told
    rule(replica, NAMING);
    rule(primary, NAMING);
    people.restingOnTheFeed(BOUND, AclChangeOnReplicasIT::mail);
    assertThat(mail()).isNotNull(); // as the replica shows it
    people.servers().lag(Duration.ZERO);
    people.servers().awaitEqual();
    Await.until("it is hidden", BOUND, () -> mail() == null);
    show(replica);
    show(primary);
    Await.until("it is shown", BOUND, () -> mail() != null);
  }

  @Test
  void noTrustBeyondMaxAgeIfTheRulesOfAReplicaAreUnreadable() throws Exception {
    watched();
    configure(replica, CONFIGURATION, ModificationType.REPLACE, "{0}to * by * none");
    neverKept();
    configure(
        replica,
        CONFIGURATION,
        ModificationType.REPLACE,
        "{0}to * by dn.exact=\"" + SlapdWithFeed.FEED + "\" read by * none");
  }
}
