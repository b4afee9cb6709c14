// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.DereferencePolicy;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPSearchException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchScope;
import io.stoa.coherence.invalidation.Refusal;
import io.stoa.testing.Await;
import io.stoa.testing.People;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What clients ask for that dereference aliases, as those of JNDI do. */
class AliasIT {
  private static final Duration MAX_AGE = Duration.ofMillis(200);

  /** The bound of what a feed vouches for, and what a busy machine adds to it. */
  private static final Duration BOUND = Duration.ofSeconds(2);

  private static final String SHORT = "cn=short," + People.PEOPLE;

  /** It is nowhere where people are looked for. */
  private static final String STAFF = "ou=staff," + People.SUFFIX;

  /** An alias is a name of somebody else. */
  private static String[] alias(int number) {
    return alias(People.dn(number));
  }

  private static String[] alias(String dn) {
    return new String[] {
      "dn: " + SHORT,
      "objectClass: alias",
      "objectClass: extensibleObject",
      "cn: short",
      "aliasedObjectName: " + dn
    };
  }

  private static SlapdWithFeed withStaff() {
    return SlapdWithFeedSetup.of(20, MAX_AGE)
        .entry(STAFF, "objectClass: organizationalUnit", "ou: staff", "l: Athens")
        .behindRelay()
        .trustingRestarts()
        .start();
  }

  private static int staff(LDAPConnection client) {
    return follow(client, People.PEOPLE, "(ou=staff)").getEntryCount();
  }

  private static int inAthens(LDAPConnection client) {
    return follow(client, People.PEOPLE, "(l=Athens)").getEntryCount();
  }

  private static SearchResult follow(LDAPConnection client, String base, String filter) {
    try {
      SearchRequest request = new SearchRequest(base, SearchScope.SUB, filter, "uid", "l");
      request.setDerefPolicy(DereferencePolicy.ALWAYS);
      return client.search(request);
    } catch (LDAPSearchException e) {
      assertThat(e.getResultCode()).isEqualTo(ResultCode.NO_SUCH_OBJECT);
      return e.getSearchResult();
    } catch (LDAPException e) {
      throw new AssertionError(e);
    }
  }

  /** The town of whom the alias names; null if there is none. */
  private static String town(LDAPConnection client) {
    return follow(client, SHORT, "(objectClass=*)").getSearchEntries().stream()
        .findFirst()
        .map(entry -> entry.getAttributeValue("l"))
        .orElse(null);
  }

  private static void move(LDAPConnection root, int number, String town) throws LDAPException {
    root.modify(People.dn(number), new Modification(ModificationType.REPLACE, "l", town));
  }

  private static long notReported(SlapdWithFeed people) {
    return people.report().domain().refusals().get(Refusal.NOT_REPORTED);
  }

  /** Where there is no alias it is as if they did not. */
  private static void awaitHeldByFeed(SlapdWithFeed people, LDAPConnection client) {
    people.awaitHeldByFeed("one who is there", () -> follow(client, People.SUFFIX, "(uid=user.3)"));
    people.awaitHeldByFeed("all in a town", () -> follow(client, People.PEOPLE, "(l=Athens)"));
    people.awaitHeldByFeed("nobody by that name", () -> town(client));
  }

  @Test
  void aDirectlyAddedAliasIsFollowedWithinTheBound() throws Exception {
    try (SlapdWithFeed people = SlapdWithFeed.start(20, MAX_AGE);
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      move(people.root(), 3, "Berlin");
      awaitHeldByFeed(people, client);
      move(people.root(), 4, "Athens");
      Await.until(
          "changes are seen",
          BOUND,
          () -> follow(client, People.PEOPLE, "(l=Athens)").getEntryCount() == 1);
      awaitHeldByFeed(people, client);
      people.root().add(alias(3));
      Await.until("it is followed", BOUND, () -> "Berlin".equals(town(client)));
      long before = notReported(people);
      move(people.root(), 3, "Corinth");
      Await.until("it goes on to be", BOUND, () -> "Corinth".equals(town(client)));
      assertThat(notReported(people)).isGreaterThan(before);
    }
  }

