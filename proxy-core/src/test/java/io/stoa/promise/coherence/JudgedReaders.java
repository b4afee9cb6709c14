// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchScope;
import io.stoa.testing.Await;
import io.stoa.testing.People;
import io.stoa.testing.Soak;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * Clients of Stoa that ask for random people without end. Each answer is judged: none may be older
 * than the bound, and none may come long after the last server has ended. One thread for each;
 * thread-safe.
 */
final class JudgedReaders implements AutoCloseable {
  /** The version of an entry that is not there. */
  static final String ABSENT = "absent";

  private static final int READERS = 4;
  private static final int MAX_FAILURES = 20;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(Soak.scale(3L, 8L));
  private static final int TIMEOUT_MILLIS = 5_000;

  private final SlapdWithFeed people;
  private final OracleVersions versions;
  private final int[] entries;
  private final long boundNanos;
  private final List<Thread> threads = new ArrayList<>();
  private final Queue<String> failures = new ConcurrentLinkedQueue<>();
  private final AtomicLong asked = new AtomicLong();
  private volatile boolean over;

  /** Readers hold it for reading; while it is held for writing nobody reads. */
  private final ReentrantReadWriteLock turns = new ReentrantReadWriteLock(true);

  /** When the last server had ended; {@link Long#MAX_VALUE} while one runs. */
  private volatile long endedNanos = Long.MAX_VALUE;

  JudgedReaders(SlapdWithFeed people, OracleVersions versions, int[] entries, Duration bound) {
    this.people = people;
    this.versions = versions;
    this.entries = entries.clone();
    this.boundNanos = bound.toNanos();
    for (int i = 0; i < READERS; i++) {
      Random choice = new Random(Soak.seed() + i);
      threads.add(new Thread(() -> read(choice), "reader"));
    }
    threads.forEach(Thread::start);
  }

  private void read(Random choice) {
    LDAPConnection client = null;
    while (!over) {
      turns.readLock().lock();
      try {
        client = client == null ? connect() : client;
        client = client == null ? null : read(client, entries[choice.nextInt(entries.length)]);
      } finally {
        turns.readLock().unlock();
      }
      asked.incrementAndGet();
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    if (client != null) {
      client.close();
    }
  }

  private @Nullable LDAPConnection connect() {
    int port = people.proxy().address().getPort();
    try {
      return new LDAPConnection("127.0.0.1", port, People.dn(1), People.PASSWORD);
    } catch (LDAPException e) {
      return null; // no server answers the bind
    }
  }

  /** Returns the connection if it can be used further. */
  private @Nullable LDAPConnection read(LDAPConnection client, int entry) {
    Filter filter = Filter.createEqualityFilter("uid", "user." + entry);
    SearchRequest request = new SearchRequest(People.PEOPLE, SearchScope.SUB, filter, "l");
    request.setResponseTimeoutMillis(TIMEOUT_MILLIS);
    long ended = endedNanos;
    long sent = System.nanoTime();
    SearchResult found;
    try {
      found = client.search(request);
    } catch (LDAPException e) {
      boolean usable = client.isConnected() && !e.getResultCode().isClientSideResultCode();
      if (!usable) {
        client.close();
      }
      return usable ? client : null;
    }
    if (ended == endedNanos && ended != Long.MAX_VALUE && sent - ended > boundNanos) {
      fail("user.%d is answered %d ms after the server has ended", entry, sent - ended);
    }
    judge(entry, found, sent);
    return client;
  }

  private void judge(int entry, SearchResult found, long sent) {
    String text =
        found.getEntryCount() == 0
            ? ABSENT
            : found.getSearchEntries().get(0).getAttributeValue("l");
    try {
      long age = versions.judge(entry, text, sent);
      if (age > boundNanos) {
        fail("user.%d is answered as it was %d ms before", entry, age);
      }
    } catch (AssertionError e) {
      failures.add(e.getMessage());
    }
  }

  private void fail(String text, int entry, long nanos) {
    if (failures.size() < MAX_FAILURES) {
      failures.add(text.formatted(entry, TimeUnit.NANOSECONDS.toMillis(nanos)));
    }
  }

  /** Waits until so many more requests were answered, or refused, and the bound is over twice. */
  void await(long more) {
    long begun = System.nanoTime();
    long enough = asked.get() + more;
    Await.until(
        more + " requests",
        () -> asked.get() >= enough && System.nanoTime() - begun > 2 * boundNanos);
  }

  /** The server has ended: waits until the bound has been over for a while, and nothing answers. */
  void nothingRuns() {
    long ended = System.nanoTime();
    endedNanos = ended;
    Await.until("the bound is over", () -> System.nanoTime() - ended > 2 * boundNanos);
    endedNanos = Long.MAX_VALUE;
  }

  /** Runs something while nobody asks. */
  void without(Runnable task) {
    turns.writeLock().lock();
    try {
      task.run();
    } finally {
      turns.writeLock().unlock();
    }
  }

  /** Why answers were wrong, for people; no more than the first of them. */
  List<String> failures() {
    return List.copyOf(failures);
  }

  @Override
  public void close() {
    over = true;
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }
}
