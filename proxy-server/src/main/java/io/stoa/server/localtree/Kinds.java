// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.localtree;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Which attribute types and object classes are kinds of others (RFC 4512, sections 2.4 and 2.5.1):
 * whoever asks for the general one gets the special ones. Immutable.
 */
public final class Kinds {
  /** There are none. */
  public static final Kinds NONE = new Kinds(Map.of());

  private final Map<String, String> superiors = new HashMap<>();
  private final Set<String> general = new HashSet<>();

  /**
   * @param superiors what each name is a kind of; no name is a kind of itself, in however many
   *     steps
   */
  public Kinds(Map<String, String> superiors) {
    superiors.forEach(
        (name, superior) -> {
          this.superiors.put(TreeEntry.fold(name), TreeEntry.fold(superior));
          general.add(TreeEntry.fold(superior));
        });
  }

  /** Whether there are kinds of it. */
  boolean isGeneral(String lowerCase) {
    return general.contains(lowerCase);
  }

  /** The name, and all that it is a kind of. */
  List<String> of(String lowerCase) {
    return superiors.containsKey(lowerCase)
        ? Stream.iterate(lowerCase, name -> name != null, superiors::get).toList()
        : List.of(lowerCase);
  }
}
