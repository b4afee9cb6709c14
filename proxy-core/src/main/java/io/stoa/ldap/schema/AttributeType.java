// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import io.stoa.ldap.protocol.Octets;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An attribute type of the directory's schema, reduced to the facts that decide cache keys.
 *
 * <p>Threading: immutable.
 *
 * @param key the same for all names of the type, in lower case
 * @param name the first name of the type, in lower case
 * @param rule the folding of assertion values
 * @param caseIgnored pattern of valid values, if they are text compared without regard to letter
 *     case; null if unknown
 * @param isText true if equal values differ at most in spaces and letter case
 * @param foldsSubstrings true if letter case in substrings may be folded
 * @param operational true if the type is returned only to a request that names it or {@code +}
 * @param isProjectable true if the type is returned in the same form to each list that selects it,
 *     by name or not
 * @param ancestors keys of the type and of its supertypes
 * @param related keys of the type, of its supertypes and of its subtypes
 * @param isVolatile true if values change without a write to the entry
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

  /** Ways to fold values of an attribute type without changing any response. */
  public enum ValueRule {
    /** No folding: the equality of the directory is unknown. */
    EXACT,

    /** Folds letter case; keeps spaces. */
    IGNORE_CASE,

    /** Folds letter case, squeezes runs of spaces to one, and removes spaces at both ends. */
    IGNORE_CASE_AND_SPACES,

    /** Treats names and OIDs of one object class as equal. */
    OBJECT_CLASS,

    /** Folds values as DNs. */
    DN;

    /** Returns the folding that is valid under both rules. */
    ValueRule and(ValueRule other) {
      boolean foldsCase = isOfCase() && other.isOfCase();
      return this == other ? this : foldsCase ? IGNORE_CASE : EXACT;
    }

    private boolean isOfCase() {
      return this == IGNORE_CASE || this == IGNORE_CASE_AND_SPACES;
    }
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
