// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.transport;

import java.util.concurrent.ThreadLocalRandom;

/**
 * Exponential back-off with jitter: the wait doubles after each failure, up to a maximum. A random
 * part of up to half is taken off each wait, so that many proxies do not reconnect at once.
 *
 * <p>Threading: confined to one thread.
 */
public final class Backoff {
  private static final long FIRST_MILLIS = 100;

  private final long maxMillis;
  private long millis = FIRST_MILLIS;

  /** Creates a back-off with a maximum wait in milliseconds. */
  public Backoff(long maxMillis) {
    this.maxMillis = maxMillis;
  }

  /** Returns the wait after one more failure, in milliseconds. */
  public long next() {
    long bound = millis;
    millis = Math.min(maxMillis, millis * 2);
    return bound / 2 + ThreadLocalRandom.current().nextLong(bound / 2 + 1);
  }

  /** Resets the wait after a successful attempt. */
  public void reset() {
    millis = FIRST_MILLIS;
  }
}
