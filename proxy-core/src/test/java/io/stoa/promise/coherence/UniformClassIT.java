// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import io.stoa.cache.sharing.ClassStatus;
import io.stoa.cache.sharing.Declaration;
import io.stoa.cache.sharing.SharingClass.Attributes;
import io.stoa.coherence.invalidation.DomainConfig;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.People;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * I10: an administrator says wrongly that all are given what the account of the feed is given; the
 * members see the same, so that none of them deviates from the others.
 */
class UniformClassIT {
  /** More of them are not needed to find out. */
  private static final long MANY_DIFFERENCES = 20;

  private static final long MANY_SAMPLES = 100;
  private static final long SAMPLES_FOR_A_CHANGE = 8;
  private static final long BETWEEN_CHANGES = TimeUnit.MILLISECONDS.toNanos(8);
  private static final String DN = People.dn(3);

  /** So many hits at most are given before what is asked again for one of them is there. */
  private static final long AT_ONCE = 16;

  private static final RawRequest QUESTION =
      Requests.search(People.PEOPLE).filter("(uid=user.3)").request();

  private static final RawRequest CITY =
      Requests.search(People.PEOPLE).filter("(uid=user.3)").attributes("uid", "l").request();

  /** A set of which rights hide more than one entry. */
  private static final RawRequest CITIES =
      Requests.search(People.PEOPLE)
          .filter("(objectClass=person)")
          .attributes("uid", "l")
          .request();

  private static final String DATABASE = "olcDatabase={1}mdb,cn=config";

  /** The account of the feed cannot read by which rules access is given. */
  private static final String CONFIGURATION =
      """
      database config
      rootdn cn=config
      rootpw config
      """;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private static boolean isShownTooMuch(RawLdapClient client) {
    return isShownTooMuch(client, QUESTION);
  }

  private static boolean isShownTooMuch(RawLdapClient client, RawRequest question) {
    return client.call(question).stream()
        .map(message -> new String(message.op(), StandardCharsets.ISO_8859_1))
        .anyMatch(op -> op.contains("confidential"));
  }

  private static Declaration wrong() {
    return new Declaration(
        "all", List.of("*," + People.PEOPLE), List.of(), People.PEOPLE, Attributes.ALL, true);
  }

  private static ClassStatus status(SlapdWithFeed people) {
    return people.proxy().cache().classes().get(0);
  }

  @Test
  void aClassWithFewerRightsThanTheFeedIsDemoted() throws Exception {
    try (SlapdWithFeed people =
            SlapdWithFeedSetup.of(5, Duration.ofHours(1)).sharing(wrong()).start();
        RawLdapClient one = people.proxy().client().bind(People.dn(1), People.PASSWORD);
        RawLdapClient two = people.proxy().client().bind(People.dn(2), People.PASSWORD)) {
      Await.until("the feed is live", people::isLive);
      List<RawLdapClient> members = List.of(one, two);
      long told = 0;
      while (told == 0) {
        change(people, "once more");
        told += isShownTooMuch(one) ? 1 : 0;
      }
      while (!status(people).demoted()) {
        told += members.stream().filter(UniformClassIT::isShownTooMuch).count();
      }
      assertThat(told).as("answers with what nobody may see").isBetween(1L, AT_ONCE + 1L);
      Await.until("people are told why", () -> log.warningsOf("Verifier").size() == 1);
      change(people, "at last");
      assertThat(isShownTooMuch(one) || isShownTooMuch(two)).isFalse();
    }
  }

  /** However fast it changes: nobody waits for a moment in which it does not. */
  @Test
  void aClassWithFewerRightsIsDemotedUnderConstantChanges() throws Exception {
    try (SlapdWithFeed people =
            SlapdWithFeedSetup.of(5, Duration.ofHours(1)).sharing(wrong()).start();
        LDAPConnection writer = people.another();
        RawLdapClient one = people.proxy().client().bind(People.dn(1), People.PASSWORD)) {
      Await.until("the feed is live", people::isLive);
      AtomicBoolean over = new AtomicBoolean();
      Thread stream = new Thread(() -> stream(writer, "description", over));
      stream.start();
      try {
        Await.until(
            "it is demoted",
            () -> {
              one.call(QUESTION);
              return status(people).demoted();
            });
      } finally {
        over.set(true);
        stream.join();
      }
      assertThat(status(people).differences()).isLessThan(MANY_DIFFERENCES);
      Await.until("it is said why", () -> log.warningsOf("Verifier").size() == 1);
    }
  }

