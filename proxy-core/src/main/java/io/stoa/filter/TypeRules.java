// SPDX-License-Identifier: Apache-2.0
package io.stoa.filter;

import io.stoa.ldap.Octets;
import io.stoa.match.ServerKind;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How one directory compares the values of an attribute type. Immutable.
 *
 * @param key the OID in lower case, the same for all names of the type
 * @param ancestors keys of the type and of those whose assertions are about its values, too
 * @param syntax of assertions for equality; null if Stoa does not know it
 * @param isDerived whether the directory computes the values, or changes them without telling
 * @param isSecret whether its values are kept from memory
 */
record TypeRules(
    ServerKind kind,
    Octets key,
    Set<Octets> ancestors,
    @Nullable Syntax syntax,
    Matching equality,
    Matching ordering,
    Matching substrings,
    boolean isDerived,
    boolean isSecret) {
  static final Octets OBJECT_CLASS = Octets.ofUtf8("2.5.4.0");
  private static final Octets ENTRY_DN = Octets.ofUtf8("1.3.6.1.1.20");

  /**
   * A matching rule of the type.
   *
   * @param exists whether the schema names one
   * @param comparison null if Stoa does not know it
   */
  record Matching(boolean exists, @Nullable Comparison comparison) {
    static Matching of(@Nullable String rule) {
      return new Matching(rule != null, rule == null ? null : Comparison.of(rule));
    }
  }

  /** That of a name of which the schema does not say what it means. */
  static TypeRules doubtful(ServerKind kind, Octets key) {
    Matching unknown = new Matching(true, null);
    return new TypeRules(kind, key, Set.of(), null, unknown, unknown, unknown, true, false);
  }

  boolean isDoubtful() {
    return ancestors.isEmpty();
  }

  boolean isObjectClass() {
    return key.equals(OBJECT_CLASS);
  }

  boolean isEntryDn() {
    return key.equals(ENTRY_DN);
  }

  boolean isA(TypeRules supertype) {
    return ancestors.contains(supertype.key);
  }
}
