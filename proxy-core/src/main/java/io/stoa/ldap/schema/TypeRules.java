// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import io.stoa.ldap.protocol.Octets;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How one directory compares the values of an attribute type. Immutable.
 *
 * @param key the OID in lower case, the same for all names of the type
 * @param ancestors keys of the type and of those whose assertions are about its values, too
 * @param syntax of assertions for equality; null if Stoa does not know it
 * @param derived whether the directory computes the values, or changes them without telling
 * @param isSecret whether its values are kept from memory
 */
public record TypeRules(
    ServerKind kind,
    Octets key,
    Set<Octets> ancestors,
    @Nullable Syntax syntax,
    Matching equality,
    Matching ordering,
    Matching substrings,
    Derived derived,
    boolean isSecret) {
  public static final Octets OBJECT_CLASS = Octets.ofUtf8("2.5.4.0");

  /** The attribute {@code ref} (RFC 3296, section 2.4). */
  public static final Octets REFERENCE = Octets.ofUtf8("2.16.840.1.113730.3.1.34");

  private static final Octets ENTRY_DN = Octets.ofUtf8("1.3.6.1.1.20");

  /** Where the values come from. */
  enum Derived {
    /** Whoever writes the entry writes them. */
    NOT,
    /** They follow from the groups of which the entry is a member. */
    FROM_GROUPS,
    /** They are those of an entry above. */
    COLLECTIVE,
    /** They may change at any time. */
    OTHERWISE
  }

  /**
   * A matching rule of the type.
   *
   * @param exists whether the schema names one
   * @param comparison null if Stoa does not know it
   */
  public record Matching(boolean exists, @Nullable ValueComparison comparison) {
    static Matching of(@Nullable String rule) {
      return new Matching(rule != null, rule == null ? null : ValueComparison.of(rule));
    }
  }

  /** That of a name of which the schema does not say what it means. */
  static TypeRules doubtful(ServerKind kind, Octets key) {
    Matching unknown = new Matching(true, null);
    return new TypeRules(
        kind, key, Set.of(), null, unknown, unknown, unknown, Derived.OTHERWISE, false);
  }

  public boolean isDerived() {
    return derived != Derived.NOT;
  }

  /** Whether the values change without anything that could tell it. */
  public boolean isHidden() {
    return isDerived() && derived != Derived.FROM_GROUPS;
  }

  public boolean isDoubtful() {
    return ancestors.isEmpty();
  }

  public boolean isObjectClass() {
    return key.equals(OBJECT_CLASS);
  }

  public boolean isEntryDn() {
    return key.equals(ENTRY_DN);
  }

  public boolean isA(TypeRules supertype) {
    return ancestors.contains(supertype.key);
  }
}
