// SPDX-License-Identifier: Apache-2.0
package io.stoa.filter;

import io.stoa.ldap.Octets;
import io.stoa.match.ServerKind;
import io.stoa.match.ServerProfile;
import org.jspecify.annotations.Nullable;

/**
 * A value made ready for a comparison. Immutable.
 *
 * @param key equal for values that are; null if it is not known what the value is equal to
 * @param invalid whether the directory takes no assertion of it
 */
record Prepared(@Nullable Octets key, boolean invalid) {
  private static final Prepared DOUBTFUL = new Prepared(null, false);
  private static final Prepared INVALID = new Prepared(null, true);

  /** For a comparison of values of the type. */
  static Prepared of(
      byte[] value, TypeRules type, @Nullable Comparison comparison, ServerProfile profile) {
    Syntax syntax = type.syntax();
    if (syntax == null || comparison == null) {
      return DOUBTFUL;
    }
    if (type.kind() == ServerKind.OPENLDAP && syntax.isSurelyInvalid(value)) {
      return INVALID;
    }
    if (!syntax.isSurelyValid(value)) {
      return DOUBTFUL;
    }
    Octets key = comparison.key(value, profile);
    return key == null || !isFoldedAlike(key, value, type, comparison)
        ? DOUBTFUL
        : new Prepared(key, false);
  }

  /** What directories but slapd make of spaces in text has not been compared. */
  private static boolean isFoldedAlike(
      Octets key, byte[] value, TypeRules type, Comparison comparison) {
    return type.kind() == ServerKind.OPENLDAP
        || !comparison.isText()
        || key.length() == value.length;
  }
}
