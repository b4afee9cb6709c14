// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import io.stoa.ldap.protocol.Ascii;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * An attribute description (RFC 4512, section 2.5) of a known type.
 *
 * <p>Threading: immutable.
 *
 * @param options the options in lower case, in alphabetic order, without duplicates
 */
public record Description(AttributeType type, Set<String> options) {

  /**
   * Parses a description; null if its type is unknown or an option is not plain. A plain option
   * occurs once, and consists of letters, digits and hyphens. The last character must not be a
   * hyphen: such an option is a range of languages (RFC 3866).
   */
  public static @Nullable Description parse(byte[] octets, Schema schema) {
    int end = typeLength(octets);
    AttributeType type = schema.attributeType(octets, end);
    if (type == null) {
      return null;
    }
    if (end == octets.length) {
      return new Description(type, Set.of());
    }
    Set<String> options = options(octets, end + 1);
    return options == null ? null : new Description(type, options);
  }

  /** Returns the number of octets before the first semicolon. */
  static int typeLength(byte[] octets) {
    for (int index = 0; index < octets.length; index++) {
      if (octets[index] == ';') {
        return index;
      }
    }
    return octets.length;
  }

  private static @Nullable Set<String> options(byte[] octets, int from) {
    Set<String> options = new TreeSet<>();
    String text = new String(Ascii.lower(octets, from, octets.length), StandardCharsets.ISO_8859_1);
    for (String option : text.split(";", -1)) {
      if (!isPlain(option) || !options.add(option)) {
        return null;
      }
    }
    return options;
  }

  private static boolean isPlain(String option) {
    return !option.isEmpty()
        && !option.endsWith("-")
        && option.chars().allMatch(c -> c == '-' || Ascii.isLetter((byte) c) || isDigit(c));
  }

  private static boolean isDigit(int character) {
    return character >= '0' && character <= '9';
  }

  /** Returns the key: equal octets for equal descriptions. */
  public byte[] key() {
    byte[] typeKey = type.key().array();
    if (options.isEmpty()) {
      return typeKey;
    }
    byte[] tail = (";" + String.join(";", options)).getBytes(StandardCharsets.ISO_8859_1);
    return new KeyWriter(typeKey.length + tail.length).raw(typeKey).raw(tail).toByteArray();
  }

  /**
   * True if a request for {@code supertype} also returns this attribute (RFC 4512, section 2.5.2).
   */
  boolean isSubtypeOf(Description supertype) {
    return type.isSubtypeOf(supertype.type) && options.containsAll(supertype.options);
  }
}
