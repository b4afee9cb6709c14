// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import static io.stoa.promise.coherence.SlapdWithFeed.find;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchScope;
import io.stoa.cache.maintenance.MaintenanceStatus;
import io.stoa.cache.maintenance.MaintenanceStatus.Verification;
import io.stoa.cache.maintenance.MaintenanceStatus.VerificationState;
import io.stoa.cache.sharing.Declaration;
import io.stoa.cache.sharing.SharingClass.Attributes;
import io.stoa.coherence.view.InvalidationCause;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.People;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What rests on a feed is compared with the directory, and what is wrong is found and dropped. */
class AuditorIT {
  private static final Duration MAX_AGE = Duration.ofMillis(100);
  private static final String LOST = "Lost on the way";

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private static SearchResult read(LDAPConnection client, int number) {
    return find(client, People.dn(number), SearchScope.BASE, "(objectClass=*)", "uid", "l");
  }

  private static String city(LDAPConnection client, int number) {
    return read(client, number).getSearchEntries().get(0).getAttributeValue("l");
  }

  private static void move(SlapdWithFeed people, int number, String city) throws LDAPException {
    people.root().modify(People.dn(number), new Modification(ModificationType.REPLACE, "l", city));
  }

  private static MaintenanceStatus upkeep(SlapdWithFeed people) {
    return people.proxy().status().maintenance();
  }

  /** The feed tells nothing of a change, but that it has come past it. */
  private static void lose(SlapdWithFeed people, int number) throws LDAPException {
    people.relay().swallow(LOST);
    move(people, number, LOST);
    Await.until("it is lost", () -> people.relay().swallowed() > 0);
    people.relay().swallow(null);
    move(people, number + 1, "Elsewhere");
    Await.until("the feed goes on", people::isLive);
  }

  private static boolean isIncoherent(String line) {
    return line.contains("incoherent");
  }

  private static Verification verify(SlapdWithFeed people) {
    long number = people.proxy().proxy().adminCommands().maintenance().verify();
    Await.until(
        "all is compared",
        () -> {
          Verification now = upkeep(people).verification();
          return now.number() == number && now.state() == VerificationState.DONE;
        });
    return upkeep(people).verification();
  }

  /** All but what nobody is there for: not while the feed is late for a moment. */
  private static Verification decided(SlapdWithFeed people) {
    AtomicReference<Verification> last = new AtomicReference<>();
    Await.until(
        "all that can be is decided",
        () -> {
          last.set(verify(people));
          return last.get().unverifiable() == 1;
        });
    return last.get();
  }

  @Test
  void aResultWhoseChangeTheFeedMissedIsFoundAndDropped() throws Exception {
    try (SlapdWithFeed people =
            SlapdWithFeedSetup.of(20, MAX_AGE).behindRelay().audited(50).start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      people.awaitHeldByFeed("an entry", () -> read(client, 3));
      lose(people, 3);
      Await.until("it is found", () -> upkeep(people).incoherent() == 1);
      assertThat(city(client, 3)).isEqualTo(LOST);
      assertThat(people.report().domain().invalidations().get(InvalidationCause.MISMATCH))
          .isEqualTo(1);
      assertThat(people.report().domain().mismatches()).isEqualTo(1);
      Await.until("it is said", () -> log.warnings().stream().anyMatch(AuditorIT::isIncoherent));
      assertThat(log.warnings())
          .filteredOn(AuditorIT::isIncoherent)
          .singleElement()
          .asString()
          .contains("directory in 1 entries", "the feed has reported no recent change of them")
          .doesNotContain(LOST, "user.3");
    }
  }

