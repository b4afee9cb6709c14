// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import io.stoa.ldap.protocol.Octets;
import org.jspecify.annotations.Nullable;

/**
 * A value made ready for a comparison. Immutable.
 *
 * @param key the same for values that the directory may take for equal; null if nothing is known of
 *     what the value is equal to
 * @param exact whether it is not equal to any other exact value with another key
 * @param invalid whether the directory takes no assertion of it
 */
public record Prepared(@Nullable Octets key, boolean exact, boolean invalid) {
  private static final Prepared DOUBTFUL = new Prepared(null, false, false);
  private static final Prepared INVALID = new Prepared(null, false, true);

  static Prepared exact(@Nullable Octets key) {
    return new Prepared(key, key != null, false);
  }

  /** For a comparison of values of the type. */
  public static Prepared of(
      byte[] value, TypeRules type, @Nullable ValueComparison comparison, ServerProfile profile) {
    Syntax syntax = type.syntax();
    if (syntax == null || comparison == null) {
      return DOUBTFUL;
    }
    if (type.kind() == ServerKind.OPENLDAP && syntax.isSurelyInvalid(value)) {
      return INVALID;
    }
    Prepared prepared = syntax.isSurelyValid(value) ? comparison.prepare(value, profile) : DOUBTFUL;
    return prepared.ifSpacesCount(value, type, comparison);
  }

  /** What directories but slapd make of spaces in text has not been compared. */
  private Prepared ifSpacesCount(byte[] value, TypeRules type, ValueComparison comparison) {
    boolean squeezed = key != null && comparison.isText() && key.length() != value.length;
    return squeezed && type.kind() != ServerKind.OPENLDAP ? new Prepared(key, false, false) : this;
  }
}
