// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.advice;

import io.stoa.cache.ghost.CurveStatus;
import java.util.List;

/**
 * All advice at one moment, and the hit ratios by size.
 *
 * <p>Threading: immutable.
 *
 * @param advice the advice, in the order of the topics
 * @param byResults hit ratios by the maximum number of results
 * @param byEntries hit ratios by the maximum number of entries
 */
public record AdviceReport(List<Advice> advice, CurveStatus byResults, CurveStatus byEntries) {
  public AdviceReport {
    advice = List.copyOf(advice);
  }
}
