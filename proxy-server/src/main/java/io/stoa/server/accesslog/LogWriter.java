// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.accesslog;

import io.stoa.net.transport.FailureText;
import io.stoa.operation.CompletedOperation;
import io.stoa.operation.OperationCounters;
import io.stoa.operation.event.LogKind;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jctools.queues.MpscArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queue and the thread of one log. Event loops only add to the queue. If the queue is full, or
 * its requests hold too much memory, the event is dropped and counted: a slow or full disk never
 * delays a client.
 *
 * <p>Threading: thread-safe; events are written by one thread.
 */
final class LogWriter implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LogWriter.class);

  /** Events that may wait: 16,384. */
  private static final int MAX_WAITING = 16_384;

  /** Octets of large requests that may wait: 16 MiB. */
  private static final long MAX_OCTETS = 16L << 20;

  /**
   * Octets up to which a request is small: 512. The number of events bounds the memory of small
   * requests.
   */
  private static final int SMALL = 512;

  /** Octets in memory for each octet of a decoded request, estimated: 4. */
  private static final int DECODED = 4;

  /** Octets of lines that are written together: 64 KiB. */
  private static final int BATCH_OCTETS = 64 << 10;

  /**
   * Nanoseconds for which the thread of the access log rests between batches: 100 ms. Each wake-up
   * evicts data of the event loops from the caches of the processor.
   */
  private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** The same for the audit log: 10 ms, so that a crash loses few records of the few writes. */
  private static final long AUDIT_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** Waiting events that end the rest of the thread: 4,096. */
  private static final int WAKE_EVENTS = 4_096;

  /** Octets of large requests that end the rest of the thread: 2 MiB. */
  private static final long WAKE_OCTETS = 2L << 20;

  /** Minimum nanoseconds between two lines about a full queue: 10 s. */
  private static final long REPORT_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Nanoseconds without a failure after which a destination counts as recovered: 1 s. */
  private static final long RECOVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Milliseconds for which a close waits for the last lines: 2,000. */
  private static final long CLOSE_MILLIS = 2_000;

  private static final long NEVER = Long.MAX_VALUE;

  private final LogKind kind;
  private final OperationCounters counters;
  private final AccessFormat format;
  private final LogDestination destination;
  private final MpscArrayQueue<Object> queue = new MpscArrayQueue<>(MAX_WAITING);
  private final AtomicLong waitingOctets = new AtomicLong();
  private final LongAdder overflowed = new LongAdder();
  private final LineBuffer lines = new LineBuffer(BATCH_OCTETS * 2);
  private final Thread thread;
  private volatile boolean closing;
  private int inBatch;
  private volatile long closedAt = NEVER;
  private boolean failing;
  private long failedAt;
  private final AtomicLong reported = new AtomicLong();
  private final AtomicLong reportedAt = new AtomicLong(System.nanoTime() - REPORT_NANOS - 1);
  private boolean faulty;

  /**
   * Starts the thread.
   *
   * @param counters count written and dropped events
   */
  LogWriter(
      LogKind kind, AccessFormat format, LogDestination destination, OperationCounters counters) {
    this.kind = kind;
    this.counters = counters;
    this.format = format;
    this.destination = destination;
    this.thread = new Thread(this::run, "stoa-" + kind.word() + "-log");
    thread.setDaemon(true);
    thread.start();
  }

  /** Adds an event, or drops it. Never blocks. */
  void offer(ConnectionEvent event) {
    if (!enqueue(event)) {
      onOverflow();
    }
  }

  /**
   * Adds a refused operation, or drops it. Clients without rights can cause any number of them, so
   * half of the queue is reserved for others. Never blocks.
   */
  void offerRefusal(CompletedOperation operation) {
    if (queue.size() < MAX_WAITING / 2) {
      offer(operation);
    } else {
      operation.release();
      onOverflow();
    }
  }

  /**
   * Adds an operation and takes ownership, or drops it. A request that is larger than the limit is
   * added if no other large one waits. Never blocks.
   */
  void offer(CompletedOperation operation) {
    long octets = octets(operation);
    long others = octets == 0 ? 0 : waitingOctets.getAndAdd(octets);
    boolean fits = others == 0 || others + octets <= MAX_OCTETS;
    if (!fits || closing || !enqueue(operation)) {
      onTaken(octets);
      operation.release();
      onOverflow();
    } else if (closing) {
      releaseWaiting(); // the thread may have taken its last event before
    }
    if (others + octets > WAKE_OCTETS) {
      LockSupport.unpark(thread);
    }
  }

  private boolean enqueue(Object event) {
    if (queue.offerIfBelowThreshold(event, WAKE_EVENTS)) {
      return true;
    }
    LockSupport.unpark(thread);
    return queue.offer(event);
  }

  private void onOverflow() {
    overflowed.increment();
    counters.logDrops().increment(kind);
    reportOverflow();
  }

  /**
   * Returns the memory that a waiting operation holds, estimated from the length of its request; 0
   * for a small one, so that most operations change no shared counter. A retained write counts as
   * it is, since its decoded form has the names only.
   */
  private static long octets(CompletedOperation operation) {
    boolean decoded = operation.values() == null && operation.request() != null;
    long octets = (long) operation.length() * (decoded ? DECODED : 1);
    return octets <= SMALL ? 0 : octets;
  }

  private void onTaken(long octets) {
    if (octets > 0) {
      waitingOctets.addAndGet(-octets);
    }
  }

  /** Opens the destination anew before the next lines. */
  void reopen() {
    destination.reopen();
  }

  private void run() {
    long rest = kind == LogKind.AUDIT ? AUDIT_REST_NANOS : REST_NANOS;
    while (true) {
      boolean last = closing;
      boolean more = writeBatchSafely();
      if (last && (!more || isLate())) {
        break;
      }
      if (!more) {
        LockSupport.parkNanos(rest);
      }
    }
    destination.close();
    drop();
  }

  /** True if the log should have ended by now, so that the rest is dropped. */
  private boolean isLate() {
    return System.nanoTime() - closedAt > TimeUnit.MILLISECONDS.toNanos(CLOSE_MILLIS);
  }

  /**
   * Writes a batch. The thread survives each error, since it is the only one that writes.
   *
   * @return true if more events may wait
   */
  private boolean writeBatchSafely() {
    try {
      return writeBatch();
    } catch (RuntimeException | Error e) {
      counters.logDrops().add(kind, inBatch);
      onInternalError(e);
      return true;
    }
  }

  /** Writes the lines of waiting events; true if the batch is full, so that more may wait. */
  private boolean writeBatch() {
    inBatch = 0;
    format.beginBatch();
    lines.clear();
    Object event = queue.poll();
    while (event != null) {
      add(event);
      event = lines.length() < BATCH_OCTETS ? queue.poll() : null;
    }
    boolean full = lines.length() >= BATCH_OCTETS;
    if (inBatch > 0) {
      write(inBatch);
    }
    return full;
  }

  /** Formats an event. An event that fails is dropped, with no effect on others. */
  private void add(Object event) {
    int before = lines.length();
    try {
      if (event instanceof CompletedOperation operation) {
        onTaken(octets(operation));
        try {
          format.add(lines, operation);
        } finally {
          operation.release();
        }
      } else {
        format.add(lines, (ConnectionEvent) event);
      }
      inBatch++;
    } catch (RuntimeException | Error e) {
      lines.truncate(before);
      counters.logDrops().increment(kind);
      onInternalError(e);
    }
  }

  /** Logs the first internal error only, since each event may cause the same. */
  private void onInternalError(Throwable e) {
    if (!faulty) {
      faulty = true;
      LOG.error("{} log: lines are lost: internal error", kind.word(), e);
    }
  }

  private void write(int events) {
    try {
      destination.write(lines.array(), lines.length());
      counters.logged().add(kind, events);
      onWritten();
    } catch (IOException e) {
      counters.logDrops().add(kind, events);
      onFailure(e);
    }
    reportOverflow();
  }

  /** Short batches may still fit on a disk that is full, so that a single write proves nothing. */
  private void onWritten() {
    if (failing && System.nanoTime() - failedAt > RECOVERY_NANOS) {
      failing = false;
      LOG.info("{} log: lines are written again", kind.word());
    }
  }

  private void onFailure(IOException e) {
    failedAt = System.nanoTime();
    if (!failing) {
      failing = true;
      LOG.warn("{} log: lines are dropped: {}: {}", kind.word(), destination, FailureText.of(e));
    }
  }

  /** Logs once a period how many events did not fit, even while a write is stalled. */
  private void reportOverflow() {
    long now = System.nanoTime();
    long at = reportedAt.get();
    long lost = overflowed.sum();
    if (lost > reported.get() && now - at > REPORT_NANOS && reportedAt.compareAndSet(at, now)) {
      LOG.warn(
          "{} log: {} lines were dropped: they came faster than they could be written",
          kind.word(),
          lost - reported.getAndSet(lost));
    }
  }

  /** True until the last lines are written and the destination is closed. */
  boolean isOpen() {
    return thread.isAlive();
  }

  /** Returns the destination, for messages. */
  @Override
  public String toString() {
    return destination.toString();
  }

  /** Writes what waits, for a bounded time, and ends the thread. */
  @Override
  public void close() {
    closedAt = System.nanoTime();
    closing = true;
    LockSupport.unpark(thread);
    try {
      thread.join(CLOSE_MILLIS);
      releaseWaiting();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Drops what the thread has not written, if it has ended. The queue has one consumer. */
  private synchronized void releaseWaiting() {
    if (!thread.isAlive()) {
      drop();
    }
  }

  private void drop() {
    for (Object event = queue.poll(); event != null; event = queue.poll()) {
      counters.logDrops().increment(kind);
      if (event instanceof CompletedOperation operation) {
        operation.release();
      }
    }
  }
}
