// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.rights;

import java.util.ArrayList;
import java.util.List;

/**
 * What a directory derives from other entries, as far as it has been declared or found out.
 * Immutable.
 *
 * @param groups attributes that say of which groups an entry is a member
 * @param linked attributes whose values are repaired when the entries that they name are renamed or
 *     deleted
 * @param composed attributes that groups may have that nobody has written there
 */
public record DerivedConfig(List<String> groups, List<String> linked, List<String> composed) {
  /** The usual names of the first, and nothing else. */
  public static final DerivedConfig DEFAULTS =
      new DerivedConfig(List.of("memberOf", "isMemberOf"), List.of(), List.of());

  public DerivedConfig {
    groups = List.copyOf(groups);
    linked = List.copyOf(linked);
    composed = List.copyOf(composed);
  }

  /** What either says. */
  public DerivedConfig and(DerivedConfig other) {
    return new DerivedConfig(
        both(groups, other.groups), both(linked, other.linked), both(composed, other.composed));
  }

  private static List<String> both(List<String> one, List<String> other) {
    List<String> both = new ArrayList<>(one);
    other.stream()
        .filter(name -> both.stream().noneMatch(name::equalsIgnoreCase))
        .forEach(both::add);
    return List.copyOf(both);
  }
}
