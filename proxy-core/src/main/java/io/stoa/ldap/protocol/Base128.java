// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

/**
 * Numbers of 32 bits in keys: 7 bits for each octet, the lowest first. The highest bit of an octet
 * says that another one follows.
 *
 * <p>Threading: stateless.
 */
public final class Base128 {
  /** Maximum number of octets for a number: 32 bits in groups of 7. */
  public static final int MAX_OCTETS = 5;

  private static final int BITS = 7;
  private static final int LOW_BITS = (1 << BITS) - 1;
  private static final int MORE = 1 << BITS;

  private Base128() {}

  /**
   * Writes a number. Numbers from 0 to 127 take one octet, and negative ones five.
   *
   * @param octets has room for the number at the index
   * @return the index after the number
   */
  public static int write(byte[] octets, int index, int number) {
    int next = index;
    int rest = number;
    while ((rest & ~LOW_BITS) != 0) {
      octets[next++] = (byte) (rest | MORE);
      rest >>>= BITS;
    }
    octets[next++] = (byte) rest;
    return next;
  }

  /** Returns the number that {@link #write} has written at an index. */
  public static int read(byte[] octets, int index) {
    int number = 0;
    int next = index;
    int shift = 0;
    byte octet;
    do {
      octet = octets[next++];
      number |= (octet & LOW_BITS) << shift;
      shift += BITS;
    } while (octet < 0);
    return number;
  }

  /** Returns the index after the number that {@link #write} has written at an index. */
  public static int indexAfter(byte[] octets, int index) {
    int next = index;
    while (octets[next] < 0) {
      next++;
    }
    return next + 1;
  }
}
