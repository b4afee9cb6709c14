// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import static io.stoa.promise.coherence.SlapdWithFeed.find;
import static io.stoa.promise.coherence.SlapdWithFeed.value;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchScope;
import io.stoa.testing.Await;
import io.stoa.testing.People;
import io.stoa.testing.Slapd;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * No server tells a feed of what was edited while it was down, nor of what it counts by a clock
 * that was set back. So a restart, and such a clock, void what rests on the feed.
 */
class OfflineEditIT {
  private static final Duration MAX_AGE = Duration.ofMillis(100);

  /** The bound that {@link SlapdWithFeedSetup} sets. */
  private static final Duration BOUND = Duration.ofSeconds(1);

  /** A machine may stand still between the end of a bound and a look. */
  private static final int LOOKS = 20;

  private static final String ADDED =
      """
      dn: %s
      objectClass: inetOrgPerson
      uid: user.99
      cn: User 99
      sn: Number99
      l: Offline
      """
          .formatted(People.dn(99));

  private static final String MODIFIED =
      """
      dn: %s
      changetype: modify
      replace: l
      l: Offline
      """
          .formatted(People.dn(3));

  private static final String[] CHECKED_FILTERS = {
    "(uid=user.3)", "(uid=user.99)", "(l=Offline)", "(l=Online)"
  };

  private static void edit(Slapd slapd) {
    slapd.stop();
    slapd.editOffline("slapadd", ADDED);
    slapd.editOffline("slapmodify", MODIFIED);
    slapd.reindex();
    slapd.restart();
  }

  private static void warm(SlapdWithFeed people, LDAPConnection client) throws LDAPException {
    move(people, 3, "Online");
    Await.until("it is seen", () -> "Online".equals(value(client, "(uid=user.3)", "l")));
    people.awaitHeldByFeed(client, CHECKED_FILTERS);
  }

  private static void move(SlapdWithFeed people, int person, String city) throws LDAPException {
    people.root().modify(People.dn(person), new Modification(ModificationType.REPLACE, "l", city));
  }

  /** Every answer to a question that is sent when the bound is over shows the directory. */
  private static void allRightAfter(long since, LDAPConnection client) throws Exception {
    Await.until("the bound is over", () -> System.nanoTime() - since > BOUND.toNanos());
    for (int look = 0; look < LOOKS; look++) {
      assertThat(answer(client, "(uid=user.3)")).as("modified entry").isIn("Offline", "none");
      assertThat(count(client, "(uid=user.99)")).as("added entry").isIn(1, -1);
      assertThat(count(client, "(l=Offline)")).as("entries that match the new value").isIn(2, -1);
      assertThat(count(client, "(l=Online)")).as("entries that match the old value").isIn(0, -1);
    }
    Await.until("it is served again", () -> count(client, "(l=Offline)") == 2);
  }

  /** An edit may be counted later than the server has counted: with the next change it is not. */
  private static void settled(SlapdWithFeed people, LDAPConnection client) throws LDAPException {
    people.connect();
    move(people, 5, "Somewhere");
    people.awaitHeldByFeed(client, CHECKED_FILTERS);
  }

  private static String answer(LDAPConnection client, String filter) {
    SearchResult found = search(client, filter);
    return found == null ? "none" : found.getSearchEntries().get(0).getAttributeValue("l");
  }

  private static int count(LDAPConnection client, String filter) {
    SearchResult found = search(client, filter);
    return found == null ? -1 : found.getEntryCount();
  }

  /** Null if Stoa does not reach the server. */
  private static SearchResult search(LDAPConnection client, String filter) {
    try {
      return client.search(new SearchRequest(People.PEOPLE, SearchScope.SUB, filter, "uid", "l"));
    } catch (LDAPException e) {
      return null;
    }
  }

  @Test
  void offlineEditsAreSeenWithinTheBound() throws Exception {
    try (SlapdWithFeed people = SlapdWithFeedSetup.of(20, MAX_AGE).start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      warm(people, client);
      edit(people.slapd());
      allRightAfter(System.nanoTime(), client);
      settled(people, client);
      assertThat(people.report().domain().gaps()).isPositive();
    }
  }

  /** A replica that is edited offline never cuts the feed, which comes from the primary. */
  @Test
  void offlineEditsOfAReplicaAreSeenWithinTheBound() throws Exception {
    try (SlapdWithFeed people = SlapdWithFeedSetup.of(20, MAX_AGE).replicas(1).start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      warm(people, client);
      edit(people.servers().replica(0));
      allRightAfter(System.nanoTime(), client);
      assertThat(people.report().domain().gaps()).isPositive();
      people.awaitHeldByFeed(client, "(uid=user.5)"); // the others differ between the servers
    }
  }

  /** The second process has the start time of the first in whole seconds, or nearly. */
  @Test
  void anEditBetweenTwoQuickKillsIsSeenWithinTheBound() throws Exception {
    try (SlapdWithFeed people = SlapdWithFeedSetup.of(20, MAX_AGE).start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      warm(people, client);
      people.slapd().kill();
      people.slapd().restart();
      people.connect();
      move(people, 4, "Elsewhere");
      people.slapd().kill();
      people.slapd().editOffline("slapadd", ADDED);
      people.slapd().editOffline("slapmodify", MODIFIED);
      people.slapd().reindex();
      people.slapd().restart();
      allRightAfter(System.nanoTime(), client);
      assertThat(answer(client, "(uid=user.4)")).isIn("Elsewhere", "none");
      settled(people, client);
    }
  }

  /**
   * A write that is counted by such a clock is not told to a feed that goes on: so the restart of a
   * feed while the clock is behind proves nothing, and what was kept is void when it is not.
   */
  @Test
  void noResultRestsOnAFeedWhileTheServersClockIsBehind() throws Exception {
    try (SlapdWithFeed people = SlapdWithFeedSetup.of(20, MAX_AGE).behindRelay().start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      people.awaitProvable();
      warm(people, client);
      long connects = people.connects();
      people.relay().lose();
      people.relay().setClock(-600);
      people.relay().goOn();
      long since = System.nanoTime();
      Await.until("the feed has come back", () -> people.connects() > connects);
      Await.until("it tells of changes", people::isListening);
      Await.until("the bound is over", () -> System.nanoTime() - since > BOUND.toNanos());
      long resting =
          people.restingOnTheFeed(
              BOUND.multipliedBy(2), () -> find(client, "(uid=user.3)", "uid", "l"));
      assertThat(people.report().domain().gaps()).isZero();
      people.relay().setClock(0);
      people.awaitHeldByFeed(client, CHECKED_FILTERS);
      assertThat(resting).as("answers that rested on it").isZero();
      assertThat(people.report().domain().gaps()).isPositive();
    }
  }
}