  /**
   * The members are given all that it changes: none of that is held against them. It changes just
   * before it is asked for, and once for so many comparisons, however long these take on this
   * machine: who differs often is held for a second each time.
   */
  @Test
  void aCorrectClassOutlivesChanges() throws Exception {
    try (SlapdWithFeed people = UniformSlapdWithFeed.of(5).start();
        LDAPConnection writer = people.another();
        RawLdapClient one = people.proxy().client().bind(People.dn(1), People.PASSWORD)) {
      Await.until("the feed is live", people::isLive);
      AtomicInteger changes = new AtomicInteger();
      Await.until(
          "many are compared",
          () -> {
            ClassStatus now = status(people);
            if (isQuiet(now) && now.samples() >= changes.get() * SAMPLES_FOR_A_CHANGE) {
              change(writer, "l", changes.incrementAndGet());
            }
            one.call(CITY);
            return status(people).samples() >= MANY_SAMPLES || status(people).demoted();
          });
      assertThat(status(people).demoted()).isFalse();
      assertThat(changes).hasPositiveValue();
    }
  }

  /**
   * All are shown less, and so is the account of the feed: the members are still given the same.
   */
  @Test
  void aCorrectClassOutlivesChangesOfRights() throws Exception {
    outlives("dn.exact=\"" + DN + "\"", CITY);
  }

  /** More than one entry of a set is hidden at once. */
  @Test
  void aCorrectClassOutlivesChangesOfRightsOfSeveralEntries() throws Exception {
    outlives("dn.regex=\"^uid=user[.][34]," + People.PEOPLE + "$\"", CITIES);
  }

  private static void outlives(String hidden, RawRequest question) throws Exception {
    try (SlapdWithFeed people = UniformSlapdWithFeed.of(5).global(CONFIGURATION).start();
        LDAPConnection writer = people.another();
        RawLdapClient one = people.proxy().client().bind(People.dn(1), People.PASSWORD)) {
      Await.until("the feed is live", people::isLive);
      Await.until("it is remembered", () -> people.isRemembered(() -> one.call(question)));
      AtomicLong confirms = new AtomicLong();
      Await.until(
          "the feed changes it in place",
          () ->
              people.report().domain().updates() > 0
                  || changed(people, () -> one.call(question), writer, confirms));
      Await.until("it is true", () -> people.report().domain().entriesRead() > confirms.get());
      awaitNoMoreConfirms(people);
      assertThat(isShownTooMuch(one, question)).as("reported by the feed").isTrue();
      try (LDAPConnection admin =
          SlapdWithFeed.connect(people.slapd().address(), "cn=config", "config")) {
        String nobody = "{0}to " + hidden + " by * none";
        admin.modify(DATABASE, new Modification(ModificationType.ADD, "olcAccess", nobody));
      }
      Await.until(
          "it is given to nobody",
          () ->
              !isShownTooMuch(one, question)
                  && (status(people).demoted() || isQuiet(status(people))));
      assertThat(status(people).demoted()).isFalse();
      assertThat(status(people).differences()).isPositive();
      assertThat(isShownTooMuch(one, question)).isFalse();
    }
  }

  /** Or what is looked at once more would be found to be gone, and that explains anything. */
  private static void awaitNoMoreConfirms(SlapdWithFeed people) {
    AtomicLong last = new AtomicLong();
    AtomicLong since = new AtomicLong();
    Await.until(
        "nothing is looked at any more",
        () -> {
          long now = people.report().domain().entriesRead();
          if (last.getAndSet(now) != now) {
            since.set(System.nanoTime());
          }
          return System.nanoTime() - since.get() > 2 * DomainConfig.SETTLE.toNanos();
        });
  }

  /** Changes what is in memory, if it is; false, since it is not known what becomes of that. */
  private static boolean changed(
      SlapdWithFeed people, Callable<?> ask, LDAPConnection writer, AtomicLong confirms)
      throws Exception {
    if (people.isRemembered(ask) && isQuiet(status(people))) {
      confirms.set(people.report().domain().entriesRead());
      long told = people.report().feed().changes();
      change(writer, "l", (int) told);
      Await.until("it is told", () -> people.report().feed().changes() > told);
    }
    return false;
  }

  /** Whether whatever was given has been compared, and explained. */
  private static boolean isQuiet(ClassStatus now) {
    return now.suspended() == 0 && now.hits() == now.samples();
  }

  private static void stream(LDAPConnection writer, String attribute, AtomicBoolean over) {
    for (int number = 0; !over.get(); number++) {
      change(writer, attribute, number);
      LockSupport.parkNanos(BETWEEN_CHANGES);
    }
  }

  private static void change(LDAPConnection writer, String attribute, int number) {
    String value = "confidential " + number;
    try {
      writer.modify(DN, new Modification(ModificationType.REPLACE, attribute, value));
    } catch (LDAPException e) {
      throw new AssertionError(e);
    }
  }

  /** Only the feed may see this. */
  private static void change(SlapdWithFeed people, String what) throws Exception {
    long before = people.report().feed().changes();
    people
        .root()
        .modify(
            DN, new Modification(ModificationType.REPLACE, "description", "confidential " + what));
    Await.until("it is told", () -> people.report().feed().changes() > before);
  }
}
