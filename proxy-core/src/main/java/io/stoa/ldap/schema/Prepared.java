// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import io.stoa.ldap.protocol.Octets;
import org.jspecify.annotations.Nullable;

/**
 * A value prepared for comparison by a matching rule.
 *
 * <p>Threading: immutable.
 *
 * @param key equal for values that the directory may consider equal; null if nothing is known about
 *     equality
 * @param exact true if the value differs from every other exact value with another key
 * @param invalid true if the directory rejects an assertion of the value
 */
public record Prepared(@Nullable Octets key, boolean exact, boolean invalid) {
  private static final Prepared DOUBTFUL = new Prepared(null, false, false);
  private static final Prepared INVALID = new Prepared(null, false, true);

  static Prepared exact(@Nullable Octets key) {
    return new Prepared(key, key != null, false);
  }

  /** Prepares a value of the type for a comparison. */
  public static Prepared of(
      byte[] value,
      AttributeType type,
      @Nullable ValueComparison comparison,
      ServerProfile profile) {
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

  /**
   * Marks the value as inexact if spaces were squeezed and the directory is not slapd. Other
   * directories' treatment of spaces has not been tested.
   */
  private Prepared ifSpacesCount(byte[] value, AttributeType type, ValueComparison comparison) {
    boolean squeezed = key != null && comparison.isText() && key.length() != value.length;
    return squeezed && type.kind() != ServerKind.OPENLDAP ? new Prepared(key, false, false) : this;
  }
}
