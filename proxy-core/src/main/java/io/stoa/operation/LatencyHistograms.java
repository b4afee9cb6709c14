// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.stoa.ldap.protocol.OpType;
import io.stoa.operation.event.CacheOutcome;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * Durations of answered client operations, from receipt to the last response, by type and cache
 * outcome. Searches that run until the client ends them have no such duration.
 *
 * <p>Responses to requests that one read received and answered are sent after it. Such durations
 * end with the read, or already with an answer of another type or outcome in it.
 *
 * <p>Threading: thread-safe.
 */
public final class LatencyHistograms {
  private final Map<OpType, Map<CacheOutcome, LatencyHistogram>> histograms =
      new EnumMap<>(OpType.class);

  /** Creates histograms without values. */
  public LatencyHistograms() {
    for (OpType type : OpType.values()) {
      if (type.isRequest()) {
        Map<CacheOutcome, LatencyHistogram> outcomes = new EnumMap<>(CacheOutcome.class);
        for (CacheOutcome outcome : CacheOutcome.values()) {
          outcomes.put(outcome, new LatencyHistogram());
        }
        histograms.put(type, outcomes);
      }
    }
  }

  /** Records the duration in ns that a number of answered operations have in common. */
  public void record(OpType type, CacheOutcome outcome, long nanos, int count) {
    histogram(type, outcome).record(nanos, count);
  }

  /** Returns the histogram of the operations of a type with a cache outcome. */
  public LatencyHistogram histogram(OpType type, CacheOutcome outcome) {
    return Objects.requireNonNull(ofType(type).get(outcome));
  }

  /** Returns the total duration in ns of the operations of a type. */
  long sum(OpType type) {
    return ofType(type).values().stream().mapToLong(LatencyHistogram::sum).sum();
  }

  private Map<CacheOutcome, LatencyHistogram> ofType(OpType type) {
    return Objects.requireNonNull(histograms.get(type));
  }
}
