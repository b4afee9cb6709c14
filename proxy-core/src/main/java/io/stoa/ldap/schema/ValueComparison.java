// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.stoa.ldap.protocol.Ascii;
import io.stoa.ldap.protocol.Octets;
import java.math.BigInteger;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Value comparisons that Stoa implements: matching rules of RFC 4517 in which equality, ordering
 * and substrings use the same preparation. All other rules are left to the directory.
 *
 * <p>Threading: immutable.
 */
public enum ValueComparison {
  CASE_IGNORE(Syntax.DIRECTORY_STRING),
  CASE_EXACT(Syntax.DIRECTORY_STRING),
  INTEGER(Syntax.INTEGER),
  BOOLEAN(Syntax.BOOLEAN),
  DN(Syntax.DN),
  TELEPHONE_NUMBER(Syntax.TELEPHONE_NUMBER),
  NUMERIC_STRING(Syntax.NUMERIC_STRING),
  GENERALIZED_TIME(Syntax.GENERALIZED_TIME),
  OCTET_STRING(Syntax.OCTET_STRING),
  UUID(Syntax.UUID);

  private final Syntax syntax;

  ValueComparison(Syntax syntax) {
    this.syntax = syntax;
  }

  /** Returns the syntax of assertion values, unless the matching rule has another one. */
  Syntax syntax() {
    return syntax;
  }

  public boolean isText() {
    return this == CASE_IGNORE || this == CASE_EXACT;
  }

  /**
   * Prepares a value that is valid by its syntax. The key is equal for values that the directory
   * considers equal. Exact values with different keys are different.
   *
   * @return a result whose key is null if the value cannot be prepared
   */
  Prepared prepare(byte[] value, ServerProfile profile) {
    return switch (this) {
      case CASE_IGNORE, CASE_EXACT -> text(value);
      case DN -> name(NormalDn.of(value, profile));
      case TELEPHONE_NUMBER -> Prepared.exact(without(value, " -"));
      case NUMERIC_STRING -> Prepared.exact(without(value, " "));
      case UUID -> Prepared.exact(Ascii.lowerKey(value, value.length));
      case INTEGER, BOOLEAN, GENERALIZED_TIME, OCTET_STRING -> Prepared.exact(Octets.of(value));
    };
  }

  private Prepared text(byte[] value) {
    Octets key = Octets.of(NormalDn.foldedText(value, this == CASE_IGNORE));
    return new Prepared(key, NormalDn.isPlainText(value), false);
  }

  private static Prepared name(NormalDn dn) {
    boolean sure = dn.isDn() && dn.sureDepth() == dn.depth();
    return new Prepared(sure ? dn.treePosition() : null, dn.isPlain(), false);
  }

  private static @Nullable Octets without(byte[] value, String insignificant) {
    byte[] kept = new byte[value.length];
    int length = 0;
    for (byte octet : value) {
      if (insignificant.indexOf(octet) < 0) {
        kept[length++] = octet;
      }
    }
    return length == 0 ? null : Octets.of(Arrays.copyOf(kept, length));
  }

  /**
   * True if Stoa can match a part of a substring assertion. Parts with spaces at an end or runs of
   * spaces are excluded, since their meaning depends on the neighbouring parts.
   */
  public boolean isPart(byte[] part, Syntax syntax) {
    return switch (this) {
      case CASE_IGNORE, CASE_EXACT ->
          syntax.isSurelyValid(part)
              && NormalDn.isPlainText(part)
              && part(part).length() == part.length;
      case TELEPHONE_NUMBER, NUMERIC_STRING -> isDigits(part);
      default -> false;
    };
  }

  /** Returns the part in the form in which it occurs in keys of values. */
  public Octets part(byte[] part) {
    return isText() ? Octets.of(NormalDn.foldedText(part, this == CASE_IGNORE)) : Octets.of(part);
  }

  private static boolean isDigits(byte[] part) {
    for (byte octet : part) {
      if (octet < '0' || octet > '9') {
        return false;
      }
    }
    return part.length > 0;
  }

  /** Compares two keys: negative, zero or positive; null if their order is unknown. */
  public @Nullable Integer order(Octets one, Octets other) {
    return switch (this) {
      case INTEGER -> number(one).compareTo(number(other));
      case GENERALIZED_TIME -> one.compareTo(other);
      case CASE_IGNORE, CASE_EXACT -> isAscii(one) && isAscii(other) ? one.compareTo(other) : null;
      default -> null;
    };
  }

  private static BigInteger number(Octets key) {
    return new BigInteger(new String(key.array(), US_ASCII));
  }

  private static boolean isAscii(Octets key) {
    for (byte octet : key.array()) {
      if (octet < 0) {
        return false;
      }
    }
    return true;
  }
}
