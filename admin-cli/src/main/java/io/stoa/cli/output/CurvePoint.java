// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.output;

import io.stoa.cli.client.EntryValues;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The hit ratio that a cache of one size would have.
 *
 * <p>Threading: immutable.
 *
 * @param size the bound
 * @param hitRatio share of hits, from 0 to 1
 * @param results results that it would hold
 * @param entries entries of these
 * @param octets their size in octets
 */
public record CurvePoint(long size, double hitRatio, long results, long entries, long octets) {
  /** Returns the points of a curve, the smallest size first. */
  public static List<CurvePoint> of(EntryValues curve) {
    return curve.values("stoaCurvePoint").stream()
        .map(line -> of(line.split(" ")))
        .sorted(Comparator.comparingLong(CurvePoint::size))
        .toList();
  }

  private static CurvePoint of(String[] words) {
    return new CurvePoint(
        Long.parseLong(words[0]),
        Double.parseDouble(words[1]),
        Long.parseLong(words[2]),
        Long.parseLong(words[3]),
        Long.parseLong(words[4]));
  }

  Map<String, @Nullable Object> json() {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("size", size);
    json.put("hitRatio", hitRatio);
    json.put("results", results);
    json.put("entries", entries);
    json.put("octets", octets);
    return json;
  }
}
