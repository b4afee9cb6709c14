// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Parallel;
import io.stoa.testing.People;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.Requests;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * Ordinary clients that go on while others attack, and notice every error. Each second one has
 * bound; the others are anonymous. Thread-safe.
 */
final class OrdinaryClients {
  private static final int COMPARE_FALSE = 5;
  private static final int LARGE = 64 * 1024;
  private static final int LARGE_EVERY = 16;
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private final InetSocketAddress stoa;
  private final int people;
  private final AtomicInteger requests = new AtomicInteger();

  /** Given where Stoa listens, and the number of people in the directory. */
  OrdinaryClients(InetSocketAddress stoa, int people) {
    this.stoa = stoa;
    this.people = people;
  }

  /**
   * Runs so many clients at once, each for at least so many requests. Returns the time that 99 of
   * 100 requests stay below, in microseconds.
   *
   * @param goOn whether more requests are wanted
   */
  long run(int clients, int least, BooleanSupplier goOn) {
    ConcurrentLinkedQueue<Long> times = new ConcurrentLinkedQueue<>();
    Parallel.run(
        clients,
        PATIENCE,
        number -> {
          try (RawLdapClient client = RawLdapClient.connect(stoa)) {
            boolean bound = number % 2 == 0;
            if (bound) {
              client.bind(People.dn(number), People.PASSWORD);
            }
            for (int i = 0; i < least || goOn.getAsBoolean(); i++) {
              boolean large = bound && i % LARGE_EVERY == 0;
              times.add(large ? compare(client) : search(client));
            }
          }
        });
    long[] sorted = times.stream().mapToLong(time -> time).sorted().toArray();
    return sorted[(int) (sorted.length * 0.99)] / 1000;
  }

  /** Returns how many requests were made so far. */
  int requests() {
    return requests.get();
  }

  /** A search that the directory must answer. */
  private long search(RawLdapClient client) {
    return search(client, requests.incrementAndGet(), people);
  }

  /** A search of that number, which nobody has done before. Returns its nanoseconds. */
  static long search(RawLdapClient client, int number, int people) {
    String name = "user." + number % people;
    final long start = System.nanoTime();
    List<RawMessage> answer =
        client.call(
            Requests.search(People.PEOPLE)
                .filter("(&(uid=" + name + ")(!(sn=" + number + ")))")
                .attributes("uid", "cn")
                .request());
    final long nanos = System.nanoTime() - start;
    assertThat(answer).hasSize(2);
    assertThat(answer.get(0).mentions("uid=" + name + ",")).isTrue();
    assertThat(answer.get(1).resultCode()).isZero();
    return nanos;
  }

  /** A request of many octets. */
  private long compare(RawLdapClient client) {
    int number = requests.incrementAndGet();
    String value = number + "x".repeat(LARGE);
    final long start = System.nanoTime();
    int code = client.code(Requests.compare(People.dn(number % people), "cn", value));
    assertThat(code).isEqualTo(COMPARE_FALSE);
    return System.nanoTime() - start;
  }
}
