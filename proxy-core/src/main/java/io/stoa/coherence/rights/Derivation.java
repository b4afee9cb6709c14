// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.rights;

import java.util.List;

/**
 * What of one answer may change though none of its entries does, and until when it has not.
 * Immutable, but for the horizon.
 */
public final class Derivation {
  private static final int[] NOTHING = {};

  private final RightsWatermark horizon;
  private final int found;
  private final int[] shown;

  private Derivation(RightsWatermark horizon, int found, int[] shown) {
    this.horizon = horizon;
    this.found = found;
    this.shown = shown;
  }

  /**
   * Makes it.
   *
   * @param found the facets that decide which entries there are
   * @param shown those of each entry
   */
  public static Derivation of(RightsWatermark horizon, int found, List<Integer> shown) {
    boolean nothing = shown.stream().allMatch(facets -> facets == DerivedData.NONE);
    int[] each = nothing ? NOTHING : shown.stream().mapToInt(Integer::intValue).toArray();
    return new Derivation(horizon, found, each);
  }

  /** All facets that it has. */
  public int all() {
    int all = found;
    for (int facets : shown) {
      all |= facets;
    }
    return all;
  }

  /** Those of an entry. */
  public int shown(int index) {
    return shown.length == 0 ? DerivedData.NONE : shown[index];
  }

  /** What was asked for before that time does not count any more. */
  public long oldest(long now) {
    return horizon.oldest(now);
  }

  /** How old it may be for all that is known of rights. */
  public long bound(long now) {
    return horizon.bound(now);
  }

  /** Whether nothing has happened since that time that voids all of it, whatever its age. */
  public boolean stillCounts(long asOf, long now) {
    return !horizon.hasRevoked(asOf, now) && stillFinds(asOf, now);
  }

  /** Whether the same entries would be found now as at that time, as far as groups decide. */
  public boolean stillFinds(long asOf, long now) {
    return found == DerivedData.NONE || horizon.shows(found, asOf, now);
  }

  /** Whether an entry with such facets would be shown as it was at that time. */
  public boolean stillShows(int facets, long asOf, long now) {
    return facets == DerivedData.NONE || horizon.shows(facets, asOf, now);
  }
}
