// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.ldap.protocol.Octets;
import io.stoa.net.transport.GuardedTask;
import io.stoa.operation.Stage;
import io.stoa.write.WriteContext.BindLender;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Performs writes of one identity in transactions, as far as possible. Each identity has a session
 * for that. Its connection is closed after 30 s without a transaction.
 *
 * <p>Threading: event loop.
 */
final class Transactions {
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(30);

  /**
   * Maximum time for which writes wait for the transaction lock: 1 s. After that each is sent by
   * itself.
   */
  private static final long PATIENCE_MILLIS = 1_000;

  private final EventExecutor loop;
  private final WriteWindow window;
  private final TransactionLock lock;
  private final BindLender lender;
  private final Stage next;
  private final Map<Octets, TransactionSession> sessions = new HashMap<>();
  private boolean watching;

  Transactions(WriteWindow window, EventExecutor loop, BindLender lender, Stage next) {
    this.window = window;
    this.lock = window.transactionLock();
    this.loop = loop;
    this.lender = lender;
    this.next = next;
  }

  /** Starts transactions for the writes that can be performed together, and returns the others. */
  List<WindowedWrite> begin(List<WindowedWrite> writes) {
    Map<Octets, List<WindowedWrite>> byIdentity = new LinkedHashMap<>();
    List<WindowedWrite> single = new ArrayList<>();
    for (WindowedWrite write : writes) {
      if (write.canJoinTransaction()) {
        Octets name = write.operation().session().identity().name();
        byIdentity.computeIfAbsent(name, none -> new ArrayList<>()).add(write);
      } else {
        single.add(write);
      }
    }
    byIdentity.forEach((name, same) -> single.addAll(begin(name, same)));
    return single;
  }

  private List<WindowedWrite> begin(Octets name, List<WindowedWrite> same) {
    if (same.size() < 2) {
      return same;
    }
    TransactionSession session =
        sessions.computeIfAbsent(name, none -> new TransactionSession(loop));
    if (!session.claim()) {
      return same;
    }
    window.beginTransaction();
    int limit = Math.min(session.maxWrites(), same.size());
    List<WindowedWrite> writes = List.copyOf(same.subList(0, limit));
    Runnable begin =
        () -> loop.execute(new GuardedTask("begin of a transaction", () -> begin(session, writes)));
    lock.await(begin);
    loop.schedule(
        new GuardedTask("time-out of the transaction lock", () -> giveUp(begin, session, writes)),
        PATIENCE_MILLIS,
        TimeUnit.MILLISECONDS);
    watch();
    return same.subList(limit, same.size());
  }

  /** Sends each write by itself if the lock is not free in time. */
  private void giveUp(Runnable begin, TransactionSession session, List<WindowedWrite> writes) {
    if (lock.cancel(begin)) {
      unclaim(session);
      writes.forEach(write -> new GuardedTask("send a write of a window", write::send).run());
    }
  }

  /** Starts the transaction. Clients may have given up writes while these waited. */
  private void begin(TransactionSession session, List<WindowedWrite> writes) {
    List<WindowedWrite> wantedWrites = writes.stream().filter(WindowedWrite::isWanted).toList();
    if (wantedWrites.size() < 2) {
      unclaim(session);
      lock.release();
      wantedWrites.forEach(WindowedWrite::send);
    } else {
      Transaction.begin(session, wantedWrites, lender, next, this::onEnd);
    }
  }

  private void unclaim(TransactionSession session) {
    session.unclaim();
    window.endTransaction();
  }

  private void onEnd(int count) {
    window.countTransaction(count);
    window.endTransaction();
    lock.release();
  }

  /** Checks for idle sessions while there are any. */
  private void watch() {
    if (!watching) {
      watching = true;
      loop.schedule(
          new GuardedTask("idle check of transaction sessions", this::look),
          IDLE_NANOS,
          TimeUnit.NANOSECONDS);
    }
  }

  private void look() {
    watching = false;
    endIdle();
    if (!sessions.isEmpty()) {
      watch();
    }
  }

  private void endIdle() {
    long oldest = System.nanoTime() - IDLE_NANOS;
    sessions
        .values()
        .removeIf(
            session -> {
              boolean idle = session.idleSince(oldest);
              if (idle) {
                session.end();
              }
              return idle;
            });
  }
}
