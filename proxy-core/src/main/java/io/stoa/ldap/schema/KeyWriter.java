// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import io.stoa.ldap.protocol.Base128;
import java.util.Arrays;

/**
 * Writes self-delimiting octets: numbers in base 128, octet strings after their length. Different
 * sequences of values therefore have different keys.
 *
 * <p>Threading: confined to one thread.
 */
public final class KeyWriter {
  private byte[] buffer;
  private int length;

  public KeyWriter(int capacity) {
    buffer = new byte[capacity];
  }

  public KeyWriter octet(int value) {
    reserve(1);
    buffer[length++] = (byte) value;
    return this;
  }

  /** Writes a 32-bit number. Numbers from 0 to 127 take one octet. */
  public KeyWriter number(int value) {
    reserve(Base128.MAX_OCTETS);
    length = Base128.write(buffer, length, value);
    return this;
  }

  public KeyWriter string(byte[] octets) {
    return number(octets.length).raw(octets);
  }

  /** Writes octets without a length. The octets must be self-delimiting or come last. */
  public KeyWriter raw(byte[] octets) {
    reserve(octets.length);
    System.arraycopy(octets, 0, buffer, length, octets.length);
    length += octets.length;
    return this;
  }

  /** Returns the first strings of a key that {@link #string} has written. */
  public static byte[][] strings(byte[] key, int count) {
    byte[][] strings = new byte[count][];
    int at = 0;
    for (int index = 0; index < count; index++) {
      int from = Base128.indexAfter(key, at);
      at = from + Base128.read(key, at);
      strings[index] = Arrays.copyOfRange(key, from, at);
    }
    return strings;
  }

  int length() {
    return length;
  }

  public byte[] toByteArray() {
    return length == buffer.length ? buffer : Arrays.copyOf(buffer, length);
  }

  private void reserve(int more) {
    if (buffer.length - length < more) {
      buffer = Arrays.copyOf(buffer, Math.max(2 * buffer.length, length + more));
    }
  }
}
