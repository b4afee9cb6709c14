// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.internal.ThreadExecutorMap;
import io.stoa.net.transport.LoopTurns;
import io.stoa.operation.event.ClientChoice;
import io.stoa.testing.Await;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Measures how much the event loop of a Stoa does for a request, and how much at a time: between
 * two rounds, in each of which it serves its connections. Processor time is counted, so that pauses
 * of the machine, and what else runs on it, change nothing. Used by one thread.
 */
final class LoopMeter {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final EventExecutor loop;
  private final long thread;
  private volatile boolean measuring;
  private volatile boolean ended = true;
  private long last;
  private long longest;

  private LoopMeter(EventExecutor loop, long thread) {
    this.loop = loop;
    this.thread = thread;
  }

  /** Measures a Stoa that has one event loop. */
  static LoopMeter of(StoaServer server) {
    AtomicReference<LoopMeter> meter = new AtomicReference<>();
    Await.until(
        "the event loop is known",
        () -> {
          server
              .proxy()
              .survey(ClientChoice.NONE)
              .thenRun(
                  () -> {
                    EventExecutor current = ThreadExecutorMap.currentExecutor();
                    if (current != null) {
                      meter.set(new LoopMeter(current, Thread.currentThread().getId()));
                    }
                  });
          return meter.get() != null;
        });
    return meter.get();
  }

  /**
   * The cost of an action for the event loop.
   *
   * @param allMicros processor time
   * @param heldMicros the most processor time between two rounds
   */
  record Cost(long allMicros, long heldMicros) {
    Cost least(Cost other) {
      return new Cost(Math.min(allMicros, other.allMicros), Math.min(heldMicros, other.heldMicros));
    }
  }

  /** Measures an action, which is done twice. */
  Cost of(Runnable action) {
    long before = THREADS.getThreadCpuTime(thread);
    action.run();
    final long all = THREADS.getThreadCpuTime(thread) - before;
    measuring = true;
    ended = false;
    loop.submit(this::begin).awaitUninterruptibly();
    action.run();
    measuring = false;
    Await.until("the last round is measured", () -> ended);
    return new Cost(all / 1000, longest / 1000);
  }

  private void begin() {
    longest = 0;
    last = THREADS.getCurrentThreadCpuTime();
    LoopTurns.runNextTurn(loop, this::round);
  }

  private void round() {
    long now = THREADS.getCurrentThreadCpuTime();
    longest = Math.max(longest, now - last);
    last = now;
    if (measuring) {
      LoopTurns.runNextTurn(loop, this::round);
    } else {
      ended = true;
    }
  }

  /** Returns the processor time that the threads of a name have taken. */
  static long nanos(String name) {
    return Arrays.stream(THREADS.getThreadInfo(THREADS.getAllThreadIds()))
        .filter(one -> one != null && one.getThreadName().equals(name))
        .mapToLong(ThreadInfo::getThreadId)
        .map(THREADS::getThreadCpuTime)
        .filter(time -> time > 0)
        .sum();
  }
}
