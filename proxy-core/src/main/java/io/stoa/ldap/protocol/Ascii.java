// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Letters, digits and spaces of ASCII in octet strings; everything else is left as it is.
 * Stateless.
 */
public final class Ascii {
  private Ascii() {}

  public static byte lower(byte octet) {
    return octet >= 'A' && octet <= 'Z' ? (byte) (octet + 32) : octet;
  }

  /** A copy of {@code octets[from..to)} with its letters in lower case. */
  public static byte[] lower(byte[] octets, int from, int to) {
    byte[] lowered = Arrays.copyOfRange(octets, from, to);
    for (int index = 0; index < lowered.length; index++) {
      lowered[index] = lower(lowered[index]);
    }
    return lowered;
  }

  public static Octets lowerKey(String text) {
    byte[] octets = text.getBytes(StandardCharsets.UTF_8);
    return Octets.of(lower(octets, 0, octets.length));
  }

  public static boolean isLetter(byte octet) {
    byte lower = lower(octet);
    return lower >= 'a' && lower <= 'z';
  }

  public static boolean isDigit(byte octet) {
    return octet >= '0' && octet <= '9';
  }

  /** Printable, at least one octet is no space: what every string syntax folds alike. */
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

  /** Letters lowered, runs of spaces as one, none at either end. */
  public static byte[] lowerAndSqueeze(byte[] octets) {
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
