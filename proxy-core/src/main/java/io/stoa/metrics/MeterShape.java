// SPDX-License-Identifier: Apache-2.0
package io.stoa.metrics;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The machine-readable part of a metric's description.
 *
 * <p>Threading: immutable.
 *
 * @param name the name as Micrometer spells it, with dots
 * @param unit the base unit; null if the metric counts things
 * @param tag the key of the first tag; null if the metric has a single value
 * @param second the key of the second tag; null if there is at most one tag
 */
record MeterShape(
    Meter.Type type,
    String name,
    @Nullable String unit,
    @Nullable String tag,
    @Nullable String second) {
  static MeterShape gauge(String name) {
    return new MeterShape(Meter.Type.GAUGE, name, null, null, null);
  }

  static MeterShape counter(String name) {
    return new MeterShape(Meter.Type.COUNTER, name, null, null, null);
  }

  /** A histogram, which is collected from {@code LatencyHistograms} and not bound. */
  static MeterShape histogram(String name) {
    return new MeterShape(Meter.Type.TIMER, name, null, null, null);
  }

  MeterShape in(String newUnit) {
    return new MeterShape(type, name, newUnit, tag, second);
  }

  MeterShape by(String newTag) {
    return new MeterShape(type, name, unit, newTag, null);
  }

  MeterShape by(String newTag, String andBy) {
    return new MeterShape(type, name, unit, newTag, andBy);
  }

  /** Pairs each value with the tag at the same index. */
  static Tags tagged(List<String> tags, List<String> values) {
    Tags all = Tags.empty();
    for (int i = 0; i < values.size(); i++) {
      all = all.and(tags.get(i), values.get(i));
    }
    return all;
  }
}
