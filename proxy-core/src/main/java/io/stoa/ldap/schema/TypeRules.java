// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import io.stoa.ldap.protocol.Octets;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Matching rules of one attribute type in one directory.
 *
 * <p>Threading: immutable.
 *
 * @param key the OID in lower case, the same for all names of the type
 * @param ancestors keys of the type and of the types whose assertions match its values, too
 * @param syntax syntax of equality assertions; null if Stoa does not know it
 * @param derived source of the values: written by clients, or computed by the directory
 * @param isSecret true if values must not be kept in memory
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

  /** Sources of an attribute's values. */
  enum Derived {
    /** Written with the entry. */
    NOT,
    /** Computed from the groups of the entry. */
    FROM_GROUPS,
    /** Taken from an entry above (collective attribute). */
    COLLECTIVE,
    /** Computed in another way; may change at any time. */
    OTHERWISE
  }

  /**
   * A matching rule of the type.
   *
   * @param exists true if the schema names a rule
   * @param comparison null if Stoa does not know the rule
   */
  public record Matching(boolean exists, @Nullable ValueComparison comparison) {
    static Matching of(@Nullable String rule) {
      return new Matching(rule != null, rule == null ? null : ValueComparison.of(rule));
    }
  }

  /** Returns rules for an attribute that the schema does not define unambiguously. */
  static TypeRules doubtful(ServerKind kind, Octets key) {
    Matching unknown = new Matching(true, null);
    return new TypeRules(
        kind, key, Set.of(), null, unknown, unknown, unknown, Derived.OTHERWISE, false);
  }

  public boolean isDerived() {
    return derived != Derived.NOT;
  }

  /** True if values change without any change that a feed reports. */
  public boolean isUnreported() {
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
