// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.stoa.coherence.invalidation.ChangeRing.Bounds;
import io.stoa.feed.event.FeedKind;
import io.stoa.ldap.schema.NormalDn;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongUnaryOperator;
import java.util.function.Predicate;

/**
 * Configuration of a coherence domain.
 *
 * <p>Threading: immutable.
 *
 * @param context the naming context, as positions name it
 * @param names parses DNs as the directory compares them
 * @param isSecret selects attributes whose values must not be kept
 * @param settle maximum time between the report of a change and its visibility on the server
 * @param ring how many changes are kept, and for how long
 * @param requiredConfirmations number of changes that the server has counted and the feed has
 *     reported, each of them, before the feed is trusted to report everything; 0 if that is known
 * @param coverageProved true while access rules or other evidence prove that the feed's account
 *     sees everything
 * @param kind the kind of the feed: what it reports, and what entries show
 * @param rights the time since which rights count as unchanged, at a time of the clock
 */
public record DomainConfig(
    String context,
    Function<byte[], NormalDn> names,
    Predicate<byte[]> isSecret,
    Duration settle,
    Bounds ring,
    int requiredConfirmations,
    BooleanSupplier coverageProved,
    FeedKind kind,
    LongUnaryOperator rights) {
  /** Settle time of every feed. */
  public static final Duration SETTLE = FeedKind.SETTLE;

  /**
   * Default bounds of the ring: five minutes and 100,000 changes, 64 MiB; images for twice the
   * settle time.
   */
  public static final Bounds RING =
      new Bounds(Duration.ofMinutes(5), 100_000, SETTLE.multipliedBy(2), 64L << 20);

  /** Default number of confirmed changes that prove what the account sees: 100. */
  public static final int REQUIRED_CONFIRMATIONS = 100;
}
