// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import static io.stoa.promise.coherence.SlapdWithFeed.find;
import static io.stoa.promise.coherence.SlapdWithFeed.value;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import io.stoa.testing.Await;
import io.stoa.testing.Ds389Config;
import io.stoa.testing.People;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * I10: rules of access that stand in entries hold as soon as the feed tells of them, and at once
 * where they came through Stoa, however long rights are taken for what they were: for an hour here.
 */
class AclChangeOn389IT {
  private static final Duration MAX_AGE = Duration.ofMillis(200);

  /** The bound of what a feed vouches for, and what a busy machine adds to it. */
  private static final Duration BOUND = Duration.ofSeconds(2);

  private static final String ONE = "(uid=user.3)";
  private static final String CLOSED = "ou=closed," + People.PEOPLE;
  private static final String DENIED = rule("deny", "l", 1);
  private static final String ALLOWED = rule("allow", "description", 1);

  private static Ds389WithFeed fed;

  private LDAPConnection first;
  private LDAPConnection second;
  private LDAPConnection admin;

  /** The first client without Stoa. */
  private LDAPConnection direct;

  @BeforeAll
  static void start() {
    fed = Ds389WithFeed.start(6, MAX_AGE);
    fed.modify(
        People.dn(3), new Modification(ModificationType.REPLACE, "description", "not for all"));
  }

  @AfterAll
  static void stop() {
    fed.close();
  }

  @BeforeEach
  void connect() {
    first = fed.client(1);
    second = fed.client(2);
    direct = SlapdWithFeed.connect(fed.server().address(), People.dn(1), People.PASSWORD);
    admin = SlapdWithFeed.connect(fed.address(), Ds389Config.ROOT, Ds389Config.ROOT_PASSWORD);
  }

  @AfterEach
  void disconnect() {
    List.of(first, second, admin, direct).forEach(LDAPConnection::close);
  }

  private static String rule(String how, String what, int whom) {
    return "(targetattr=\"%s\")(version 3.0; acl \"%s\"; %s (read,search,compare)"
            .formatted(what, how, how)
        + " userdn=\"ldap:///%s\";)".formatted(People.dn(whom));
  }

  private static Modification add(String rule) {
    return new Modification(ModificationType.ADD, "aci", rule);
  }

  private static Modification delete(String rule) {
    return new Modification(ModificationType.DELETE, "aci", rule);
  }

  private static String city(LDAPConnection who) {
    return value(who, ONE, "l");
  }

  private static String text(LDAPConnection who) {
    return value(who, ONE, "description");
  }

  /** What both are given rests on the feed. */
  private void warm() {
    fed.awaitHeldByFeed("the city", () -> city(first));
    fed.awaitHeldByFeed("the city for another", () -> city(second));
    fed.awaitHeldByFeed("the text", () -> text(first));
  }

  @Test
  void aDirectAciChangeHoldsWithinTheBound() throws Exception {
    for (String place : List.of(People.dn(3), People.PEOPLE, People.SUFFIX)) {
      warm();
      assertThat(city(first)).isNotNull();
      fed.modify(place, add(DENIED));
      Await.until("it is hidden", BOUND, () -> city(first) == null);
      assertThat(city(second)).isNotNull();
      warm();
      fed.modify(place, delete(DENIED));
      Await.until("it is shown again", BOUND, () -> city(first) != null);
    }
    fed.modify(People.dn(3), add(ALLOWED));
    Await.until("it is shown", BOUND, () -> text(first) != null);
    warm();
    fed.modify(People.dn(3), delete(ALLOWED));
    Await.until("it is not shown any more", BOUND, () -> text(first) == null);
  }

  /**
   * 389-ds acknowledges a change of a rule up to some milliseconds before the rule holds. Stoa must
   * be as quick as the server itself.
   */
  private void modify(String place, Modification change, Callable<Boolean> shown) throws Exception {
    admin.modify(place, change);
    Await.until("the rule holds at the server", shown);
  }

  @Test
  void aRuleThatComesThroughStoaHoldsAtOnce() throws Exception {
    for (String place : List.of(People.dn(3), People.PEOPLE)) {
      warm();
      assertThat(city(first)).isNotNull();
      modify(place, add(DENIED), () -> city(direct) == null);
      assertThat(city(first)).isNull();
      assertThat(city(second)).isNotNull();
      warm();
      modify(place, delete(DENIED), () -> city(direct) != null);
      assertThat(city(first)).isNotNull();
    }
    modify(People.dn(3), add(ALLOWED), () -> text(direct) != null);
    assertThat(text(first)).isNotNull();
    warm();
    modify(People.dn(3), delete(ALLOWED), () -> text(direct) == null);
    assertThat(text(first)).isNull();
  }

  @Test
  void theAciOfAnAddedEntryHoldsAtOnce() throws Exception {
    for (LDAPConnection by : List.of(fed.root(), admin)) {
      fed.awaitHeldByFeed("nothing for one", () -> closed(first));
      fed.awaitHeldByFeed("nothing for the other", () -> closed(second));
      by.add(
          new Entry(
              CLOSED,
              new Attribute("objectClass", "organizationalUnit"),
              new Attribute("ou", "closed"),
              new Attribute("aci", rule("deny", "*", 1))));
      Await.until("it is shown", BOUND, () -> closed(second) == 1);
      assertThat(closed(first)).isZero();
      fed.awaitHeldByFeed("it", () -> closed(second));
      assertThat(closed(first)).isZero();
      by.delete(CLOSED);
      Await.until("it is gone", BOUND, () -> closed(second) == 0);
    }
  }

  private static int closed(LDAPConnection who) throws LDAPException {
    return find(who, "(ou=closed)", "ou").getEntryCount();
  }

  /**
   * I2: a class of service gives to other entries what its template holds, and no feed tells that.
   * The server computes that in the background, so that it may be shown a moment later.
   */
  @Test
  void aWriteToACosTemplateIsSeenInOtherEntries() throws Exception {
    String template = "cn=template," + People.SUFFIX;
    admin.add(
        new Entry(
            template,
            new Attribute("objectClass", "cosTemplate", "extensibleObject"),
            new Attribute("cn", "template"),
            new Attribute("street", "street 0")));
    admin.add(
        new Entry(
            "cn=service," + People.SUFFIX,
            new Attribute("objectClass", "cosSuperDefinition", "cosPointerDefinition"),
            new Attribute("cn", "service"),
            new Attribute("cosTemplateDn", template),
            new Attribute("cosAttribute", "street")));
    for (int i = 0; i < 3; i++) {
      String shown = "street " + i;
      Await.until(shown, () -> shown.equals(value(first, ONE, "street")));
      fed.awaitHeldByFeed("the street", () -> value(first, ONE, "street"));
      admin.modify(
          template, new Modification(ModificationType.REPLACE, "street", "street " + (i + 1)));
      assertThat(fed.isRemembered(() -> value(first, ONE, "street"))).isFalse();
    }
  }

  /** The record says what was modified. */
  @Test
  void aChangeBesideTheAciInvalidatesNothing() throws Exception {
    fed.modify(People.dn(3), add(DENIED));
    try {
      fed.awaitHeldByFeed(second, "(uid=user.4)");
      fed.modify(People.dn(3), new Modification(ModificationType.REPLACE, "st", "another"));
      Await.until("that is told", BOUND, () -> "another".equals(value(second, ONE, "st")));
      fed.awaitLive();
      assertThat(fed.isRemembered(() -> find(second, "(uid=user.4)", "uid", "l"))).isTrue();
    } finally {
      fed.modify(People.dn(3), delete(DENIED));
    }
  }
}
