// SPDX-License-Identifier: Apache-2.0
package io.stoa.metrics;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What of a metric concerns machines. Immutable.
 *
 * @param name as Micrometer spells it, with dots
 * @param unit null if it counts things
 * @param tag what its values are told apart by; null if there is one value
 * @param second what by, too; null if that is all
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

  MeterShape in(String newUnit) {
    return new MeterShape(type, name, newUnit, tag, second);
  }

  MeterShape by(String newTag) {
    return new MeterShape(type, name, unit, newTag, null);
  }

  MeterShape by(String newTag, String andBy) {
    return new MeterShape(type, name, unit, newTag, andBy);
  }

  /** Each value by the tag at its place. */
  static Tags tagged(List<String> tags, List<String> values) {
    Tags all = Tags.empty();
    for (int i = 0; i < values.size(); i++) {
      all = all.and(tags.get(i), values.get(i));
    }
    return all;
  }
}
