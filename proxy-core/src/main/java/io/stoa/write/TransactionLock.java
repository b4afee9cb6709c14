// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Lets transactions go one after the other, over all event loops: a directory does them in turn
 * anyway, and slapd 2.5 has been seen to fail where they overlap. Thread-safe.
 */
final class TransactionLock {
  private final Queue<Runnable> waiting = new ArrayDeque<>();
  private boolean held;

  /**
   * A transaction begins when it is its turn.
   *
   * @param begin posts to its own loop
   */
  void await(Runnable begin) {
    synchronized (this) {
      if (held) {
        waiting.add(begin);
        return;
      }
      held = true;
    }
    begin.run();
  }

  /**
   * A transaction does not wait for its turn any more.
   *
   * @param begin the same object as was given to wait
   * @return false if its turn has come
   */
  synchronized boolean leave(Runnable begin) {
    return waiting.remove(begin);
  }

  /** It is over. */
  void pass() {
    Runnable next = next();
    if (next != null) {
      next.run();
    }
  }

  private synchronized @Nullable Runnable next() {
    Runnable next = waiting.poll();
    held = next != null;
    return next;
  }
}