  @Test
  void anAliasThatIsAddedThroughStoaIsFollowedAtOnce() throws Exception {
    try (SlapdWithFeed people = SlapdWithFeed.start(20, MAX_AGE);
        LDAPConnection root = people.client(People.ROOT, "secret");
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      move(people.root(), 3, "Berlin");
      awaitHeldByFeed(people, client);
      root.add(alias(3));
      assertThat(town(client)).isEqualTo("Berlin");
      root.delete(SHORT);
      assertThat(town(client)).isNull();
      root.add(alias(4));
      move(root, 4, "Corinth");
      assertThat(town(client)).isEqualTo("Corinth");
    }
  }

  /** When the feed goes on it tells of nothing but that somebody unknown has gone. */
  @Test
  void anAliasDeletedDuringAFeedCutIsNotFollowed() throws Exception {
    try (SlapdWithFeed people = withStaff();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      awaitHeldByFeed(people, client);
      long connects = people.connects();
      long gaps = people.report().domain().gaps();
      people.relay().lose();
      people.root().add(alias(STAFF));
      Await.until("it is followed", BOUND, () -> inAthens(client) == 1);
      Await.until("it is the base, too", BOUND, () -> isThere(client));
      people.root().delete(SHORT);
      people.relay().goOn();
      people.awaitLiveAgain(connects);
      assertThat(people.isRemembered(() -> follow(client, People.SUFFIX, "(uid=user.3)")))
          .isFalse();
      Await.until("it is gone", BOUND, () -> inAthens(client) == 0);
      Await.until("its name, too", BOUND, () -> !isThere(client));
      assertThat(people.report().domain().gaps()).isEqualTo(gaps);
      awaitHeldByFeed(people, client);
    }
  }

  private static boolean isThere(LDAPConnection client) {
    SearchResult nobody = follow(client, SHORT, "(uid=nobody)");
    return nobody.getResultCode().equals(ResultCode.SUCCESS);
  }

  /** What is found shows that there is one. */
  @Test
  void resultsOfAliasesThatTheFeedMissedExpireByAge() throws Exception {
    try (SlapdWithFeed people = withStaff();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      awaitHeldByFeed(people, client);
      people.relay().swallow(SHORT);
      people.root().add(alias(STAFF));
      Await.until("it is lost", () -> people.relay().swallowed() > 0);
      people.relay().swallow(null);
      move(people.root(), 3, "Berlin");
      people.awaitLive();
      assertThat(staff(client)).isEqualTo(1);
      assertThat(people.memory().restingOnTheFeed(MAX_AGE.multipliedBy(3), () -> staff(client)))
          .isZero();
      people.root().delete(SHORT);
      Await.until("it is gone", BOUND, () -> staff(client) == 0);
    }
  }

  /** Who does not see everything does not see whether there is one. */
  @Test
  void searchesOverAliasesExpireByAgeIfEntriesMayBeHidden() throws Exception {
    SlapdWithFeedSetup undeclared =
        SlapdWithFeedSetup.of(20, MAX_AGE).blind("access to * by * read");
    try (SlapdWithFeed people = SlapdWithFeed.start(undeclared);
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      people.awaitLive();
      long before = notReported(people);
      follow(client, People.SUFFIX, "(uid=user.3)");
      assertThat(notReported(people)).isEqualTo(before + 1);
    }
  }

  /** A replica that lags shows an alias for longer than the server of the feed. */
  @Test
  void replicasMustHaveTheDeleteOfTheLastAlias() throws Exception {
    try (SlapdWithFeed people =
            SlapdWithFeedSetup.of(20, MAX_AGE).replicas(2).maxLag(Duration.ofMinutes(5)).start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      move(people.root(), 3, "Berlin");
      people.servers().awaitEqual();
      awaitHeldByFeed(people, client);
      move(people.root(), 4, "Athens");
      Await.until(
          "changes are seen",
          BOUND,
          () -> follow(client, People.PEOPLE, "(l=Athens)").getEntryCount() == 1);
      people.root().add(alias(3));
      people.servers().awaitEqual();
      Await.until("it is followed", BOUND, () -> "Berlin".equals(town(client)));
      people.servers().lag(Duration.ofMinutes(1));
      people.root().delete(SHORT);
      assertThat(people.restingOnTheFeed(Duration.ofSeconds(12), () -> town(client))).isZero();
      assertThat(town(client)).isEqualTo("Berlin"); // as the replicas show it
      people.servers().lag(Duration.ZERO);
      people.servers().awaitEqual();
      Await.until("it is gone", BOUND, () -> town(client) == null);
      people.awaitHeldByFeed("nobody by that name", () -> town(client));
    }
  }
}
