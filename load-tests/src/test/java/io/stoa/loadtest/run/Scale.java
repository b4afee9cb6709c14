// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.run;

import java.time.Duration;

/**
 * Scale of an experiment. Full: as published, shrunk to one machine and some minutes. Brief: for
 * tests, which only verify that everything works.
 *
 * <p>Threading: immutable.
 */
public record Scale(boolean brief) {
  public static final Scale FULL = new Scale(false);
  public static final Scale BRIEF = new Scale(true);

  public <T> T of(T full, T shrunk) {
    return brief ? shrunk : full;
  }

  /** Returns the duration of a measured phase. */
  public Duration run() {
    return of(Duration.ofSeconds(10), Duration.ofMillis(700));
  }

  /** Returns the duration of an unmeasured phase, in which the JVM compiles its code. */
  public Duration warmUp() {
    return of(Duration.ofSeconds(15), Duration.ofMillis(100));
  }
}
