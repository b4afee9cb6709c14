// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import io.stoa.ldap.protocol.Ascii;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * An attribute description (RFC 4512, section 2.5) of a known type.
 *
 * <p>Threading: immutable.
 *
 * @param options the options in lower case, without duplicates
 */
public record AttributeDescription(AttributeType type, Set<String> options) {

  /**
   * Parses a description for a key; null if its type is unknown or ambiguous, or an option is not
   * plain. A plain option occurs once, and consists of letters, digits and hyphens. The last
   * character must not be a hyphen: such an option is a range of languages (RFC 3866).
   */
  public static @Nullable AttributeDescription forKey(byte[] octets, Schema schema) {
    int end = typeLength(octets);
    AttributeType type = schema.attributeType(octets, end);
    if (type == null) {
      return null;
    }
    List<String> options = options(octets, end);
    Set<String> sorted = options.isEmpty() ? Set.of() : new TreeSet<>(options);
    boolean plain =
        sorted.size() == options.size() && options.stream().allMatch(AttributeDescription::isPlain);
    return plain ? new AttributeDescription(type, sorted) : null;
  }

  /**
   * Parses a description for the evaluation of filters; null if its type is unknown. An ambiguous
   * type is not {@link AttributeType#isCertain}.
   */
  public static @Nullable AttributeDescription forEvaluation(byte[] octets, Schema schema) {
    AttributeType type = schema.type(octets);
    return type == null
        ? null
        : new AttributeDescription(type, Set.copyOf(options(octets, typeLength(octets))));
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

  private static List<String> options(byte[] octets, int end) {
    if (end == octets.length) {
      return List.of();
    }
    byte[] tail = Ascii.lower(octets, end + 1, octets.length);
    return List.of(new String(tail, StandardCharsets.ISO_8859_1).split(";", -1));
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
  boolean isSubtypeOf(AttributeDescription supertype) {
    return type.isSubtypeOf(supertype.type) && options.containsAll(supertype.options);
  }

  /** True if an assertion about {@code asserted} also applies to values of this attribute. */
  public boolean isA(AttributeDescription asserted) {
    return type.isA(asserted.type) && options.containsAll(asserted.options);
  }
}
