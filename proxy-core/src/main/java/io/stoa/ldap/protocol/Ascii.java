// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * ASCII letters, digits and spaces in octet strings. All other octets are left unchanged.
 *
 * <p>Threading: stateless.
 */
public final class Ascii {
  private Ascii() {}

  public static byte lower(byte octet) {
    return octet >= 'A' && octet <= 'Z' ? (byte) (octet + 32) : octet;
  }

  /** Returns a copy of {@code octets[from..to)} with its letters in lower case. */
  public static byte[] lower(byte[] octets, int from, int to) {
    byte[] lowered = Arrays.copyOfRange(octets, from, to);
    for (int index = 0; index < lowered.length; index++) {
      lowered[index] = lower(lowered[index]);
    }
    return lowered;
  }

  public static Octets lowerKey(String text) {
    byte[] octets = text.getBytes(StandardCharsets.UTF_8);
    return lowerKey(octets, octets.length);
  }

  /** Returns the first {@code length} octets, with letters in lower case. */
  public static Octets lowerKey(byte[] octets, int length) {
    return Octets.of(lower(octets, 0, length));
  }

  public static boolean isLetter(byte octet) {
    byte lower = lower(octet);
    return lower >= 'a' && lower <= 'z';
  }

  public static boolean isDigit(byte octet) {
    return octet >= '0' && octet <= '9';
  }

  /**
   * True if all octets are printable ASCII and at least one is not a space. Every string syntax
   * folds such a text in the same way.
   */
  public static boolean isPrintableText(byte[] octets) {
    boolean text = false;
    for (byte octet : octets) {
      if (octet < 0x20 || octet > 0x7e) {
        return false;
      }
      text |= octet != ' ';
    }
    return text;
  }

  /** True if the octets have no capital letter, no run of spaces, and no space at either end. */
  private static boolean isLowerAndSqueezed(byte[] octets) {
    boolean space = true;
    for (byte octet : octets) {
      if ((octet >= 'A' && octet <= 'Z') || (octet == ' ' && space)) {
        return false;
      }
      space = octet == ' ';
    }
    return !space;
  }

  /**
   * Returns the octets with letters in lower case, runs of spaces squeezed to one, and no space at
   * either end. The result is the same array if nothing changes.
   */
  public static byte[] lowerAndSqueeze(byte[] octets) {
    if (isLowerAndSqueezed(octets)) {
      return octets;
    }
    byte[] squeezed = new byte[octets.length];
    int length = 0;
    for (byte octet : octets) {
      if (octet != ' ' || (length > 0 && squeezed[length - 1] != ' ')) {
        squeezed[length++] = lower(octet);
      }
    }
    if (length > 0 && squeezed[length - 1] == ' ') {
      length--;
    }
    return length == squeezed.length ? squeezed : Arrays.copyOf(squeezed, length);
  }
}
