// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import static io.stoa.promise.coherence.SlapdWithFeed.find;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchResult;
import io.stoa.cache.result.CacheStats;
import io.stoa.cache.sharing.Declaration;
import io.stoa.cache.sharing.SharingClass.Attributes;
import io.stoa.coherence.view.InvalidationCause;
import io.stoa.testing.Await;
import io.stoa.testing.People;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What is used a lot is there again before anybody asks for it. */
class RefresherIT {
  private static final int MANY = 10;

  /** Less than what a result ages before it is too old: a fifth of its time. */
  private static final long OFTEN_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  private static SearchResult read(LDAPConnection client, int number) {
    return find(client, "(uid=user." + number + ")", "uid", "l");
  }

  private static long refills(SlapdWithFeed people) {
    return people.proxy().status().maintenance().refills();
  }

  private static long kills(SlapdWithFeed people) {
    return people.report().domain().invalidations().get(InvalidationCause.CHANGE);
  }

  private static void move(SlapdWithFeed people, int number) throws Exception {
    people
        .root()
        .modify(People.dn(number), new Modification(ModificationType.REPLACE, "l", "Athens"));
  }

  /** Reads one until it rests on the feed, then many times; another just once more. */
  private static void use(SlapdWithFeed people, LDAPConnection client) {
    people.awaitLive();
    read(client, 5);
    for (int i = 0; i < MANY; i++) {
      read(client, 3);
    }
  }

  @Test
  void hotResultsAreRefilledAfterInvalidation() throws Exception {
    try (SlapdWithFeed people =
            SlapdWithFeedSetup.of(20, Duration.ofHours(1)).refreshing().start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      use(people, client);
      CacheStats before = people.proxy().cache();
      move(people, 3);
      move(people, 5);
      Await.until("both are void", () -> kills(people) >= 2);
      Await.until("one is there again", () -> people.proxy().cache().fills() == before.fills() + 1);
      CacheStats after = people.proxy().cache();
      assertThat(after.filterMisses()).isEqualTo(before.filterMisses());
      assertThat(after.filterHits()).isEqualTo(before.filterHits());
      assertThat(people.isRemembered(() -> read(client, 3))).isTrue();
      assertThat(read(client, 3).getSearchEntries().get(0).getAttributeValue("l"))
          .isEqualTo("Athens");
      assertThat(people.isRemembered(() -> read(client, 5))).isFalse();
    }
  }

  @Test
  void sharedHotResultsAreRefilledAsAnyClassMember() throws Exception {
    Declaration apps =
        new Declaration(
            "apps",
            List.of(People.dn(1), People.dn(2)),
            List.of(),
            People.SUFFIX,
            Attributes.ALL,
            false);
    SlapdWithFeedSetup setup =
        SlapdWithFeedSetup.of(20, Duration.ofHours(1)).refreshing().sharing(apps);
    try (SlapdWithFeed people = setup.start();
        LDAPConnection other = people.client(People.dn(2), People.PASSWORD)) {
      read(other, 7);
      try (LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
        use(people, client);
      }
      long before = people.proxy().cache().fills();
      move(people, 3);
      Await.until("it is there again", () -> people.proxy().cache().fills() > before);
      assertThat(people.isRemembered(() -> read(other, 3))).isTrue();
    }
  }

  @Test
  void hotResultsAreNotRefilledWithoutTheirClient() throws Exception {
    try (SlapdWithFeed people =
        SlapdWithFeedSetup.of(20, Duration.ofHours(1)).refreshing().start()) {
      try (LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
        use(people, client);
      }
      Await.until("it has left", () -> people.proxy().status().connections() == 0);
      move(people, 3);
      Await.until(
          "nobody can ask",
          () -> people.proxy().status().maintenance().refillsWithoutClient() == 1);
      assertThat(refills(people)).isZero();
    }
  }

  @Test
  void hotResultsAreRefreshedBeforeMaxAge() throws Exception {
    try (SlapdWithFeed people =
            SlapdWithFeedSetup.of(20, Duration.ofSeconds(3)).refreshing().start();
        LDAPConnection client = people.anonymous()) {
      people.awaitLive(); // what it vouches for does not become too old
      long before = people.proxy().cache().filterMisses();
      AtomicLong asked = new AtomicLong(System.nanoTime());
      AtomicLong pauses = new AtomicLong();
      Await.until(
          "it is asked for again",
          () -> {
            long now = System.nanoTime();
            pauses.addAndGet(now - asked.getAndSet(now) > OFTEN_NANOS ? 1 : 0);
            find(client, "(uid=user.3)", "uid", "hasSubordinates"); // no feed tells of that
            return refills(people) > 0;
          });
      // Who does not ask while it ages is the first to ask for what is too old.
      assertThat(people.proxy().cache().filterMisses() - before).isBetween(1L, 1 + pauses.get());
    }
  }
}
