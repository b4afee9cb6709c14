// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.run;

import java.time.Duration;

/**
 * How large an experiment is: as it is published, shrunk to one machine and some minutes; or brief,
 * as a test runs it to see that all of it works. Immutable.
 */
public record Scale(boolean brief) {
  public static final Scale FULL = new Scale(false);
  public static final Scale BRIEF = new Scale(true);

  public <T> T of(T full, T shrunk) {
    return brief ? shrunk : full;
  }

  /** How long a measured phase lasts. */
  public Duration run() {
    return of(Duration.ofSeconds(10), Duration.ofMillis(700));
  }

  /**
   * How long a phase lasts whose figures nobody reads: a Java runtime compiles what it has run for
   * a while.
   */
  public Duration settle() {
    return of(Duration.ofSeconds(15), Duration.ofMillis(100));
  }
}
