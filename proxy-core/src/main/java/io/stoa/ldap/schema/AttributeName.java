// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.stoa.ldap.protocol.Octets;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An attribute description (RFC 4512, section 2.5) of a known type.
 *
 * <p>Threading: immutable.
 *
 * @param options the options in lower case
 */
public record AttributeName(TypeRules type, Set<String> options) {

  public static @Nullable AttributeName of(byte[] description, SchemaRules rules) {
    TypeRules type = rules.type(description);
    return type == null ? null : new AttributeName(type, options(description));
  }

  private static Set<String> options(byte[] description) {
    int end = typeLength(description);
    if (end == description.length) {
      return Set.of();
    }
    Octets tail = lower(description, description.length);
    String text = new String(tail.array(), ISO_8859_1).substring(end + 1);
    return Set.copyOf(List.of(text.split(";", -1)));
  }

  /** Returns the number of octets before the first semicolon. */
  static int typeLength(byte[] description) {
    int index = 0;
    while (index < description.length && description[index] != ';') {
      index++;
    }
    return index;
  }

  /** Returns the first {@code length} octets, with ASCII letters in lower case. */
  public static Octets lower(byte[] octets, int length) {
    byte[] lowered = new byte[length];
    for (int index = 0; index < length; index++) {
      byte octet = octets[index];
      lowered[index] = octet >= 'A' && octet <= 'Z' ? (byte) (octet + 32) : octet;
    }
    return Octets.of(lowered);
  }

  /** True if an assertion about {@code asserted} also applies to values of this attribute. */
  public boolean isA(AttributeName asserted) {
    return type.isA(asserted.type) && options.containsAll(asserted.options);
  }
}
