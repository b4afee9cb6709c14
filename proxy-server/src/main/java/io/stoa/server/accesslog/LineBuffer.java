// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.accesslog;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Octets of log lines under construction. Text of clients is escaped, so that a client can neither
 * forge a line nor send control characters to a terminal.
 *
 * <p>Threading: confined to the thread of one log.
 */
final class LineBuffer {
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final int MICROS_DIGITS = 6;
  private static final int NANOS_PER_MICRO = 1_000;
  private static final int MICROS_PER_SECOND = 1_000_000;

  /** Octets that texts of clients contain unescaped, and those of assertion values. */
  private static final boolean[] PLAIN = plain("\"\\");

  private static final boolean[] PLAIN_ASSERTION = plain("\"\\()*");

  /** Octets up to which an empty buffer keeps its memory: 1 MiB. */
  private static final int MAX_KEPT = 1 << 20;

  private final int capacity;
  private final byte[] escape;
  private byte[] octets;
  private int length;

  LineBuffer(int capacity) {
    this(capacity, "\\");
  }

  private LineBuffer(int capacity, String escape) {
    this.capacity = capacity;
    this.octets = new byte[capacity];
    this.escape = escape.getBytes(StandardCharsets.US_ASCII);
  }

  /** Returns a buffer for strings of JSON, which double each backslash. */
  static LineBuffer json(int capacity) {
    return new LineBuffer(capacity, "\\\\");
  }

  private static boolean[] plain(String special) {
    boolean[] plain = new boolean[1 << Byte.SIZE];
    for (char octet = ' '; octet < 0x7f; octet++) {
      plain[octet] = special.indexOf(octet) < 0;
    }
    return plain;
  }

  int length() {
    return length;
  }

  /** Removes all octets, and returns the memory of long lines. */
  void clear() {
    length = 0;
    if (octets.length > MAX_KEPT) {
      octets = new byte[capacity];
    }
  }

  /** Removes the octets after {@code newLength}. */
  void truncate(int newLength) {
    length = newLength;
  }

  byte[] array() {
    return octets;
  }

  byte[] toByteArray() {
    return Arrays.copyOf(octets, length);
  }

  /** Appends a text of Stoa, in ASCII. */
  @SuppressWarnings("deprecation") // keeps the low octet of each character: all of it in ASCII
  LineBuffer add(String ascii) {
    int count = ascii.length();
    reserve(count);
    ascii.getBytes(0, count, octets, length);
    length += count;
    return this;
  }

  LineBuffer add(char ascii) {
    reserve(1);
    octets[length++] = (byte) ascii;
    return this;
  }

  /** Appends octets that are safe already. */
  LineBuffer add(byte[] safe) {
    reserve(safe.length);
    System.arraycopy(safe, 0, octets, length, safe.length);
    length += safe.length;
    return this;
  }

  LineBuffer add(long number) {
    if (number < 0) {
      return add(Long.toString(number));
    }
    int digits = 1;
    for (long rest = number; rest >= 10; rest /= 10) {
      digits++;
    }
    reserve(digits);
    long rest = number;
    for (int index = length + digits - 1; index >= length; index--) {
      octets[index] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    length += digits;
    return this;
  }

  /** Appends a number with leading zeros. */
  LineBuffer addPadded(long number, int digits) {
    reserve(digits);
    long rest = number;
    for (int index = length + digits - 1; index >= length; index--) {
      octets[index] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    length += digits;
    return this;
  }

  /** Appends a duration in seconds with six decimals. */
  LineBuffer addSeconds(long nanos) {
    long micros = Math.max(0, nanos) / NANOS_PER_MICRO;
    return add(micros / MICROS_PER_SECOND)
        .add('.')
        .addPadded(micros % MICROS_PER_SECOND, MICROS_DIGITS);
  }

  /**
   * Appends octets of a client. Control characters, double quotes, backslashes and octets above
   * ASCII become a backslash and two hexadecimal digits, as in RFC 4514 and RFC 4515.
   */
  LineBuffer addEscaped(byte[] untrusted) {
    return add(untrusted, PLAIN);
  }

  /** Appends a text of a client that has one octet for each character, escaped. */
  LineBuffer addEscaped(String latin1) {
    return addEscaped(latin1.getBytes(StandardCharsets.ISO_8859_1));
  }

  /**
   * Appends an assertion value as RFC 4515 writes it: parentheses and asterisks are escaped too.
   */
  LineBuffer addAssertion(byte[] untrusted) {
    return add(untrusted, PLAIN_ASSERTION);
  }

  private LineBuffer add(byte[] untrusted, boolean[] plain) {
    reserve(untrusted.length);
    for (int index = 0; index < untrusted.length; index++) {
      int octet = untrusted[index] & 0xff;
      if (plain[octet]) {
        octets[length++] = (byte) octet;
      } else {
        reserve(escape.length + 2 + untrusted.length - index);
        add(escape);
        octets[length++] = HEX[octet >> 4];
        octets[length++] = HEX[octet & 15];
      }
    }
    return this;
  }

  private void reserve(int more) {
    if (length + more > octets.length) {
      octets = Arrays.copyOf(octets, Math.max(octets.length * 2, length + more));
    }
  }
}
