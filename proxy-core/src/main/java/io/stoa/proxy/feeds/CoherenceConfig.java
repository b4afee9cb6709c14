// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.feeds;

import static io.stoa.net.transport.InvalidConfigException.refuse;
import static io.stoa.net.transport.InvalidConfigException.requireNotNegative;

import io.stoa.coherence.rights.DerivedConfig;
import io.stoa.feed.event.FeedKind;
import io.stoa.feed.syncrepl.FeedConfig;
import java.time.Duration;

/**
 * Configuration of how changes keep the caches coherent.
 *
 * <p>Threading: immutable.
 *
 * @param feed the configuration of the feeds
 * @param maxStaleness the staleness bound of results held by a feed; 0 if a hit must never be older
 *     than its request
 * @param maxAclStaleness the maximum time after a change of access rights for which results under
 *     the old rights may be served
 * @param assumesCoverage true if the feed's account is declared to see everything
 * @param derived the declared derived attributes of the directory
 * @param apply the effect of a change on a cached result
 */
public record CoherenceConfig(
    FeedConfig feed,
    Duration maxStaleness,
    Duration maxAclStaleness,
    boolean assumesCoverage,
    DerivedConfig derived,
    Apply apply) {
  /**
   * Minimum staleness bound: 500 ms. A change must settle, be confirmed and be probed for within
   * it.
   */
  private static final Duration LEAST = Duration.ofMillis(500);

  /** The default: no account, and so no feed. */
  public static final CoherenceConfig DEFAULTS =
      new CoherenceConfig(
          FeedConfig.DEFAULTS,
          Duration.ofSeconds(1),
          Duration.ofSeconds(5),
          false,
          DerivedConfig.DEFAULTS);

  /** Effect of a change on a cached result. */
  public enum Apply {
    /** The result is updated from the feed, if all clients that share it see the same. */
    IN_PLACE,
    /** The result is invalidated. */
    INVALIDATE
  }

  public CoherenceConfig {
    refuse(
        !maxStaleness.isZero() && maxStaleness.compareTo(LEAST) < 0,
        "maxStaleness",
        " must be 0 or at least " + LEAST.toMillis() + "ms");
    requireNotNegative("maxAclStaleness", maxAclStaleness);
  }

  /** Creates a configuration that updates results in place where possible. */
  public CoherenceConfig(
      FeedConfig feed,
      Duration maxStaleness,
      Duration maxAclStaleness,
      boolean seesAll,
      DerivedConfig derived) {
    this(feed, maxStaleness, maxAclStaleness, seesAll, derived, Apply.IN_PLACE);
  }

  /** True if a hit must never be older than its request. */
  boolean isStrict() {
    return maxStaleness.isZero();
  }

  /**
   * True if coverage must be proved before absence from the feed counts as absence from the
   * directory. Not required if coverage is declared, or if the feed also names hidden entries.
   */
  boolean mustProveCoverage(FeedKind kind) {
    return !assumesCoverage && !kind.reportsRenames();
  }

  /** True if an entry as shown by the feed may be served before it is known to be committed. */
  boolean isInPlace() {
    return apply == Apply.IN_PLACE && !isStrict();
  }
}
