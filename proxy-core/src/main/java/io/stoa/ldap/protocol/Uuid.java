// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import java.util.HexFormat;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The permanent identifier of an entry: entryUUID or nsUniqueId.
 *
 * <p>Threading: immutable.
 */
public record Uuid(long high, long low) implements Comparable<Uuid> {
  private static final int OCTETS = 16;

  /**
   * Parses the form of RFC 4530 or of 389-ds: 32 hexadecimal digits with hyphens.
   *
   * @return null if the text has neither form
   */
  public static @Nullable Uuid parse(byte[] text) {
    long high = 0;
    long low = 0;
    int digits = 0;
    for (byte octet : text) {
      if (octet == '-') {
        continue;
      }
      if (!HexFormat.isHexDigit(octet) || digits == 2 * OCTETS) {
        return null;
      }
      high = high << 4 | low >>> 60;
      low = low << 4 | HexFormat.fromHexDigit(octet);
      digits++;
    }
    return digits == 2 * OCTETS ? new Uuid(high, low) : null;
  }

  @Override
  public int compareTo(Uuid other) {
    int first = Long.compareUnsigned(high, other.high);
    return first != 0 ? first : Long.compareUnsigned(low, other.low);
  }

  /** Returns the form of RFC 4530. */
  @Override
  public String toString() {
    return new UUID(high, low).toString();
  }
}
