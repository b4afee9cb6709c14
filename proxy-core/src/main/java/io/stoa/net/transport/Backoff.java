// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.transport;

import java.util.concurrent.ThreadLocalRandom;

/**
 * How long to wait before the next attempt: twice as long after each failure, up to a bound, each
 * time a random part less, so that many proxies do not come back at once. Thread-confined.
 */
public final class Backoff {
  private static final long FIRST_MILLIS = 100;

  private final long mostMillis;
  private long millis = FIRST_MILLIS;

  /** Makes it for waits that become no longer than this. */
  public Backoff(long mostMillis) {
    this.mostMillis = mostMillis;
  }

  /** The wait after one more failure, in milliseconds. */
  public long next() {
    long bound = millis;
    millis = Math.min(mostMillis, millis * 2);
    return bound / 2 + ThreadLocalRandom.current().nextLong(bound / 2 + 1);
  }

  /** An attempt has succeeded. */
  public void reset() {
    millis = FIRST_MILLIS;
  }
}
