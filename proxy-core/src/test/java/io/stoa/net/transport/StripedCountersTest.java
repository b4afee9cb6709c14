// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class StripedCountersTest {
  private static final int LOOPS = 4;
  private static final int EVENTS = 100_000;
  private static final int OTHERS = 2;

  private final StripedCounters counters = new StripedCounters(2);

  @Test
  void nothingIsLostBetweenEventLoopsAndOtherThreads() throws Exception {
    count();
    assertThat(counters.get(0)).isEqualTo((long) (LOOPS + OTHERS) * EVENTS);
    assertThat(counters.get(1)).isEqualTo(2L * (LOOPS + OTHERS) * EVENTS);
  }

  @Test
  void laterEventLoopsContinueTheStripesOfEndedOnes() throws Exception {
    for (int generation = 1; generation <= 3; generation++) {
      count();
      assertThat(counters.get(0)).isEqualTo((long) generation * (LOOPS + OTHERS) * EVENTS);
    }
  }

  @Test
  void theNumbersOfLiveEventLoopsDiffer() throws Exception {
    EventLoopGroup group = Transport.best().eventLoops(LOOPS, "numbers");
    try {
      List<Future<Integer>> numbers = new ArrayList<>();
      for (EventExecutor loop : group) {
        numbers.add(loop.submit(EventLoopThread::currentNumber));
      }
      List<Integer> found = new ArrayList<>();
      for (Future<Integer> number : numbers) {
        found.add(number.get());
      }
      assertThat(found).doesNotHaveDuplicates().doesNotContain(EventLoopThread.NONE);
      assertThat(EventLoopThread.currentNumber()).isEqualTo(EventLoopThread.NONE);
    } finally {
      Transport.shutDown(group);
    }
  }

  /** Counts on new event loops and on other threads at the same time. */
  private void count() throws InterruptedException, ExecutionException {
    EventLoopGroup group = Transport.best().eventLoops(LOOPS, "counting");
    ExecutorService others = Executors.newFixedThreadPool(OTHERS);
    try {
      List<Future<?>> running = new ArrayList<>();
      Callable<Void> events = this::countEvents;
      group.forEach(loop -> running.add(loop.submit(events)));
      for (int i = 0; i < OTHERS; i++) {
        running.add(others.submit(events));
      }
      for (Future<?> one : running) {
        one.get();
      }
    } finally {
      others.shutdown();
      Transport.shutDown(group);
    }
  }

  private Void countEvents() {
    for (int i = 0; i < EVENTS; i++) {
      counters.add(0, 1);
      counters.add(1, 2);
    }
    return null;
  }
}
