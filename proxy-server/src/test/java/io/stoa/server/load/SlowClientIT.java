// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.server.StoaProcess;
import io.stoa.server.load.Download.Result;
import io.stoa.testing.Parallel;
import io.stoa.testing.People;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.Slapd;
import io.stoa.testing.Soak;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A client that takes its answer slowly does not hold up others of the same identity. */
@Tag("soak")
@Tag("alone")
class SlowClientIT {
  private static final int PEOPLE = 500;
  private static final int OTHERS = Soak.scale(10, 50);
  private static final int ENTRIES = Soak.scale(4, 40);
  private static final int ENTRY_MEGABYTES = Soak.scale(4, 5);
  private static final long OCTETS_PER_SECOND = Soak.scale(4_000_000L, 1_000_000L);
  private static final int SEARCHES_BEFORE = Soak.scale(200, 3_000);
  private static final int MAX_TIMES = 3;
  private static final Duration PATIENCE = Duration.ofMinutes(15);

  @Test
  void otherClientsOfTheIdentityAreServedAsBefore() throws Exception {
    try (Slapd slapd = LargeDirectory.start(PEOPLE)) {
      LargeDirectory.addEntries(slapd, ENTRIES, ENTRY_MEGABYTES);
      Result direct = Download.of(slapd.address(), LargeDirectory.allEntries());
      assertThat(direct.messages()).isEqualTo(ENTRIES + 1);
      try (StoaProcess stoa = StoaProcess.before(slapd)) {
        AtomicInteger searches = new AtomicInteger();
        p99(stoa, searches, () -> searches.get() < OTHERS * SEARCHES_BEFORE); // warm up
        searches.set(0);
        final long before = p99(stoa, searches, () -> searches.get() < OTHERS * SEARCHES_BEFORE);
        AtomicBoolean fetching = new AtomicBoolean(true);
        CompletableFuture<Result> slow = CompletableFuture.supplyAsync(() -> fetch(stoa, fetching));
        final long beside = p99(stoa, searches, fetching::get);
        assertThat(slow.join()).isEqualTo(direct);
        Soak.record(
            "p99 of %d searches of %d others: %d µs before, %d µs beside a client that took %d MB"
                .formatted(searches.get(), OTHERS, before, beside, direct.octets() >> 20));
        if (Soak.isLong()) { // the short form is too short, and not alone on the machine
          assertThat(beside).isLessThan(MAX_TIMES * before);
        }
      }
    }
  }

  private static Result fetch(StoaProcess stoa, AtomicBoolean fetching) {
    try {
      return Download.of(stoa.address(), LargeDirectory.allEntries(), OCTETS_PER_SECOND);
    } catch (IOException e) {
      throw new AssertionError("the slow client was not served", e);
    } finally {
      fetching.set(false);
    }
  }

  /** The time that 99 of 100 searches stay below, in microseconds; each has its right answer. */
  private static long p99(StoaProcess stoa, AtomicInteger searches, BooleanSupplier goOn) {
    ConcurrentLinkedQueue<long[]> times = new ConcurrentLinkedQueue<>();
    Parallel.run(
        OTHERS,
        PATIENCE,
        number -> {
          try (RawLdapClient client = stoa.client()) {
            client.bind(People.dn(1), People.PASSWORD);
            while (goOn.getAsBoolean()) {
              times.add(
                  new long[] {OrdinaryClients.search(client, searches.incrementAndGet(), PEOPLE)});
            }
          }
        });
    long[] sorted = times.stream().mapToLong(time -> time[0]).sorted().toArray();
    return sorted[(int) (sorted.length * 0.99)] / 1000;
  }
}
