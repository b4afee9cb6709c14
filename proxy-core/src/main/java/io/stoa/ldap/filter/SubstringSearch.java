// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.filter;

import io.stoa.ldap.protocol.Octets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Searches a value for the parts of a substring assertion.
 *
 * <p>Threading: stateless.
 */
final class SubstringSearch {
  private SubstringSearch() {}

  static Truth matches(Octets value, Node.Parts parts) {
    byte[] octets = value.array();
    int from = length(parts.initial());
    int to = octets.length - length(parts.last());
    boolean ends = from <= to && isAt(octets, 0, parts.initial()) && isAt(octets, to, parts.last());
    return ends && hasInOrder(octets, from, to, parts) ? Truth.TRUE : Truth.FALSE;
  }

  private static int length(@Nullable Octets part) {
    return part == null ? 0 : part.length();
  }

  private static boolean isAt(byte[] value, int from, @Nullable Octets part) {
    return part == null
        || Arrays.equals(value, from, from + part.length(), part.array(), 0, part.length());
  }

  private static boolean hasInOrder(byte[] value, int from, int to, Node.Parts parts) {
    int next = from;
    for (Octets part : parts.any()) {
      while (next + part.length() <= to && !isAt(value, next, part)) {
        next++;
      }
      next += part.length();
      if (next > to) {
        return false;
      }
    }
    return true;
  }
}
