// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.rights;

import java.util.ArrayList;
import java.util.List;

/**
 * Attributes that a directory derives from other entries, as declared or found out.
 *
 * <p>Threading: immutable.
 *
 * @param groups attributes that list the groups of an entry
 * @param linked attributes whose values the directory repairs when the entries that they name are
 *     renamed or deleted
 * @param composed attributes that a group may show without holding them
 */
public record DerivedConfig(List<String> groups, List<String> linked, List<String> composed) {
  /** The usual names of attributes that list groups, and nothing else. */
  public static final DerivedConfig DEFAULTS =
      new DerivedConfig(List.of("memberOf", "isMemberOf"), List.of(), List.of());

  public DerivedConfig {
    groups = List.copyOf(groups);
    linked = List.copyOf(linked);
    composed = List.copyOf(composed);
  }

  /** Returns the union of both. */
  public DerivedConfig union(DerivedConfig other) {
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
