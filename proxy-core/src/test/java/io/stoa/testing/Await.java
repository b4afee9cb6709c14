// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.time.Duration;
import java.util.concurrent.Callable;

/** Waits for a condition, with a deadline: no test sleeps in order to be right. */
public final class Await {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final long PAUSE_MILLIS = 5;

  private Await() {}

  /** Returns when {@code condition} holds; fails, with the description, when it never does. */
  public static void until(String description, Callable<Boolean> condition) {
    until(description, PATIENCE, condition);
  }

  public static void until(String description, Duration patience, Callable<Boolean> condition) {
    long deadline = System.nanoTime() + patience.toNanos();
    while (!holds(description, condition)) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("not within " + patience + ": " + description);
      }
      pause();
    }
  }

  private static boolean holds(String description, Callable<Boolean> condition) {
    try {
      return condition.call();
    } catch (Exception e) {
      throw new AssertionError("while waiting for: " + description, e);
    }
  }

  private static void pause() {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }
}
