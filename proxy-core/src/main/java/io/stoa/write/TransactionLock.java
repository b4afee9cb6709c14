// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Serializes transactions over all event loops. A directory server performs them in turn anyway,
 * and slapd 2.5 has failed where they overlapped.
 *
 * <p>Threading: thread-safe.
 */
final class TransactionLock {
  private final Queue<Runnable> waiting = new ArrayDeque<>();
  private boolean held;

  /**
   * Runs a transaction when its turn comes.
   *
   * @param begin posts the transaction to its own loop
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
   * Removes a transaction from the queue.
   *
   * @param begin the same object that was passed to {@link #await}
   * @return false if its turn has come
   */
  synchronized boolean cancel(Runnable begin) {
    return waiting.remove(begin);
  }

  /** Releases the lock to the next transaction. */
  void release() {
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
