// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import static io.stoa.promise.coherence.SlapdWithFeed.find;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchScope;
import io.stoa.coherence.invalidation.DomainConfig;
import io.stoa.testing.Await;
import io.stoa.testing.People;
import io.stoa.testing.Repository;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/**
 * Which evidence shows that the account of a feed sees everything, and when searches rest on it.
 */
class CoverageIT {
  private static final Duration MAX_AGE = Duration.ofMillis(100);

  /** Rules of access are read twice as often. */
  private static final Duration RIGHTS = Duration.ofSeconds(2);

  private static final String DATABASE = "olcDatabase={1}mdb,cn=config";

  private static final String HIDING =
      "{0}to dn.base=\"%s\" by dn.base=\"%s\" none by * read"
          .formatted(People.dn(7), SlapdWithFeed.FEED);

  /** The lines of slapd.conf in a section of the guide. */
  private static String documented(String section) throws IOException {
    return String.join("\n", Repository.section("docs/guides/feeds.md", section)).replace("```", "")
        + "\n";
  }

  private static String coverage(SlapdWithFeed people) {
    return people.report().coverage();
  }

  private static Callable<?> person(LDAPConnection client) {
    return () -> find(client, People.SUFFIX, SearchScope.SUB, "(uid=user.3)", "uid", "l");
  }

  private static void configure(SlapdWithFeed people, ModificationType how, String rule)
      throws LDAPException {
    try (LDAPConnection admin =
        SlapdWithFeed.connect(people.slapd().address(), "cn=config", "config")) {
      admin.modify(DATABASE, new Modification(how, "olcAccess", rule));
    }
  }

  /** The set-up of docs/guides/feeds.md needs no declaration, and no change. */
  @Test
  void accessRulesProveCoverageOnAQuietDirectory() throws Exception {
    String config = documented("slapd-config") + "rootdn cn=config\nrootpw config\n";
    SlapdWithFeedSetup setup =
        SlapdWithFeedSetup.of(20, MAX_AGE)
            .rights(RIGHTS)
            .global(config)
            .database(documented("slapd"));
    try (SlapdWithFeed people = setup.start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      Await.until("it is proved", Duration.ofMinutes(1), () -> coverage(people).equals("rules"));
      people.awaitHeldByFeed("a person below the suffix", person(client));
      configure(people, ModificationType.ADD, HIDING);
      Await.until("the rule is seen", () -> coverage(people).startsWith("0 of 100 changes"));
      assertThat(coverage(people)).contains("olcAccess {0}");
      assertThat(people.restingOnTheFeed(Duration.ofSeconds(1), person(client))).isZero();
      configure(people, ModificationType.DELETE, "{0}");
      Await.until("the rule has gone", () -> coverage(people).equals("rules"));
      people.awaitHeldByFeed("the person again", person(client));
    }
  }

  /** Each change that was told counts, however few positions were read meanwhile. */
  @Test
  void changesAreCountedWhereRulesCannotBeRead() throws Exception {
    try (SlapdWithFeed people = SlapdWithFeedSetup.of(20, MAX_AGE).blind("").start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      people.awaitLive();
      int before = confirmedChanges(people);
      assertThat(coverage(people)).contains("cannot read cn=config");
      for (int i = 0; i < 37; i++) {
        move(people, i);
      }
      Await.until("all of them count", () -> confirmedChanges(people) == before + 37);
      assertThat(people.restingOnTheFeed(Duration.ofMillis(500), person(client))).isZero();
      for (int i = 0; i < 100; i++) {
        move(people, i);
      }
      Await.until("it is proved", () -> coverage(people).equals("changes"));
      people.awaitHeldByFeed("a person below the suffix", person(client));
    }
  }

  /** The number outlives Stoa until a change is left out, or the rules can be read. */
  @Test
  void reportedChangesCountTowardsCoverageAfterARestart() throws Exception {
    String hidden = "access to dn.base=\"%s\" by dn.exact=\"%s\" none by * read\n";
    String rules = hidden.formatted(People.dn(7), SlapdWithFeed.FEED);
    try (SlapdWithFeed people = SlapdWithFeedSetup.of(20, MAX_AGE).blind(rules).start()) {
      people.awaitLive();
      for (int i = 0; i < 3; i++) {
        move(people, i);
      }
      Await.until("all of them count", () -> confirmedChanges(people) >= 3);
      final int before = confirmedChanges(people);
      people.restartStoa();
      people.awaitLive();
      Await.until("they count again", () -> confirmedChanges(people) >= before);
      assertThat(people.restingOnTheFeed(Duration.ofMillis(300), hits(people))).isZero();
      Entry seventh = people.root().getEntry(People.dn(7), "*");
      Await.until(
          "a change that was left out is seen",
          () -> {
            people.root().delete(People.dn(7)); // told to nobody
            Await.until("a probe has found it counted", () -> !people.isLive());
            people.root().add(seventh);
            return confirmedChanges(people) < before;
          });
      people.restartStoa();
      people.awaitLive();
      assertThat(confirmedChanges(people)).isLessThan(before);
    }
  }

  private static Callable<?> hits(SlapdWithFeed people) {
    return () -> {
      try (LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
        return person(client).call();
      }
    };
  }

  private static int confirmedChanges(SlapdWithFeed people) {
    String coverage = coverage(people);
    return coverage.equals("changes")
        ? DomainConfig.REQUIRED_CONFIRMATIONS
        : Integer.parseInt(coverage.replaceFirst(" .*", ""));
  }

  private static void move(SlapdWithFeed people, int number) throws LDAPException {
    people
        .root()
        .modify(
            People.dn(number % 20),
            new Modification(ModificationType.REPLACE, "l", "City " + number));
  }
}
