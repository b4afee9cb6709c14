// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.localtree;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Supertypes of attribute types and superclasses of object classes (RFC 4512, sections 2.4 and
 * 2.5.1). A request for a supertype includes its subtypes.
 *
 * <p>Threading: immutable.
 */
public final class TypeHierarchy {
  /** No name has a superior. */
  public static final TypeHierarchy NONE = new TypeHierarchy(Map.of());

  private final Map<String, String> superiors = new HashMap<>();
  private final Set<String> general = new HashSet<>();

  /**
   * @param superiors direct superior of each name; without cycles
   */
  public TypeHierarchy(Map<String, String> superiors) {
    superiors.forEach(
        (name, superior) -> {
          this.superiors.put(TreeEntry.fold(name), TreeEntry.fold(superior));
          general.add(TreeEntry.fold(superior));
        });
  }

  /** True if the name is a superior of others. */
  boolean hasSubtypes(String lowerCase) {
    return general.contains(lowerCase);
  }

  /** Returns the name and all its superiors. */
  List<String> withSuperiors(String lowerCase) {
    return superiors.containsKey(lowerCase)
        ? Stream.iterate(lowerCase, name -> name != null, superiors::get).toList()
        : List.of(lowerCase);
  }
}
