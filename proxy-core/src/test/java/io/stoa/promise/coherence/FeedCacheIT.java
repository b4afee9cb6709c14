// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import static io.stoa.promise.coherence.SlapdWithFeed.find;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchScope;
import io.stoa.cache.result.CacheStats;
import io.stoa.coherence.invalidation.Refusal;
import io.stoa.testing.Await;
import io.stoa.testing.People;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What rests on a feed is given however old it is, and never once it is wrong. */
class FeedCacheIT {
  private static final Duration MAX_AGE = Duration.ofMillis(200);

  /** The bound of what a feed vouches for, and what a busy machine adds to it. */
  private static final Duration BOUND = Duration.ofSeconds(2);

  /** A bound that no machine breaks by standing still for a while. */
  private static final Duration PATIENT = Duration.ofSeconds(20);

  private static Modification city(String name) {
    return new Modification(ModificationType.REPLACE, "l", name);
  }

  @Test
  void resultsOnAFeedOutliveMaxAge() throws Exception {
    try (SlapdWithFeed people = SlapdWithFeed.start(20, MAX_AGE);
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      people.awaitHeldByFeed(client, "(uid=user.3)");
      people.awaitHeldByFeed(client, "(l=nowhere)");
    }
  }

  /** Nobody else asks for anything meanwhile. */
  @Test
  void resultsThatNeverRestOnAFeedAreCounted() throws Exception {
    try (SlapdWithFeed people = SlapdWithFeed.start(20, MAX_AGE);
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      people.awaitHeldByFeed(client, "(uid=user.3)");
      long before = notReported(people);
      client.compare(People.dn(3), "uid", "user.3");
      assertThat(notReported(people)).isEqualTo(before + 1);
      SearchRequest types =
          new SearchRequest(People.SUFFIX, SearchScope.SUB, "(uid=user.3)", "uid");
      types.setTypesOnly(true);
      client.search(types);
      client.search(types);
      assertThat(notReported(people)).isBetween(before + 2, before + 3);
      find(client, "(uid=user.3)", "uid", "hasSubordinates");
      assertThat(notReported(people)).isBetween(before + 3, before + 4);
    }
  }

  private static long notReported(SlapdWithFeed people) {
    return people.report().domain().refusals().get(Refusal.NOT_REPORTED);
  }

  @Test
  void directChangesAreSeenWithinTheBound() throws Exception {
    try (SlapdWithFeed people = SlapdWithFeed.start(20, MAX_AGE);
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      people.awaitHeldByFeed(client, "(uid=user.3)");
      people.awaitHeldByFeed(client, "(l=Athens)");
      people.root().modify(People.dn(3), city("Athens"));
      Await.until(
          "the change is seen",
          BOUND,
          () ->
              find(client, "(uid=user.3)", "uid", "l")
                      .getSearchEntries()
                      .get(0)
                      .hasAttributeValue("l", "Athens")
                  && find(client, "(l=Athens)", "uid", "l").getEntryCount() == 1);
    }
  }

  @Test
  void ownWritesAreSeenAtOnce() throws Exception {
    try (SlapdWithFeed people = SlapdWithFeed.start(20, MAX_AGE);
        LDAPConnection client = people.client(People.dn(3), People.PASSWORD);
        LDAPConnection other = people.client(People.dn(4), People.PASSWORD)) {
      for (int i = 0; i < 50; i++) {
        String name = "City " + i;
        find(other, "(l=" + name + ")", "uid", "l");
        client.modify(People.dn(3), city(name));
        SearchResult found = find(client, "(uid=user.3)", "uid", "l");
        assertThat(found.getSearchEntries().get(0).getAttributeValue("l")).isEqualTo(name);
        assertThat(
                find(other, "(uid=user.3)", "uid", "l")
                    .getSearchEntries()
                    .get(0)
                    .getAttributeValue("l"))
            .isEqualTo(name);
        assertThat(find(client, "(l=" + name + ")", "uid", "l").getEntryCount()).isEqualTo(1);
        assertThat(find(other, "(l=" + name + ")", "uid", "l").getEntryCount()).isEqualTo(1);
      }
    }
  }

  @Test
  void deletedAndRenamedEntriesAreGoneAtOnce() throws Exception {
    try (SlapdWithFeed people = SlapdWithFeed.start(20, MAX_AGE);
        LDAPConnection root = people.client(People.ROOT, "secret")) {
      people.awaitHeldByFeed(root, "(uid=user.5)");
      root.delete(People.dn(5));
      assertThat(find(root, "(uid=user.5)", "uid", "l").getEntryCount()).isZero();
      people.awaitHeldByFeed(root, "(uid=user.6)");
      root.modifyDN(People.dn(6), "uid=user.60", true);
      assertThat(find(root, "(uid=user.6)", "uid", "l").getEntryCount()).isZero();
      assertThat(find(root, "(uid=user.60)", "uid", "l").getEntryCount()).isEqualTo(1);
      people.awaitHeldByFeed(root, "(uid=user.60)");
      people.root().delete("uid=user.60," + People.PEOPLE);
      Await.until("it is gone", () -> find(root, "(uid=user.60)", "uid", "l").getEntryCount() == 0);
    }
  }

  /**
   * No feed tells of rights; to ask for something else does not prove those that were used before.
   */
  @Test
  void rightsAreProvedOnlyByTheAttributesRead() throws Exception {
    Duration rights = Duration.ofMillis(700);
    try (SlapdWithFeed people = SlapdWithFeed.start(20, Duration.ofMillis(100), rights);
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      people.awaitLive();
      find(client, "(uid=user.9)", "cn");
      long read = System.nanoTime();
      long misses;
      do {
        find(client, "(uid=user.9)", "uid", "sn");
        misses = people.proxy().cache().filterMisses();
      } while (System.nanoTime() - read < rights.multipliedBy(2).toNanos());
      find(client, "(uid=user.9)", "cn");
      assertThat(people.proxy().cache().filterMisses()).isEqualTo(misses + 1);
    }
  }

  @Test
  void changesOfOtherEntriesInvalidateNothing() throws Exception {
    SlapdWithFeedSetup setup = SlapdWithFeedSetup.of(20, MAX_AGE).bound(PATIENT);
    try (SlapdWithFeed people = setup.start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      people.awaitHeldByFeed(client, "(uid=user.7)");
      CacheStats before = people.proxy().cache();
      for (int i = 0; i < 100; i++) {
        people.root().modify(People.dn(8), city("City " + i));
        find(client, "(uid=user.7)", "uid", "l");
      }
      assertThat(people.proxy().cache().filterMisses()).isEqualTo(before.filterMisses());
    }
  }
}
