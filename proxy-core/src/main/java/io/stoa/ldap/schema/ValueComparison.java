// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.stoa.ldap.protocol.Octets;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Value comparisons that Stoa implements: matching rules of RFC 4517 in which equality, ordering
 * and substrings use the same preparation. All other rules are left to the directory.
 *
 * <p>Threading: immutable.
 */
public enum ValueComparison {
  CASE_IGNORE,
  CASE_EXACT,
  INTEGER,
  BOOLEAN,
  DN,
  TELEPHONE_NUMBER,
  NUMERIC_STRING,
  GENERALIZED_TIME,
  OCTET_STRING,
  UUID;

  private static final Map<String, ValueComparison> BY_RULE = new HashMap<>();

  static {
    rules(CASE_IGNORE, "caseIgnoreMatch", "2.5.13.2", "caseIgnoreOrderingMatch", "2.5.13.3");
    rules(CASE_IGNORE, "caseIgnoreSubstringsMatch", "2.5.13.4");
    rules(CASE_IGNORE, "caseIgnoreIA5Match", "1.3.6.1.4.1.1466.109.114.2");
    rules(CASE_IGNORE, "caseIgnoreIA5SubstringsMatch", "1.3.6.1.4.1.1466.109.114.3");
    rules(CASE_IGNORE, "1.3.6.1.4.1.4203.1.2.1");
    rules(CASE_EXACT, "caseExactMatch", "2.5.13.5", "caseExactOrderingMatch", "2.5.13.6");
    rules(CASE_EXACT, "caseExactSubstringsMatch", "2.5.13.7");
    rules(CASE_EXACT, "caseExactIA5Match", "1.3.6.1.4.1.1466.109.114.1");
    rules(CASE_EXACT, "caseExactIA5SubstringsMatch", "1.3.6.1.4.1.4203.1.2.2");
    rules(INTEGER, "integerMatch", "2.5.13.14", "integerOrderingMatch", "2.5.13.15");
    rules(BOOLEAN, "booleanMatch", "2.5.13.13");
    rules(DN, "distinguishedNameMatch", "2.5.13.1", "uniqueMemberMatch", "2.5.13.23");
    rules(TELEPHONE_NUMBER, "telephoneNumberMatch", "2.5.13.20");
    rules(TELEPHONE_NUMBER, "telephoneNumberSubstringsMatch", "2.5.13.21");
    rules(NUMERIC_STRING, "numericStringMatch", "2.5.13.8", "numericStringSubstringsMatch");
    rules(NUMERIC_STRING, "2.5.13.10");
    rules(GENERALIZED_TIME, "generalizedTimeMatch", "2.5.13.27");
    rules(GENERALIZED_TIME, "generalizedTimeOrderingMatch", "2.5.13.28");
    rules(OCTET_STRING, "octetStringMatch", "2.5.13.17");
    rules(UUID, "UUIDMatch", "1.3.6.1.1.16.2");
  }

  private static void rules(ValueComparison comparison, String... names) {
    for (String name : names) {
      BY_RULE.put(name.toLowerCase(Locale.ROOT), comparison);
    }
  }

  /**
   * Returns the comparison of the rule with this name or OID; null if Stoa does not implement it.
   */
  static @Nullable ValueComparison of(String rule) {
    return BY_RULE.get(rule.toLowerCase(Locale.ROOT));
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
      case UUID -> Prepared.exact(AttributeName.lower(value, value.length));
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
