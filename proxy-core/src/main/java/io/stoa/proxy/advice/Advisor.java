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

  /** Maximum number of pieces of advice by one rule. Patterns with most time come first. */
  private static final int MAX_OF_RULE = 20;

  private Advisor() {}

  /** Returns all advice, in the order of the topics. */
  public static AdviceReport advise(TrafficStatus traffic) {
    List<Advice> advice =
        RULES.stream()
            .flatMap(rule -> rule.apply(traffic).limit(MAX_OF_RULE))
            .sorted(Comparator.comparing(Advice::topic))
            .toList();
    return new AdviceReport(advice, traffic.byResults(), traffic.byEntries());
  }
}
