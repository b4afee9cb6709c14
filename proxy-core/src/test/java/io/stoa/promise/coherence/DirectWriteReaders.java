// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import com.unboundid.ldap.sdk.LDAPConnection;
import io.stoa.testing.Await;
import io.stoa.testing.People;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Clients of one identity who ask for one person after the other, of those of whom the first ten
 * are changed by {@link DirectWriter} and the others are not. Not thread-safe; a thread for each.
 */
final class DirectWriteReaders implements AutoCloseable {
  private static final int READERS = 2;

  /** So many of all that is cached may be asked for at the directory once more. */
  private static final int ONE_OF = 100;

  private final SlapdWithFeed people;
  private final List<LDAPConnection> clients = new ArrayList<>();
  private final ExecutorService threads = Executors.newFixedThreadPool(READERS);
  private int size = 1;

  /** What they read, and how long the slowest of a hundred took. */
  record Read(int count, double seconds, long p99Nanos) {}

  private DirectWriteReaders(SlapdWithFeed people) {
    this.people = people;
  }

  static DirectWriteReaders of(SlapdWithFeed people) {
    DirectWriteReaders readers = new DirectWriteReaders(people);
    for (int i = 0; i < READERS; i++) {
      readers.clients.add(people.client(People.dn(1), People.PASSWORD));
    }
    return readers;
  }

  private static void find(LDAPConnection client, int number) {
    int person =
        number < DirectWriter.CACHED ? number : number + DirectWriter.ENTRIES - DirectWriter.CACHED;
    String filter = "(uid=user." + person + ")";
    if (SlapdWithFeed.find(client, filter, "uid", DirectWriter.ATTRIBUTE).getEntryCount() != 1) {
      throw new AssertionError("not found: " + person);
    }
  }

  /** Has so many answers be in memory, and rest on the feed. */
  void warm(int answers, Duration patience) {
    size = answers;
    Await.until(answers + " are in memory", patience, () -> misses() <= answers / ONE_OF);
  }

  /** How many of all are not in memory. */
  private long misses() throws Exception {
    people.awaitLive();
    long before = people.proxy().cache().filterMisses();
    all(
        reader -> {
          for (int number = reader; number < size; number += READERS) {
            find(clients.get(reader), number);
          }
          return new long[0];
        });
    return people.proxy().cache().filterMisses() - before;
  }

  /** Reads for so long. */
  Read read(Duration length) throws Exception {
    long begun = System.nanoTime();
    long[] nanos = all(reader -> read(reader, begun + length.toNanos()));
    double seconds = (System.nanoTime() - begun) / 1e9;
    Arrays.sort(nanos);
    return new Read(nanos.length, seconds, nanos[nanos.length * 99 / 100]);
  }

  private long[] read(int reader, long until) {
    long[] nanos = new long[1024];
    int count = 0;
    long sent = System.nanoTime();
    for (int number = reader; sent - until < 0; number = (number + 7) % size) {
      if (count == nanos.length) {
        nanos = Arrays.copyOf(nanos, 2 * count);
      }
      find(clients.get(reader), number);
      long done = System.nanoTime();
      nanos[count++] = done - sent;
      sent = done;
    }
    return Arrays.copyOf(nanos, count);
  }

  /** What one of them does. */
  private interface Work {
    long[] by(int reader);
  }

  private long[] all(Work work) throws InterruptedException, ExecutionException {
    List<Future<long[]>> running = new ArrayList<>();
    for (int i = 0; i < READERS; i++) {
      int reader = i;
      running.add(threads.submit(() -> work.by(reader)));
    }
    long[] all = new long[0];
    for (Future<long[]> one : running) {
      long[] more = one.get();
      int had = all.length;
      all = Arrays.copyOf(all, had + more.length);
      System.arraycopy(more, 0, all, had, more.length);
    }
    return all;
  }

  @Override
  public void close() {
    threads.shutdown();
    clients.forEach(LDAPConnection::close);
  }
}