  @Test
  void aCommandedVerificationComparesEveryResult() throws Exception {
    try (SlapdWithFeed people = SlapdWithFeedSetup.of(20, MAX_AGE).behindRelay().start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      try (LDAPConnection other = people.client(People.dn(2), People.PASSWORD)) {
        people.awaitHeldByFeed("entries", () -> read(client, 3));
        people.awaitHeldByFeed("entries", () -> read(client, 5));
        people.awaitHeldByFeed("entries of another", () -> read(other, 5));
      }
      lose(people, 3);
      Verification all = decided(people);
      assertThat(all)
          .isEqualTo(new Verification(VerificationState.DONE, all.number(), 3, 1, 1, 1, 1));
      assertThat(city(client, 3)).isEqualTo(LOST);
      assertThat(verify(people)).extracting(Verification::differing).isEqualTo(0L);
    }
  }

  /** Somebody is connected who would be given it, though not as whom it was read. */
  @Test
  void sharedResultsAreAuditedAsAnyClassMember() throws Exception {
    try (SlapdWithFeed people =
            SlapdWithFeedSetup.of(20, MAX_AGE).behindRelay().sharing(apps()).start();
        LDAPConnection other = people.client(People.dn(2), People.PASSWORD)) {
      read(other, 7);
      try (LDAPConnection reader = people.client(People.dn(1), People.PASSWORD)) {
        people.awaitHeldByFeed("entries", () -> read(reader, 3));
        people.awaitHeldByFeed("entries", () -> read(reader, 5));
      }
      lose(people, 3);
      AtomicReference<Verification> last = new AtomicReference<>();
      Await.until(
          "it is found",
          () -> {
            last.set(verify(people));
            return last.get().differing() == 1;
          });
      assertThat(city(other, 3)).isEqualTo(LOST);
      Await.until("the rest is as it should be", () -> verify(people).verified() >= 1);
    }
  }

  /**
   * I11: one of them is given less by the directory, and asks for nothing of what is shared: the
   * class is demoted all the same, before anything is given to it.
   */
  @Test
  void anIdleMemberWithFewerRightsIsFoundByTheAudit() throws Exception {
    String rules = "access to attrs=l by dn.exact=\"" + People.dn(2) + "\" none by * read";
    try (SlapdWithFeed people =
            SlapdWithFeedSetup.of(20, MAX_AGE).access(rules).audited(50).sharing(apps()).start();
        LDAPConnection reader = people.client(People.dn(1), People.PASSWORD);
        LDAPConnection less = people.client(People.dn(2), People.PASSWORD)) {
      move(people, 3, "Athens");
      find(less, People.dn(7), SearchScope.BASE, "(objectClass=*)", "uid");
      people.awaitHeldByFeed("an entry", () -> read(reader, 3));
      Await.until("it is demoted", () -> people.proxy().cache().classes().get(0).demoted());
      assertThat(people.proxy().cache().classes().get(0).hits()).isPositive();
      assertThat(city(less, 3)).isNull();
      assertThat(city(reader, 3)).isEqualTo("Athens");
      Await.until(
          "it is said",
          () ->
              log.warnings().stream()
                  .anyMatch(line -> line.contains("sharing class apps demoted")));
    }
  }

  private static Declaration apps() {
    return new Declaration(
        "apps",
        List.of(People.dn(1), People.dn(2)),
        List.of(),
        People.SUFFIX,
        Attributes.ALL,
        false);
  }

  @Test
  void changesInFlightAreNoMismatches() throws Exception {
    try (SlapdWithFeed people = SlapdWithFeedSetup.of(50, MAX_AGE).audited(400).start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      people.awaitHeldByFeed("an entry", () -> read(client, 3));
      for (int i = 0; i < 2000; i++) {
        move(people, 1 + i % 40, "City " + i % 3);
        read(client, 1 + i % 45);
        find(client, "(l=City " + i % 4 + ")", "uid", "l");
      }
      Await.until("some are compared", () -> upkeep(people).verified() > 50);
      assertThat(verify(people).differing()).isZero();
      assertThat(upkeep(people).incoherent()).isZero();
      assertThat(log.warnings()).noneMatch(line -> line.contains("incoherent"));
    }
  }
}
