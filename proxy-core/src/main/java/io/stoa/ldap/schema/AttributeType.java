// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import io.stoa.ldap.protocol.Octets;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An attribute type of the directory's schema, with the properties that it inherits.
 *
 * <p>Keys of requests use any type. Filters are evaluated with certain types only ({@link
 * #isCertain}): for others, the result of every assertion is UNKNOWN.
 *
 * <p>Threading: immutable.
 *
 * @param key the OID in lower case, the same for all names of the type
 * @param name the first name of the type, in lower case
 * @param equality rule of equality assertions
 * @param ordering rule of assertions of greaterOrEqual and lessOrEqual
 * @param substrings rule of substring assertions
 * @param folding the folding of values in cache keys
 * @param operational true if the type is returned only to a request that names it or {@code +}
 * @param isProjectable true if the type is returned in the same form to each list that selects it,
 *     by name or not
 * @param isVolatile true if values change without a write to the entry
 * @param derived source of the values: written by clients, or computed by the directory
 * @param isSecret true if values must not be kept in memory
 * @param ancestors keys of the type and of its supertypes
 * @param related keys of the type, of its supertypes and of its subtypes
 * @param isCertain true if exactly one definition of one directory claims each name, and all its
 *     supertypes are known
 */
public record AttributeType(
    ServerKind kind,
    Octets key,
    Octets name,
    Matching equality,
    Matching ordering,
    Matching substrings,
    ValueFolding folding,
    boolean operational,
    boolean isProjectable,
    boolean isVolatile,
    Derived derived,
    boolean isSecret,
    Set<Octets> ancestors,
    Set<Octets> related,
    boolean isCertain) {
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
   * @param rule null if Stoa does not know the rule
   */
  public record Matching(boolean exists, @Nullable MatchingRule rule) {
    private static final Matching UNKNOWN = new Matching(true, null);

    static Matching of(@Nullable String rule) {
      return new Matching(rule != null, MatchingRule.of(rule));
    }

    /** Returns the comparison of the rule; null if Stoa does not implement it. */
    public @Nullable ValueComparison comparison() {
      return rule == null ? null : rule.comparison();
    }
  }

  /** Creates a type. Facts that filters need are unknown if it is not certain. */
  public AttributeType {
    if (!isCertain) {
      equality = Matching.UNKNOWN;
      ordering = Matching.UNKNOWN;
      substrings = Matching.UNKNOWN;
      derived = Derived.OTHERWISE;
    }
  }

  /** Returns a type for a name that several definitions claim. */
  static AttributeType ambiguous(ServerKind kind, Octets name) {
    return new AttributeType(
        kind,
        name,
        name,
        Matching.UNKNOWN,
        Matching.UNKNOWN,
        Matching.UNKNOWN,
        ValueFolding.NONE,
        true,
        false,
        true,
        Derived.OTHERWISE,
        true,
        Set.of(name),
        Set.of(name),
        false);
  }

  /** True if another directory defines the type with the same key, usage and supertypes. */
  boolean isLike(AttributeType other) {
    return key.equals(other.key)
        && operational == other.operational
        && ancestors.equals(other.ancestors);
  }

  /** Returns the facts that hold for the names of this type in both of two directories. */
  AttributeType and(AttributeType other) {
    Set<Octets> family = new HashSet<>(related);
    family.addAll(other.related);
    return new AttributeType(
        kind,
        key,
        name,
        equality,
        ordering,
        substrings,
        isLike(other) ? folding.and(other.folding) : ValueFolding.NONE,
        operational,
        isProjectable && other.isProjectable,
        isVolatile || other.isVolatile,
        derived,
        isSecret || other.isSecret,
        ancestors,
        Set.copyOf(family),
        false);
  }

  /** True if a request for {@code supertype} also returns this type. */
  boolean isSubtypeOf(AttributeType supertype) {
    return ancestors.contains(supertype.key);
  }

  /**
   * Returns the keys of the types whose assertions match values of this type; empty if unknown. For
   * 389-ds an assertion about a type does not match its subtypes.
   */
  public Set<Octets> assertable() {
    Set<Octets> matched = kind == ServerKind.DS389 ? Set.of(key) : ancestors;
    return isCertain ? matched : Set.of();
  }

  /** True if an assertion about {@code asserted} also applies to values of this type. */
  public boolean isA(AttributeType asserted) {
    return assertable().contains(asserted.key);
  }

  /** Returns the syntax of equality assertions; null if Stoa does not know it. */
  public @Nullable Syntax syntax() {
    return equality.rule() == null ? null : equality.rule().syntax();
  }

  public boolean isDerived() {
    return derived != Derived.NOT;
  }

  /** True if values change without any change that a feed reports. */
  public boolean isUnreported() {
    return isDerived() && derived != Derived.FROM_GROUPS;
  }

  public boolean isObjectClass() {
    return key.equals(OBJECT_CLASS);
  }

  public boolean isEntryDn() {
    return key.equals(ENTRY_DN);
  }

  /** Returns the hash of the key, which few types have in common. */
  @Override
  public int hashCode() {
    return key.hashCode();
  }
}
