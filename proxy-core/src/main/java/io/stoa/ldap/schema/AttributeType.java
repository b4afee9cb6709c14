// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import io.stoa.ldap.protocol.Octets;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An attribute type of the directory's schema, reduced to what decides keys. Immutable.
 *
 * @param key the same for all names of the type, in lower case
 * @param name the first one, in lower case
 * @param rule how values of assertions are folded
 * @param caseIgnored of what form values are that are text and compared without regard to letter
 *     case; null if that is not known
 * @param isText whether equal values differ at most in spaces and in letter case
 * @param foldsSubstrings whether letter case in substrings may be folded
 * @param operational whether only a request that names it, or {@code +}, returns it
 * @param isProjectable whether the answer with a list that names it shows it as any other list
 *     would
 * @param ancestors keys of the type and of its supertypes
 * @param related keys of the type, of its supertypes and of its subtypes
 * @param isVolatile whether its values change without a write to the entry
 */
public record AttributeType(
    Octets key,
    Octets name,
    ValueRule rule,
    @Nullable Pattern caseIgnored,
    boolean isText,
    boolean foldsSubstrings,
    boolean operational,
    boolean isProjectable,
    Set<Octets> ancestors,
    Set<Octets> related,
    boolean isVolatile) {

  /** How values of an attribute type may be folded without changing any answer. */
  public enum ValueRule {
    /** Not at all: what the directory takes for equal is not known. */
    EXACT,

    /** Letter case is folded, spaces are kept. */
    IGNORE_CASE,

    /** Letter case is folded, runs of spaces are one, those at either end none. */
    IGNORE_CASE_AND_SPACES,

    /** Names and OIDs of one object class are equal. */
    OBJECT_CLASS,

    /** Values are DNs. */
    DN;

    /** What holds under both. */
    ValueRule and(ValueRule other) {
      boolean foldsCase = isOfCase() && other.isOfCase();
      return this == other ? this : foldsCase ? IGNORE_CASE : EXACT;
    }

    private boolean isOfCase() {
      return this == IGNORE_CASE || this == IGNORE_CASE_AND_SPACES;
    }
  }

  /** Whether another directory means the same by the type's names. */
  boolean isLike(AttributeType other) {
    return key.equals(other.key)
        && operational == other.operational
        && ancestors.equals(other.ancestors);
  }

  /** What holds of the names of this type in both of two directories. */
  AttributeType and(AttributeType other) {
    Set<Octets> family = new HashSet<>(related);
    family.addAll(other.related);
    return new AttributeType(
        key,
        name,
        isLike(other) ? rule.and(other.rule) : ValueRule.EXACT,
        isLike(other) && Objects.equals(text(), other.text()) ? caseIgnored : null,
        isLike(other) && isText && other.isText,
        isLike(other) && foldsSubstrings && other.foldsSubstrings,
        operational,
        isProjectable && other.isProjectable,
        ancestors,
        Set.copyOf(family),
        isVolatile || other.isVolatile);
  }

  private @Nullable String text() {
    return caseIgnored == null ? null : caseIgnored.pattern();
  }

  boolean isSubtypeOf(AttributeType supertype) {
    return ancestors.contains(supertype.key);
  }
}
