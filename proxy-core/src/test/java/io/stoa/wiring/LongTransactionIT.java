// SPDX-License-Identifier: Apache-2.0
package io.stoa.wiring;

import static io.stoa.wiring.FedPeople.value;
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
import io.stoa.change.FeedKind;
import io.stoa.testing.Await;
import io.stoa.testing.People;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
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

  @Test
  void whatIsReadMeanwhileDoesNotStay() throws Exception {
    assertLongOne(() -> FedSetup.of(PEOPLE, MAX_AGE), people -> {});
  }

  @Test
  void whatIsReadMeanwhileDoesNotStayThoughTheFeedIsCutOff() throws Exception {
    assertLongOne(
        () -> FedSetup.of(PEOPLE, MAX_AGE).behindRelay(),
        people -> {
          people.relay().cut();
        });
  }

  /** What happens while it goes on. */
  private interface Meanwhile {
    void happens(FedPeople people) throws Exception;
  }

  private static void assertLongOne(Supplier<FedSetup> setup, Meanwhile meanwhile)
      throws Exception {
    boolean proved = false;
    for (int number = 1; number <= TRIES && !proved; number++) {
      try (FedPeople people = setup.get().start();
          LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
        people.vouched(client, ONE);
        long took = transact(people, client, number * OPERATIONS, meanwhile);
        proved = took > LONG_NANOS;
      }
    }
    assertThat(proved).as("a transaction took long enough").isTrue();
  }

  /** How long it was known before it was over, while what it changes was read all the time. */
  private static long transact(
      FedPeople people, LDAPConnection client, int operations, Meanwhile meanwhile)
      throws Exception {
    long before = people.report().realm().changes();
    try (LDAPConnection writer = people.another()) {
      StartTransactionExtendedResult begun =
          (StartTransactionExtendedResult)
              writer.processExtendedOperation(new StartTransactionExtendedRequest());
      TransactionSpecificationRequestControl control =
          new TransactionSpecificationRequestControl(begun.getTransactionID());
      send(writer, control, operations);
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
      Await.until("it is told", () -> people.report().realm().changes() > before || end.isDone());
      long told = System.nanoTime();
      meanwhile.happens(people);
      while (!end.isDone()) {
        value(client, ONE, "l");
      }
      long took = System.nanoTime() - told;
      assertThat(end.get()).isEqualTo(ResultCode.SUCCESS);
      assertNew(client);
      people.vouched(client, ONE);
      assertThat(value(client, ONE, "l")).isEqualTo(NEW);
      return took;
    }
  }

  /** From when the bound is over on, for as long as anything that stays would be shown. */
  private static void assertNew(LDAPConnection client) {
    long over = System.nanoTime() + BOUND.toNanos();
    long end = over + BOUND.toNanos();
    for (long asked = System.nanoTime(); asked - end < 0; asked = System.nanoTime()) {
      String shown = value(client, ONE, "l");
      if (asked - over > 0) {
        assertThat(shown).isEqualTo(NEW);
      }
    }
  }

  private static String[] many(int number) {
    return IntStream.range(0, VALUES)
        .mapToObj(value -> "of " + number + ": " + value)
        .toArray(String[]::new);
  }

  /** The first change is of the entry that is read, all others of others. */
  private static void send(
      LDAPConnection writer, TransactionSpecificationRequestControl control, int operations)
      throws Exception {
    Deque<AsyncRequestID> sent = new ArrayDeque<>();
    for (int i = 0; i < operations; i++) {
      String dn = People.dn(i == 0 ? 3 : 4 + i % (PEOPLE - 4));
      ModifyRequest modify =
          new ModifyRequest(
              dn,
              i == 0
                  ? new Modification(ModificationType.REPLACE, "l", NEW)
                  : new Modification(ModificationType.REPLACE, "description", many(i)));
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
