// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.advice;

import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Derives advice from the statistics of live traffic.
 *
 * <p>Threading: stateless.
 */
public final class Advisor {
  private static final List<Function<TrafficStatus, Stream<Advice>>> RULES =
      List.of(
          IndexRule::advise,
          CacheSizeRule::advise,
          BypassLimitRule::advise,
          FeedRule::advise,
          SharingRule::advise,
          ClientRules::advise,
          SearchRules::advise);

  private Advisor() {}

  /** Returns all advice, in the order of the topics. */
  public static AdviceReport advise(TrafficStatus traffic) {
    List<Advice> advice =
        RULES.stream()
            .flatMap(rule -> rule.apply(traffic))
            .sorted(Comparator.comparing(Advice::topic))
            .toList();
    return new AdviceReport(advice, traffic.byResults(), traffic.byEntries());
  }
}
