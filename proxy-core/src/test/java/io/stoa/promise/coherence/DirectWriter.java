// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.ResultCode;
import io.stoa.testing.People;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Changes one entry after the other, at slapd itself, 1000 in a second if that can: by several
 * connections, without waiting for the answer to what was sent before. One thread; thread-safe.
 */
final class DirectWriter implements AutoCloseable {
  /** So many entries are changed in turn. */
  static final int ENTRIES = 1000;

  /** For the first of them readers ask, too. */
  static final int CACHED = 10;

  static final String ATTRIBUTE = "telephoneNumber";

  private static final int CONNECTIONS = 4;
  private static final int UNDER_WAY = 100;
  private static final long PACE_NANOS = TimeUnit.SECONDS.toNanos(1) / ENTRIES;

  private final List<LDAPConnection> connections = new ArrayList<>();
  private final Semaphore room = new Semaphore(UNDER_WAY);
  private final Queue<String> failures = new ConcurrentLinkedQueue<>();
  private final Thread thread = new Thread(this::write, "round-writer");
  private volatile boolean over;

  private DirectWriter() {}

  static DirectWriter of(SlapdWithFeed people) {
    DirectWriter writer = new DirectWriter();
    for (int i = 0; i < CONNECTIONS; i++) {
      writer.connections.add(people.another());
    }
    return writer;
  }

  void start() {
    thread.start();
  }

  private void write() {
    long due = System.nanoTime();
    try {
      for (int i = 0; !over; i++) {
        due = Math.max(due + PACE_NANOS, System.nanoTime() - TimeUnit.SECONDS.toNanos(1));
        LockSupport.parkNanos(due - System.nanoTime());
        room.acquire();
        change(i);
      }
      room.acquire(UNDER_WAY);
    } catch (LDAPException e) {
      failures.add(e.getExceptionMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void change(int number) throws LDAPException {
    ModifyRequest request =
        new ModifyRequest(
            People.dn(number % ENTRIES),
            new Modification(ModificationType.REPLACE, ATTRIBUTE, String.valueOf(number)));
    connections
        .get(number % CONNECTIONS)
        .asyncModify(request, (id, result) -> done(result.getResultCode()));
  }

  private void done(ResultCode code) {
    if (!code.equals(ResultCode.SUCCESS)) {
      failures.add(code.toString());
    }
    room.release();
  }

  private void join() {
    over = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  /** Sends no more, and waits until all has been answered. */
  void end() {
    join();
    if (!failures.isEmpty()) {
      throw new AssertionError("not written: " + failures.peek());
    }
  }

  @Override
  public void close() {
    join();
    connections.forEach(LDAPConnection::close);
  }
}
