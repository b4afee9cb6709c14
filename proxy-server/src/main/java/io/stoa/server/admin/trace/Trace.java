// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.trace;

import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.server.localtree.EndSink;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One trace: a search of the administrator that is answered by one entry for each selected
 * operation, until its time is over.
 *
 * <ol>
 *   <li>Operations wait in a queue of at most {@link #MAX_QUEUED}. Further ones are dropped and
 *       counted.
 *   <li>The next entry is sent when the administrator has taken the ones before, so a slow reader
 *       costs no memory.
 *   <li>The trace ends at its deadline, at the size limit of the search, or with the search
 *       (Abandon, Cancel, Bind, a closed connection).
 * </ol>
 *
 * <p>Threading: operations are offered on any thread, selected and formatted on the trace's own
 * thread, and sent on the event loop of the administrator.
 */
final class Trace implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(Trace.class);

  /** Maximum number of operations that wait: 1,024. Each holds its request. */
  private static final int MAX_QUEUED = 1_024;

  private static final int SUCCESS = 0;
  private static final int SIZE_LIMIT_EXCEEDED = 4;
  private static final int OTHER = 80;

  private final Operation search;
  private final TraceSelection selection;
  private final TraceEntries entries;
  private final Traces traces;
  private final Limits limits;
  private final long deadline;
  private final long maxEntries;
  private final BlockingQueue<TracedOperation> queue = new ArrayBlockingQueue<>(MAX_QUEUED);
  private final LongAdder dropped = new LongAdder();
  private final Thread thread;
  private long shown;

  /**
   * Creates a trace.
   *
   * @param search the search of the administrator
   */
  Trace(
      Operation search,
      TraceSelection selection,
      TraceEntries entries,
      Traces traces,
      Limits limits) {
    this.search = search;
    this.selection = selection;
    this.entries = entries;
    this.traces = traces;
    this.limits = limits;
    this.deadline = System.nanoTime() + limits.duration().toNanos();
    this.maxEntries = limits.sizeLimit() <= 0 ? Long.MAX_VALUE : limits.sizeLimit();
    this.thread = new Thread(this, "stoa-trace");
    thread.setDaemon(true);
  }

  /**
   * Limits of a trace.
   *
   * <p>Threading: immutable.
   *
   * @param duration time after which the trace ends
   * @param sizeLimit maximum number of operations; 0 for no limit
   */
  record Limits(Duration duration, int sizeLimit) {}

  /** Returns the seconds after which it ends. */
  long seconds() {
    return limits.duration().toSeconds();
  }

  TraceSelection selection() {
    return selection;
  }

  /** Starts to answer the search. Called on its event loop. */
  void start() {
    search.setSink(new EndSink(search.sink(), this::stop));
    search.moveTo(OperationState.WAITING);
    thread.start();
  }

  /** Adds an operation of a selected client. */
  void offer(TracedOperation operation) {
    if (!queue.offer(operation)) {
      dropped.increment();
    }
  }

  /** Ends the trace with its search. */
  void stop() {
    traces.end(this);
    thread.interrupt();
  }

  @Override
  public void run() {
    try {
      finish(stream());
    } catch (InterruptedException | RejectedExecutionException ended) {
      LOG.debug("trace ended with its search");
    } catch (RuntimeException defect) {
      LOG.error("trace failed: internal error", defect);
      finish(OTHER);
    } finally {
      traces.end(this);
    }
  }

  /** Sends entries until the end. Returns the result code. */
  private int stream() throws InterruptedException {
    long remaining = deadline - System.nanoTime();
    while (remaining > 0) {
      TracedOperation next = queue.poll(remaining, TimeUnit.NANOSECONDS);
      if (next != null && selection.admits(next.operation())) {
        if (shown == maxEntries) {
          return SIZE_LIMIT_EXCEEDED;
        }
        send(entries.operation(++shown, next));
      }
      remaining = deadline - System.nanoTime();
    }
    return SUCCESS;
  }

  /** Sends an entry, and waits until the administrator has taken it or the time is over. */
  private void send(byte[] entry) throws InterruptedException {
    CompletableFuture<Void> taken = new CompletableFuture<>();
    search.session().executor().execute(() -> send(entry, taken));
    try {
      taken.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (TimeoutException late) {
      LOG.debug("the reader of a trace is slow");
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  private void send(byte[] entry, CompletableFuture<Void> taken) {
    if (!search.hasEnded()) {
      search.sink().respond(new EncodedResponse(entry));
      search.sink().whenReady(() -> taken.complete(null));
    }
  }

  /** Sends the summary and the result. The place of the trace is free from now on. */
  private void finish(int code) {
    traces.end(this);
    byte[] summary = TraceEntries.summary(shown, dropped.sum() + queue.size());
    search
        .session()
        .executor()
        .execute(
            () -> {
              if (!search.hasEnded()) {
                search.sink().respond(new EncodedResponse(summary));
                search.sink().complete(LdapResult.encode(search.type().response(), code, ""));
              }
            });
  }
}
