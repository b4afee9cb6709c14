// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import com.unboundid.ldap.sdk.LDAPConnection;
import io.stoa.testing.People;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Clients that ask one question each, again and again, and know when the last one was sent for
 * whose answer comes from memory. One thread for each; thread-safe.
 */
final class RepeatingReaders implements AutoCloseable {
  private static final long PACE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** A question. */
  interface Question {
    /** Asks it, and whether its answer is one that only memory can have given. */
    boolean isHeldByFeed(LDAPConnection client) throws Exception;
  }

  private final List<Thread> threads = new ArrayList<>();
  private final List<LDAPConnection> clients = new ArrayList<>();
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private final AtomicLong last = new AtomicLong(System.nanoTime());
  private volatile boolean over;

  private RepeatingReaders() {}

  static RepeatingReaders of(SlapdWithFeed people, List<Question> questions) {
    RepeatingReaders askers = new RepeatingReaders();
    for (Question question : questions) {
      LDAPConnection client = people.client(People.dn(1), People.PASSWORD);
      askers.clients.add(client);
      askers.threads.add(new Thread(() -> askers.ask(client, question), "asker"));
    }
    askers.threads.forEach(Thread::start);
    return askers;
  }

  private void ask(LDAPConnection client, Question question) {
    try {
      while (!over) {
        long sent = System.nanoTime(); // a pause after this makes it no later
        if (question.isHeldByFeed(client)) {
          last.accumulateAndGet(sent, Math::max);
        }
        LockSupport.parkNanos(PACE_NANOS);
      }
    } catch (Exception | AssertionError e) {
      failures.add(e);
    }
  }

  /**
   * Has them ask until a time.
   *
   * @return when the last one was sent for that only memory can have answered
   */
  long lastHeldByFeedNanos(long until) {
    while (System.nanoTime() - until < 0 && failures.isEmpty()) {
      LockSupport.parkNanos(PACE_NANOS);
    }
    end();
    for (Throwable failure : failures) {
      throw new AssertionError("an asker has failed", failure);
    }
    return last.get();
  }

  private void end() {
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

  @Override
  public void close() {
    end();
    clients.forEach(LDAPConnection::close);
  }
}
