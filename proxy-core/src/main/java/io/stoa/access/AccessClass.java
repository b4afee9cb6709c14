// SPDX-License-Identifier: Apache-2.0
package io.stoa.access;

import io.stoa.ldap.Octets;
import java.util.List;

/**
 * What is kept apart in the caches: what one identity may see, or what all members of a declared
 * class see alike. Immutable.
 *
 * @param name as it was declared; empty for the class of one identity
 * @param partition what is stored for it is stored under this
 * @param shared whether it was declared: then it may have many members
 * @param uniform whether every member sees alike whatever is inside its base and its attributes, so
 *     that what a feed shows may be shown to all of them
 * @param attributes of which of them it was declared
 */
public record AccessClass(
    String name, Octets partition, boolean shared, boolean uniform, Attributes attributes) {

  /**
   * Attributes that a declared class is about. Immutable.
   *
   * @param include only these, if there are any
   * @param exclude never these
   */
  public record Attributes(List<String> include, List<String> exclude) {
    /** All of them. */
    public static final Attributes ALL = new Attributes(List.of(), List.of());

    public Attributes {
      include = List.copyOf(include);
      exclude = List.copyOf(exclude);
    }
  }

  /** The class of one identity. */
  static AccessClass own(Octets partition) {
    return new AccessClass("", partition, false, false, Attributes.ALL);
  }
}
