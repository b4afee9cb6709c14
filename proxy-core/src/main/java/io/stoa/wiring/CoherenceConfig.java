// SPDX-License-Identifier: Apache-2.0
package io.stoa.wiring;

import io.stoa.derive.DerivedConfig;
import io.stoa.feed.FeedConfig;
import java.time.Duration;

/**
 * What is made of the changes that directories tell of. Immutable.
 *
 * @param feed how they are heard of
 * @param maxStaleness how old what a feed vouches for may be
 * @param maxAclStaleness how long after a change of its rights a client may be given what it was
 *     allowed before
 * @param seesAll whether the account of the feed is declared to see everything
 * @param derived what the directory is declared to derive
 */
public record CoherenceConfig(
    FeedConfig feed,
    Duration maxStaleness,
    Duration maxAclStaleness,
    boolean seesAll,
    DerivedConfig derived) {
  /** A change must settle, be confirmed and be probed for within the bound. */
  private static final Duration LEAST = Duration.ofMillis(500);

  /** No account, and so no feed. */
  public static final CoherenceConfig DEFAULTS =
      new CoherenceConfig(
          FeedConfig.DEFAULTS,
          Duration.ofSeconds(1),
          Duration.ofSeconds(5),
          false,
          DerivedConfig.DEFAULTS);

  public CoherenceConfig {
    if (maxStaleness.compareTo(LEAST) < 0) {
      throw new IllegalArgumentException(
          "maxStaleness must be at least " + LEAST.toMillis() + "ms");
    }
    if (maxAclStaleness.isNegative()) {
      throw new IllegalArgumentException("maxAclStaleness is negative");
    }
  }
}
