// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import io.stoa.ldap.protocol.Octets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is kept apart in the caches: what one identity may see, or what all members of a declared
 * class see alike. Immutable, but for what is known of the member.
 *
 * @param name as it was declared; empty for the class of one identity
 * @param partition what is stored for it is stored under this
 * @param shared whether it was declared: then it may have many members
 * @param uniform whether every member sees alike whatever is inside its base and its attributes, so
 *     that what a feed shows may be shown to all of them
 * @param attributes of which of them it was declared
 * @param member as whom the identity belongs to it; null if it belongs to none
 */
public record SharingClass(
    String name,
    Octets partition,
    boolean shared,
    boolean uniform,
    Attributes attributes,
    @Nullable ClassMember member) {

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

    boolean all() {
      return include.isEmpty() && exclude.isEmpty();
    }
  }

  /** As which member what is stored for all of them is read; null if it is stored for one. */
  public @Nullable ClassMember reader() {
    return shared ? member : null;
  }

  /** The class of one identity that is a member of another one, and has to do without. */
  SharingClass lookedInto(ClassMember as) {
    return new SharingClass(name, partition, shared, uniform, attributes, as);
  }

  /** The class of one identity. */
  static SharingClass own(Octets partition) {
    return new SharingClass("", partition, false, false, Attributes.ALL, null);
  }
}
