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
 * What a realm is about, and how careful it is. Immutable.
 *
 * @param context the naming context, as positions name it
 * @param names how the directory compares names
 * @param secret which attributes' values are kept nowhere
 * @param settle a server may show a change so much later than it is said
 * @param ring how much is kept of what has happened
 * @param proofs so many changes that the server counts must have been said, each of them, before it
 *     is believed that the feed hears of everything; 0 if that is known
 * @param covered true as long as it is proved otherwise that the feed's account sees everything
 * @param kind what the feed tells, and entries show
 * @param rights since when rights are taken for what they were then, at a time of the clock
 */
public record RealmConfig(
    String context,
    Function<byte[], NormalDn> names,
    Predicate<byte[]> secret,
    Duration settle,
    Bounds ring,
    int proofs,
    BooleanSupplier covered,
    FeedKind kind,
    LongUnaryOperator rights) {
  /** As for every feed. */
  public static final Duration SETTLE = FeedKind.SETTLE;

  /** Five minutes and 100,000 changes, 64 MiB; what entries look like for twice the settle time. */
  public static final Bounds RING =
      new Bounds(Duration.ofMinutes(5), 100_000, SETTLE.multipliedBy(2), 64L << 20);

  /** One hundred. */
  public static final int PROOFS = 100;

  /** Of a feed by sync searches; what its account sees is not taken for what it was. */
  public RealmConfig(
      String context,
      Function<byte[], NormalDn> names,
      Predicate<byte[]> secret,
      Duration settle,
      Bounds ring,
      int proofs) {
    this(context, names, secret, settle, ring, proofs, () -> false, FeedKind.SYNCREPL, now -> now);
  }
}
