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

  /**
   * The same with another deadline: the condition must hold when it is looked at after that,
   * however long the looking takes, so that a machine that stands still for a while breaks no
   * promise.
   */
  public static void until(String description, Duration patience, Callable<Boolean> condition) {
    long begun = System.nanoTime();
    long looked = begun;
    while (!holds(description, condition)) {
      if (looked - begun > patience.toNanos()) {
        throw new AssertionError("not within " + patience + ": " + description);
      }
      pause();
      looked = System.nanoTime();
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
