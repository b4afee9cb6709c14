// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import static io.stoa.promise.coherence.SlapdWithFeed.value;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.controls.TransactionSpecificationRequestControl;
import com.unboundid.ldap.sdk.extensions.EndTransactionExtendedRequest;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedRequest;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedResult;
import io.stoa.feed.event.FeedKind;
import io.stoa.testing.Await;
import io.stoa.testing.People;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * I9: what OpenLDAP tells of a transaction (RFC 5805) that takes much longer than everything else
 * takes to settle is not taken for shown.
 */
class LongTransactionIT {
  private static final String ONE = "(uid=user.3)";
  private static final String NEW = "New";
  private static final Duration MAX_AGE = Duration.ofMillis(200);
  private static final int PEOPLE = 50;

  /** If that does not take long enough on a fast machine, there are more in the next try. */
  private static final int OPERATIONS = 150;

  /** What makes an operation slow, and not the feed. */
  private static final int VALUES = 20_000;

  private static final int TRIES = 5;
  private static final long LONG_NANOS = FeedKind.SETTLE.multipliedBy(3).dividedBy(2).toNanos();

  /** Beside what the feed may be behind. */
  private static final Duration BOUND = Duration.ofSeconds(1);

  private static final String GROUP = "cn=readers," + People.SUFFIX;

  /** Whoever is in the group sees more of the third than others do. */
  private static final String RULES =
      """
      access to dn.exact="%s" attrs=mail
        by group.exact="%s" read by dn.exact="%s" read by * none
      """
          .formatted(People.dn(3), GROUP, SlapdWithFeed.FEED);

  /** The rules are watched: what follows from them is not asked for again as time passes. */
  private static final String READABLE =
      """
      database config
      rootdn cn=config
      rootpw config
      access to * by dn.exact="%s" read by * none
      """
          .formatted(SlapdWithFeed.FEED);

  private static final Case ENTRY =
      new Case(
          () -> SlapdWithFeedSetup.of(PEOPLE, MAX_AGE),
          People.dn(3),
          new Modification(ModificationType.REPLACE, "l", NEW),
          "l",
          NEW);

  private static final Case MEMBER =
      new Case(
          () ->
              SlapdWithFeedSetup.of(PEOPLE, MAX_AGE)
                  .rights(Duration.ofMinutes(1))
                  .global(READABLE)
                  .access(RULES)
                  .entry(
                      GROUP,
                      "objectClass: groupOfNames",
                      "cn: readers",
                      "member: " + People.dn(1),
                      "member: " + People.dn(2)),
          GROUP,
          new Modification(ModificationType.DELETE, "member", People.dn(1)),
          "mail",
          null);

  /**
   * What the transaction changes first.
   *
   * @param dn the entry that it changes
   * @param attribute what is read of the third
   * @param after what it is when all is over
   */
  private record Case(
      Supplier<SlapdWithFeedSetup> setup,
      String dn,
      Modification first,
      String attribute,
      @Nullable String after) {
    ModifyRequest request() {
      return new ModifyRequest(dn, first);
    }

    @Nullable String read(LDAPConnection client) {
      return value(client, ONE, attribute);
    }
  }

  @Test
  void aReadDuringALongTransactionIsNotKept() throws Exception {
    assertLongOne(ENTRY, ENTRY.setup(), people -> {});
  }

  @Test
  void aFormerMemberKeepsNothingReadDuringALongTransaction() throws Exception {
    assertLongOne(MEMBER, MEMBER.setup(), people -> {});
  }

  @Test
  void aReadDuringALongTransactionIsNotKeptIfTheFeedIsCut() throws Exception {
    assertLongOne(
        ENTRY,
        () -> ENTRY.setup().get().behindRelay(),
        people -> {
          people.relay().cut();
        });
  }

  /** What happens while it goes on. */
  private interface Meanwhile {
    void happens(SlapdWithFeed people) throws Exception;
  }

  private static void assertLongOne(
      Case what, Supplier<SlapdWithFeedSetup> setup, Meanwhile meanwhile) throws Exception {
    boolean proved = false;
    for (int number = 1; number <= TRIES && !proved; number++) {
      try (SlapdWithFeed people = setup.get().start();
          LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
        people.awaitHeldByFeed(client, ONE);
        assertThat(what.read(client)).isNotEqualTo(what.after());
        long took = transact(what, people, client, number * OPERATIONS, meanwhile);
        proved = took > LONG_NANOS;
      }
    }
    assertThat(proved).as("a transaction took long enough").isTrue();
  }

  /** How long it was known before it was over, while what it changes was read all the time. */
  private static long transact(
      Case what, SlapdWithFeed people, LDAPConnection client, int operations, Meanwhile meanwhile)
      throws Exception {
    long before = people.report().domain().changes();
    try (LDAPConnection writer = people.another()) {
      StartTransactionExtendedResult begun =
          (StartTransactionExtendedResult)
              writer.processExtendedOperation(new StartTransactionExtendedRequest());
      TransactionSpecificationRequestControl control =
          new TransactionSpecificationRequestControl(begun.getTransactionID());
      send(writer, control, what.request(), operations);
      CompletableFuture<ResultCode> end =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return writer
                      .processExtendedOperation(
                          new EndTransactionExtendedRequest(begun.getTransactionID(), true))
                      .getResultCode();
                } catch (LDAPException e) {
                  return e.getResultCode();
                }
              });
      Await.until("it is told", () -> people.report().domain().changes() > before || end.isDone());
      long told = System.nanoTime();
      meanwhile.happens(people);
      while (!end.isDone()) {
        what.read(client);
      }
      long took = System.nanoTime() - told;
      assertThat(end.get()).isEqualTo(ResultCode.SUCCESS);
      assertNew(what, client);
      people.awaitHeldByFeed(client, ONE);
      assertThat(what.read(client)).isEqualTo(what.after());
      return took;
    }
  }

  /** From when the bound is over on, for as long as anything that stays would be shown. */
  private static void assertNew(Case what, LDAPConnection client) {
    long over = System.nanoTime() + BOUND.toNanos();
    long end = over + BOUND.toNanos();
    for (long asked = System.nanoTime(); asked - end < 0; asked = System.nanoTime()) {
      String shown = what.read(client);
      if (asked - over > 0) {
        assertThat(shown).isEqualTo(what.after());
      }
    }
  }

  private static ModifyRequest many(int number) {
    String[] values =
        IntStream.range(0, VALUES)
            .mapToObj(value -> "of " + number + ": " + value)
            .toArray(String[]::new);
    return new ModifyRequest(
        People.dn(4 + number % (PEOPLE - 4)),
        new Modification(ModificationType.REPLACE, "description", values));
  }

  /** Only the first change is of what is read. */
  private static void send(
      LDAPConnection writer,
      TransactionSpecificationRequestControl control,
      ModifyRequest first,
      int operations)
      throws Exception {
    Deque<AsyncRequestID> sent = new ArrayDeque<>();
    for (int i = 0; i < operations; i++) {
      ModifyRequest modify = i == 0 ? first : many(i);
      modify.addControl(control);
      sent.add(writer.asyncModify(modify, null));
      if (sent.size() > 500) {
        assertThat(sent.remove().get(1, TimeUnit.MINUTES).getResultCode())
            .isEqualTo(ResultCode.SUCCESS);
      }
    }
    while (!sent.isEmpty()) {
      sent.remove().get(1, TimeUnit.MINUTES);
    }
  }
}
