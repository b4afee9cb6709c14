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
   * Nanoseconds for which the thread rests between batches: 100 ms. Each wake-up evicts data of the
   * event loops from the caches of the processor.
   */
  private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Waiting events that end the rest of the thread: 4,096. */
  private static final int WAKE_EVENTS = 4_096;

  /** Minimum nanoseconds between two lines about a full queue: 10 s. */
  private static final long REPORT_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Nanoseconds without a failure after which a destination counts as recovered: 1 s. */
  private static final long RECOVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Milliseconds for which a close waits for the last lines: 2,000. */
  private static final long CLOSE_MILLIS = 2_000;

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
  private boolean failing;
  private long failedAt;
  private long reported;
  private long reportedAt = System.nanoTime() - REPORT_NANOS - 1;
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
   * Adds an operation that anybody can cause, and takes ownership, or drops it. Half of the queue
   * is reserved for others. Never blocks.
   */
  void offerRefusal(CompletedOperation operation) {
    if (queue.size() < MAX_WAITING / 2) {
      offer(operation);
    } else {
      operation.release();
      onOverflow();
    }
  }

  /** Adds an operation and takes ownership, or drops it. Never blocks. */
  void offer(CompletedOperation operation) {
    int octets = octets(operation);
    boolean fits = octets == 0 || waitingOctets.addAndGet(octets) <= MAX_OCTETS;
    if (!fits || closing || !enqueue(operation)) {
      onTaken(octets);
      operation.release();
      onOverflow();
    } else if (closing) {
      releaseWaiting(); // the thread may have taken its last event before
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
  }

  /**
   * Returns the memory that a waiting operation holds, estimated from the length of its request; 0
   * for a small one, so that most operations change no shared counter.
   */
  private static int octets(CompletedOperation operation) {
    int values = operation.values() == null ? 0 : operation.length();
    int octets = values + operation.length() * (operation.request() == null ? 1 : DECODED);
    return octets <= SMALL ? 0 : octets;
  }

  private void onTaken(int octets) {
    if (octets > 0) {
      waitingOctets.addAndGet(-octets);
    }
  }

  /** Opens the destination anew before the next lines. */
  void reopen() {
    destination.reopen();
  }

  private void run() {
    while (true) {
      boolean last = closing;
      boolean more = writeBatchSafely();
      if (last && !more) {
        break;
      }
      if (!more) {
        LockSupport.parkNanos(REST_NANOS);
      }
    }
    destination.close();
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
      inBatch++;
      add(event);
      event = lines.length() < BATCH_OCTETS ? queue.poll() : null;
    }
    if (lines.length() > 0) {
      write(inBatch);
    }
    return lines.length() >= BATCH_OCTETS;
  }

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
    } catch (RuntimeException e) {
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

  /** Logs once a period how many events did not fit into the queue. */
  private void reportOverflow() {
    long now = System.nanoTime();
    long lost = overflowed.sum();
    if (lost > reported && now - reportedAt > REPORT_NANOS) {
      LOG.warn(
          "{} log: {} lines were dropped: they came faster than they could be written",
          kind.word(),
          lost - reported);
      reported = lost;
      reportedAt = now;
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
    if (thread.isAlive()) {
      return;
    }
    for (Object event = queue.poll(); event != null; event = queue.poll()) {
      counters.logDrops().increment(kind);
      if (event instanceof CompletedOperation operation) {
        operation.release();
      }
    }
  }
}
