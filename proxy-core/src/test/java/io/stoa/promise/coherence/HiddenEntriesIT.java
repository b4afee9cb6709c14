// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import static io.stoa.promise.coherence.SlapdWithFeed.find;
import static io.stoa.promise.coherence.SlapdWithFeed.value;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchScope;
import io.stoa.coherence.view.InvalidationCause;
import io.stoa.testing.Await;
import io.stoa.testing.People;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * What the account of a feed does not see does not rest on the feed; what somebody may not see he
 * is not shown.
 */
class HiddenEntriesIT {
  private static final Duration MAX_AGE = Duration.ofMillis(100);

  /** The bound of what a feed vouches for, and what a busy machine adds to it. */
  private static final Duration BOUND = Duration.ofSeconds(2);

  private static final String HIDDEN = "ou=hidden," + People.SUFFIX;
  private static final String ONE = "uid=hidden.1," + HIDDEN;
  private static final String TWO = "uid=hidden.2," + HIDDEN;
  private static final String ANYTHING = "(objectClass=*)";

  private static final String RULES =
      """
      access to dn.subtree="ou=hidden,dc=example,dc=com"
        by dn.exact="cn=feed,dc=example,dc=com" none by * read
      access to dn.exact="uid=user.7,ou=people,dc=example,dc=com"
        by dn.exact="cn=feed,dc=example,dc=com" none by * read
      access to attrs=mail by dn.exact="cn=feed,dc=example,dc=com" none by * read
      """;

  private static SlapdWithFeedSetup setup() {
    SlapdWithFeedSetup setup =
        SlapdWithFeedSetup.of(20, MAX_AGE)
            .blind(RULES)
            .entry(HIDDEN, "objectClass: organizationalUnit", "ou: hidden");
    for (String dn : new String[] {ONE, TWO}) {
      String uid = dn.substring("uid=".length(), dn.indexOf(','));
      setup.entry(dn, "objectClass: inetOrgPerson", "uid: " + uid, "cn: x", "sn: x");
    }
    return setup;
  }

  private static void city(SlapdWithFeed people, String dn, String name) throws Exception {
    people.root().modify(dn, new Modification(ModificationType.REPLACE, "l", name));
  }

  private static void neverRests(SlapdWithFeed people, Callable<?> read) throws Exception {
    assertThat(people.restingOnTheFeed(MAX_AGE.multipliedBy(3), read)).isZero();
  }

  @Test
  void hiddenEntriesAreReadAgain() throws Exception {
    try (SlapdWithFeed people = setup().start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      people.awaitHeldByFeed(
          "an entry that it sees", () -> find(client, People.dn(3), SearchScope.BASE, ANYTHING));
      String[] hidden = {ONE, HIDDEN, People.dn(7), "uid=nobody," + HIDDEN};
      for (String dn : hidden) {
        neverRests(people, () -> find(client, dn, SearchScope.BASE, ANYTHING));
      }
      city(people, ONE, "Athens");
      Await.until(
          "it is seen",
          BOUND,
          () -> find(client, HIDDEN, SearchScope.SUB, "(l=Athens)").getEntryCount() == 1);
      people.root().delete(TWO);
      Await.until(
          "it is gone",
          BOUND,
          () -> find(client, HIDDEN, SearchScope.ONE, ANYTHING).getEntryCount() == 1);
    }
  }

  @Test
  void searchesThatMayMatchHiddenEntriesAreReadAgain() throws Exception {
    try (SlapdWithFeed people = setup().start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      people.awaitHeldByFeed(
          "an entry that it sees", () -> find(client, People.dn(3), SearchScope.BASE, ANYTHING));
      neverRests(people, () -> find(client, HIDDEN, SearchScope.SUB, "(uid=hidden.1)", "uid", "l"));
      neverRests(people, () -> find(client, HIDDEN, SearchScope.SUB, "(l=Athens)", "uid", "l"));
      neverRests(people, () -> find(client, People.dn(3), SearchScope.BASE, "(mail=new@x)"));
      neverRests(people, () -> find(client, "(uid=user.3)", "uid", "l"));
      neverRests(people, () -> find(client, "(l=Athens)", "uid", "l"));
      neverRests(people, () -> find(client, "(|(uid=user.3)(uid=user.7))", "uid", "l"));
    }
  }

  /** It is believed to see everything until it is seen that it does not. */
  @Test
  void aHiddenChangeDisprovesCoverage() throws Exception {
    try (SlapdWithFeed people = setup().bound(Duration.ofMillis(500)).start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      String filter = "(l=Nowhere)";
      AtomicInteger changes = new AtomicInteger();
      Callable<?> read =
          () -> {
            city(people, People.dn(5), "City " + changes.incrementAndGet());
            return find(client, filter, "uid", "l");
          };
      Await.until(
          "it is believed to see everything",
          () -> people.restingOnTheFeed(MAX_AGE.multipliedBy(2), read) > 0);
      city(people, People.dn(7), "Nowhere");
      Await.until("it is seen", BOUND, () -> find(client, filter, "uid").getEntryCount() == 1);
      people.root().delete(People.dn(7));
      Await.until("it is gone", BOUND, () -> find(client, filter, "uid").getEntryCount() == 0);
      Await.until(
          "it is found out",
          () -> people.report().domain().invalidations().get(InvalidationCause.ANYTHING) > 0);
    }
  }

  @Test
  void aClientNeverSeesValuesThatOnlyOthersMayRead() throws Exception {
    try (SlapdWithFeed people = SlapdWithFeed.start(20, MAX_AGE);
        LDAPConnection self = people.client(People.dn(3), People.PASSWORD);
        LDAPConnection other = people.client(People.dn(4), People.PASSWORD);
        LDAPConnection nobody = people.client("", "")) {
      String filter = "(uid=user.3)";
      for (int i = 0; i < 3; i++) {
        String text = "Text " + i;
        String byText = "(description=" + text + ")";
        people.awaitHeldByFeed("its own", () -> value(self, filter, "description"));
        people.awaitHeldByFeed("another's", () -> value(other, filter, "description"));
        people.awaitHeldByFeed("nothing", () -> find(other, byText, "description"));
        people
            .root()
            .modify(People.dn(3), new Modification(ModificationType.REPLACE, "description", text));
        Await.until(
            "it is seen by itself",
            BOUND,
            () ->
                value(other, filter, "description") != null
                    || value(nobody, filter, "description") != null
                    || find(other, byText, "uid").getEntryCount() > 0
                    || text.equals(value(self, filter, "description")));
        assertThat(value(self, filter, "description")).isEqualTo(text);
        assertThat(find(self, byText, "uid").getEntryCount()).isEqualTo(1);
        assertThat(value(other, filter, "description")).isNull();
        assertThat(find(other, byText, "uid").getEntryCount()).isZero();
        assertThat(find(nobody, byText, "uid").getEntryCount()).isZero();
      }
    }
  }
}
