// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchScope;
import io.stoa.testing.Await;
import io.stoa.testing.People;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/** Clients that search {@link People} without a pause. Thread-safe. */
final class SearchLoad implements AutoCloseable {
  private static final int SAMPLES = 1 << 20;
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final List<Thread> clients;
  private final AtomicLong answered = new AtomicLong();
  private final List<String> failures = new CopyOnWriteArrayList<>();
  private volatile Samples samples = new Samples();
  private volatile boolean ended;

  /** The times of answers, in nanoseconds. */
  private static final class Samples {
    private final AtomicInteger count = new AtomicInteger();
    private final long[] nanos = new long[SAMPLES];

    void add(long one) {
      int index = count.getAndIncrement();
      if (index < SAMPLES) {
        nanos[index] = one;
      }
    }

    long percentileMicros(double share) {
      long[] sorted = Arrays.copyOf(nanos, Math.min(count.get(), SAMPLES));
      Arrays.sort(sorted);
      return sorted[(int) (share * (sorted.length - 1))] / 1000;
    }
  }

  SearchLoad(int port, int people, int count) {
    clients =
        IntStream.range(0, count)
            .mapToObj(client -> new Thread(() -> work(port, people, client), "search-load"))
            .toList();
    clients.forEach(thread -> thread.setDaemon(true));
    clients.forEach(Thread::start);
  }

  private void work(int port, int people, int client) {
    try (LDAPConnection connection = new LDAPConnection("127.0.0.1", port)) {
      for (int person = client; !ended; person = (person + 1) % people) {
        Filter filter = Filter.createEqualityFilter("uid", "user." + person);
        long start = System.nanoTime();
        int entries =
            connection.search(People.PEOPLE, SearchScope.SUB, filter, "cn").getEntryCount();
        samples.add(System.nanoTime() - start);
        answered.incrementAndGet();
        if (entries != 1) {
          failures.add(filter + " found " + entries + " entries");
        }
      }
    } catch (LDAPException e) {
      failures.add(e.getExceptionMessage());
    }
  }

  /** Waits for so many more answers, and returns their number and times for people. */
  String measure(long operations) {
    Samples measured = new Samples();
    long start = System.nanoTime();
    samples = measured;
    more(operations);
    long millis = (System.nanoTime() - start) / 1_000_000;
    return "%d operations in %d ms, p50 %d us, p99 %d us, longest %d us"
        .formatted(
            operations,
            millis,
            measured.percentileMicros(0.5),
            measured.percentileMicros(0.99),
            measured.percentileMicros(1));
  }

  /** Waits for so many more answers. */
  void more(long operations) {
    long goal = answered.get() + operations;
    Await.until(
        operations + " more answers",
        PATIENCE,
        () -> answered.get() >= goal || !failures.isEmpty());
  }

  /** Answers without an error. */
  long answered() {
    return answered.get();
  }

  List<String> failures() {
    return List.copyOf(failures);
  }

  /** Waits for the last answers, and disconnects. */
  void end() throws InterruptedException {
    ended = true;
    for (Thread client : clients) {
      client.join();
    }
  }

  @Override
  public void close() throws InterruptedException {
    end();
  }
}
