// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.server.StoaProcess;
import io.stoa.testing.Await;
import io.stoa.testing.Parallel;
import io.stoa.testing.People;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.Slapd;
import io.stoa.testing.Soak;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A thousand connections send garbage: others are served, and nothing of it stays in memory. */
@Tag("soak")
@Tag("alone")
class GarbageIT {
  private static final int CONNECTIONS = 1_000;
  private static final int THREADS = 50;
  private static final int CLIENTS = 8;
  private static final double MEMORY = 1.05;
  private static final Duration PATIENCE = Duration.ofHours(2);

  @Test
  void garbageDoesNotAffectOtherClients() {
    int rounds = Soak.scale(5, 200);
    try (Slapd slapd = Slapd.start(People.slapd(200));
        StoaProcess stoa = StoaProcess.before(slapd)) {
      garbage(stoa, 0); // memory that is kept for the next thousand connections is no leak
      searchUntil(stoa, new AtomicInteger(1));
      double before = searchUntil(stoa, new AtomicInteger(1));
      final long memory = stoa.residentMemory();
      AtomicInteger over = new AtomicInteger();
      double[] during = new double[1];
      Parallel.run(
          2,
          PATIENCE,
          number -> {
            if (number == 0) {
              during[0] = searchUntil(stoa, over);
            } else {
              for (int round = 1; round <= rounds; round++) {
                garbage(stoa, round);
              }
              over.set(1);
            }
          });
      Await.until("all are gone", () -> stoa.monitor("currentconnections") == 1);
      Await.until("memory is back", () -> stoa.residentMemory() <= MEMORY * memory);
      Soak.record(
          String.format(
              Locale.ROOT,
              "garbage from %d connections: p99 %.0f µs before, %.0f µs meanwhile;"
                  + " resident %d MB before, %d MB after",
              rounds * CONNECTIONS,
              before,
              during[0],
              memory >> 20,
              stoa.residentMemory() >> 20));
    }
  }

  /** All connections are open at the same time. */
  private static void garbage(StoaProcess stoa, int round) {
    RawLdapClient[] clients = new RawLdapClient[CONNECTIONS];
    Parallel.run(CONNECTIONS, THREADS, PATIENCE, number -> clients[number] = stoa.client());
    Garbage garbage = new Garbage(Soak.seed() + round);
    for (RawLdapClient client : clients) {
      send(client, garbage);
    }
    for (RawLdapClient client : clients) {
      client.close();
    }
  }

  private static void send(RawLdapClient client, Garbage garbage) {
    try {
      for (int i = 0; i < 3; i++) {
        client.sendOctets(garbage.next());
      }
    } catch (UncheckedIOException disconnected) {
      client.close();
    }
  }

  /** Searches without an error until it is over, at least 20,000 times; the 99th percentile. */
  private static double searchUntil(StoaProcess stoa, AtomicInteger over) {
    long[][] times = new long[CLIENTS][];
    Parallel.run(CLIENTS, PATIENCE, number -> times[number] = timesOfSearches(stoa, number, over));
    long[] all = Arrays.stream(times).flatMapToLong(Arrays::stream).sorted().toArray();
    return all[(int) (all.length * 0.99)] / 1000.0;
  }

  private static long[] timesOfSearches(StoaProcess stoa, int number, AtomicInteger over) {
    long[] times = new long[1_000_000];
    int count = 0;
    try (RawLdapClient client = stoa.client()) {
      client.bind(People.dn(number), People.PASSWORD);
      while (over.get() == 0 || count < 2_500) {
        long start = System.nanoTime();
        assertThat(client.call(People.find((number + count) % 200))).hasSize(2);
        times[count++ % times.length] = System.nanoTime() - start;
      }
    }
    return Arrays.copyOf(times, Math.min(count, times.length));
  }
}
