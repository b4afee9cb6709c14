// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.transport;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.BitSet;
import java.util.concurrent.ThreadFactory;

/**
 * The thread of an event loop. Its number is the lowest that no other live event loop of the
 * process has.
 *
 * <p>Threading: a thread reads its own number.
 */
final class EventLoopThread extends FastThreadLocalThread {
  /** Number of all other threads. */
  static final int NONE = -1;

  private static final BitSet NUMBERS = new BitSet();

  private int number = NONE;

  private EventLoopThread(ThreadGroup group, Runnable loop, String name) {
    super(group, loop, name);
  }

  /** Returns a factory of the threads of a group of event loops. */
  static ThreadFactory factory(String name) {
    return new DefaultThreadFactory(name) {
      @Override
      protected Thread newThread(Runnable loop, String threadName) {
        return new EventLoopThread(threadGroup, loop, threadName);
      }
    };
  }

  /** Returns the number of the event loop that calls; {@link #NONE} for any other thread. */
  static int currentNumber() {
    return Thread.currentThread() instanceof EventLoopThread thread ? thread.number : NONE;
  }

  @Override
  public void run() {
    synchronized (NUMBERS) {
      number = NUMBERS.nextClearBit(0);
      NUMBERS.set(number);
    }
    try {
      super.run();
    } finally {
      synchronized (NUMBERS) {
        NUMBERS.clear(number);
        number = NONE;
      }
    }
  }
}
