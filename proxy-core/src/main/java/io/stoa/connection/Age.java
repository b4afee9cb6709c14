// SPDX-License-Identifier: Apache-2.0
package io.stoa.connection;

import io.stoa.backend.Backend;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How old a connection is, and may become: each a little less, so that not all end at once.
 * Immutable.
 */
final class Age {
  private static final double MOST_EARLY = 0.25;

  private final long made = System.nanoTime();
  private final double part = 1 - ThreadLocalRandom.current().nextDouble(MOST_EARLY);

  /** Whether it is older than it may be, or than its server's connections are to be. */
  boolean isOver(long now, long mostNanos, Backend backend) {
    return now - made > mostNanos * part || backend.isOutdated(made);
  }
}
