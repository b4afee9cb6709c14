// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import io.stoa.ldap.protocol.Octets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The unit by which stored results are kept apart: one identity, or a declared class whose members
 * share results.
 *
 * <p>Threading: immutable, except for the state of the member.
 *
 * @param name the declared name; empty for the class of one identity
 * @param partition key under which its results are stored
 * @param shared true if it was declared, so that it may have many members
 * @param uniform true if each member sees all that the feed sees in its base and attributes; states
 *     reported by a feed may then be served
 * @param attributes the attributes that it covers
 * @param member the identity as a member of the declared class; null if it belongs to none
 */
public record SharingClass(
    String name,
    Octets partition,
    boolean shared,
    boolean uniform,
    Attributes attributes,
    @Nullable ClassMember member) {

  /**
   * Attributes that a declared class covers.
   *
   * <p>Threading: immutable.
   *
   * @param include only these; all if empty
   * @param exclude never these
   */
  public record Attributes(List<String> include, List<String> exclude) {
    /** All attributes. */
    public static final Attributes ALL = new Attributes(List.of(), List.of());

    public Attributes {
      include = List.copyOf(include);
      exclude = List.copyOf(exclude);
    }

    boolean isAll() {
      return include.isEmpty() && exclude.isEmpty();
    }
  }

  /** Returns the member as which shared results are read; null for the class of one identity. */
  public @Nullable ClassMember reader() {
    return shared ? member : null;
  }

  /** Returns the class of one identity that is suspended as this member. */
  SharingClass suspended(ClassMember as) {
    return new SharingClass(name, partition, shared, uniform, attributes, as);
  }

  /** Returns the class of one identity. */
  static SharingClass own(Octets partition) {
    return new SharingClass("", partition, false, false, Attributes.ALL, null);
  }
}
