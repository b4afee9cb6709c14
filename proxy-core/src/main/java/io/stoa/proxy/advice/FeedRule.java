// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.advice;

import io.stoa.cache.ghost.CurveStatus;
import io.stoa.feed.event.FeedAbsence;
import io.stoa.proxy.advice.Advice.Topic;
import java.util.List;
import java.util.stream.Stream;

/**
 * Advises a change feed, if many results expire that a feed would keep.
 *
 * <p>Threading: stateless.
 */
final class FeedRule {
  private static final double MIN_EXPIRED = 0.02;

  private FeedRule() {}

  static Stream<Advice> advise(TrafficStatus traffic) {
    CurveStatus curve = traffic.byResults();
    return curve.isReliable() && curve.expired() >= MIN_EXPIRED
        ? traffic.withoutFeed().stream().map(absence -> advice(curve, absence, traffic))
        : Stream.empty();
  }

  private static Advice advice(CurveStatus curve, FeedAbsence absence, TrafficStatus traffic) {
    return new Advice(
        Topic.FEED,
        absence.name(),
        NumberFormats.percent(curve.expired())
            + " of all searches were misses because their result was older than cache.maxAge ("
            + NumberFormats.seconds(traffic.config().maxAge())
            + ") or older than a write; answers from memory were "
            + NumberFormats.seconds(curve.meanAge())
            + " old on average. The hit ratio would rise from "
            + NumberFormats.percent(curve.present().hitRatio())
            + " to at most "
            + NumberFormats.percent(curve.present().hitRatio() + curve.expired()),
        List.of(
            "give Stoa a change feed of "
                + absence.name()
                + " (docs/guides/feeds.md): results then stay until a change concerns them",
            "reason now: " + absence.why()));
  }
}
