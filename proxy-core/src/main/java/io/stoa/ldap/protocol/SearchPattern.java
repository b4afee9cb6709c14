// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The common part of searches that differ only in values: a text for administrators, made by {@link
 * Redaction#pattern}. Of a directory it shows only bases and names of object classes.
 *
 * <p>Patterns are coarser than {@link RequestShape}: limits, controls, and the order and spelling
 * of attributes do not count.
 *
 * <p>Octets: at most 4,200. All parts are printable ASCII of at most 1,003 characters.
 *
 * <p>Threading: immutable.
 *
 * @param base the base, with a question mark for the RDN value of a read of one entry
 * @param scope the scope (RFC 4511, section 4.5.1.2), as the client sent it
 * @param filter the filter (RFC 4515) with a question mark for each value
 * @param attributes the attributes in order, separated by spaces
 * @param derefAliases how aliases are dereferenced (RFC 4511, section 4.5.1.3), as the client sent
 *     it
 */
public record SearchPattern(
    String base, int scope, String filter, String attributes, int derefAliases) {
  private static final int ID_OCTETS = 8;

  /** Returns a name of 16 hexadecimal digits, equal in each process. */
  public String id() {
    String text = base + '\n' + scope + '\n' + filter + '\n' + attributes + '\n' + derefAliases;
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(US_ASCII));
      return HexFormat.of().formatHex(hash, 0, ID_OCTETS);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("each Java runtime has SHA-256", e);
    }
  }

  /** Returns base, scope, filter and attributes, separated by spaces. */
  public String text() {
    return '"' + base + "\" " + scopeWord() + ' ' + filter + ' ' + attributes;
  }

  /** Returns the word of the scope. */
  public String scopeWord() {
    return scopeWord(scope);
  }

  /** Returns the word of the dereferencing, or its number if RFC 4511 does not define it. */
  public String derefWord() {
    return switch (derefAliases) {
      case 0 -> "never";
      case 1 -> "searching";
      case 2 -> "finding";
      case 3 -> "always";
      default -> Integer.toString(derefAliases);
    };
  }

  /** Returns the word of a scope, or its number if RFC 4511 does not define it. */
  static String scopeWord(int scope) {
    return switch (scope) {
      case 0 -> "base";
      case 1 -> "one";
      case 2 -> "sub";
      default -> Integer.toString(scope);
    };
  }
}
