// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.rights;

import java.util.List;

/**
 * Derived data of one result: parts that may change although none of its entries does. Tells
 * whether they still count by the watermark.
 *
 * <p>Threading: immutable, except for the watermark, which is thread-safe.
 */
public final class Derivation {
  private static final int[] NOTHING = {};

  private final RightsWatermark watermark;
  private final int found;
  private final int[] shown;

  private Derivation(RightsWatermark watermark, int found, int[] shown) {
    this.watermark = watermark;
    this.found = found;
    this.shown = shown;
  }

  /** Makes the derivation of all results without derived data. */
  Derivation(RightsWatermark watermark) {
    this(watermark, DerivedData.NONE, NOTHING);
  }

  /**
   * Returns the derivation of a result. Results without derived data share one.
   *
   * @param found the kinds of derived data that decide which entries the search finds
   * @param shown the kinds of derived data in each entry
   */
  public static Derivation of(RightsWatermark watermark, int found, List<Integer> shown) {
    boolean nothing = shown.stream().allMatch(kinds -> kinds == DerivedData.NONE);
    if (nothing && found == DerivedData.NONE) {
      return watermark.underived();
    }
    int[] each = nothing ? NOTHING : shown.stream().mapToInt(Integer::intValue).toArray();
    return new Derivation(watermark, found, each);
  }

  /** Returns all kinds of derived data in the result. */
  public int all() {
    int all = found;
    for (int kinds : shown) {
      all |= kinds;
    }
    return all;
  }

  /** Returns the kinds of derived data in an entry. */
  public int shown(int index) {
    return shown.length == 0 ? DerivedData.NONE : shown[index];
  }

  /** Returns the time before which a read must not have been sent to count now. */
  public long oldest(long now) {
    return watermark.oldest(now);
  }

  /** Returns the maximum age in nanoseconds by what is known of rights. */
  public long bound(long now) {
    return watermark.bound(now);
  }

  /** True if no change since that time invalidates the whole result, whatever its age. */
  public boolean stillCounts(long asOf, long now) {
    return !watermark.haveRightsChanged(asOf, now) && stillFinds(asOf, now);
  }

  /** True if the search would find the same entries as at that time, as far as groups decide. */
  public boolean stillFinds(long asOf, long now) {
    return found == DerivedData.NONE || watermark.isCurrent(found, asOf, now);
  }

  /** True if an entry with such derived data would be shown as it was at that time. */
  public boolean stillShows(int kinds, long asOf, long now) {
    return kinds == DerivedData.NONE || watermark.isCurrent(kinds, asOf, now);
  }
}
