// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.feeds;

import io.stoa.coherence.rights.DerivedConfig;
import io.stoa.feed.event.FeedKind;
import io.stoa.feed.syncrepl.FeedConfig;
import java.time.Duration;

/**
 * What is made of the changes that directories tell of. Immutable.
 *
 * @param feed how they are heard of
 * @param maxStaleness how old what a feed vouches for may be; 0 if nothing older may be given than
 *     the request for it
 * @param maxAclStaleness how long after a change of its rights a client may be given what it was
 *     allowed before
 * @param seesAll whether the account of the feed is declared to see everything
 * @param derived what the directory is declared to derive
 * @param apply what is done to an answer that a change alters
 */
public record CoherenceConfig(
    FeedConfig feed,
    Duration maxStaleness,
    Duration maxAclStaleness,
    boolean seesAll,
    DerivedConfig derived,
    Apply apply) {
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

  /** What is done to an answer that a change alters. */
  public enum Apply {
    /** Where all to whom it is given see alike, it shows what the feed shows from then on. */
    IN_PLACE,
    /** It is void. */
    INVALIDATE
  }

  public CoherenceConfig {
    if (!maxStaleness.isZero() && maxStaleness.compareTo(LEAST) < 0) {
      throw new IllegalArgumentException(
          "maxStaleness must be 0 or at least " + LEAST.toMillis() + "ms");
    }
    if (maxAclStaleness.isNegative()) {
      throw new IllegalArgumentException("maxAclStaleness is negative");
    }
  }

  /** One that changes in place what may be. */
  public CoherenceConfig(
      FeedConfig feed,
      Duration maxStaleness,
      Duration maxAclStaleness,
      boolean seesAll,
      DerivedConfig derived) {
    this(feed, maxStaleness, maxAclStaleness, seesAll, derived, Apply.IN_PLACE);
  }

  /** Whether nothing older may be given than the request for it. */
  boolean strict() {
    return maxStaleness.isZero();
  }

  /**
   * Whether what a feed does not show is not there only when it has been seen to tell of enough.
   */
  boolean proves(FeedKind kind) {
    return !seesAll && !kind.tellsNames();
  }

  /** Whether what the feed shows of entries is given before it is known to have been kept. */
  boolean inPlace() {
    return apply == Apply.IN_PLACE && !strict();
  }
}
