// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/**
 * Writes BER elements into a growing array, with minimal definite lengths.
 *
 * <p>Threading: confined to one thread.
 */
public final class BerWriter {
  private static final int LONG_FORM = 0x80;

  private byte[] array;
  private int size;

  /**
   * Creates a writer.
   *
   * @param capacity initial capacity in octets; not a limit
   */
  public BerWriter(int capacity) {
    array = new byte[Math.max(16, capacity)];
  }

  public BerWriter() {
    this(64);
  }

  /** Begins a constructed element, and returns the argument for {@link #end}. */
  public int begin(int tag) {
    ensure(2);
    array[size++] = (byte) tag;
    array[size++] = 0;
    return size;
  }

  /** Ends the innermost open element. */
  public BerWriter end(int start) {
    int length = size - start;
    int more = lengthSize(length) - 1;
    if (more > 0) {
      ensure(more);
      System.arraycopy(array, start, array, start + more, length);
      size += more;
    }
    writeLength(array, start - 1, length);
    return this;
  }

  public BerWriter octets(int tag, byte[] content) {
    header(tag, content.length);
    return raw(content);
  }

  /** Writes an INTEGER or ENUMERATED in the fewest octets of two's complement. */
  public BerWriter integer(int tag, int value) {
    int octets = integerSize(value);
    header(tag, octets);
    ensure(octets);
    for (int shift = (octets - 1) * 8; shift >= 0; shift -= 8) {
      array[size++] = (byte) (value >> shift);
    }
    return this;
  }

  public BerWriter bool(int tag, boolean value) {
    header(tag, 1);
    ensure(1);
    array[size++] = (byte) (value ? 0xFF : 0);
    return this;
  }

  /** Writes octets that are complete BER, or content of the innermost open element. */
  public BerWriter raw(byte[] octets) {
    ensure(octets.length);
    System.arraycopy(octets, 0, array, size, octets.length);
    size += octets.length;
    return this;
  }

  public int size() {
    return size;
  }

  public byte[] toByteArray() {
    return Arrays.copyOf(array, size);
  }

  /** Returns the number of content octets of an INTEGER, with room for the sign bit. */
  static int integerSize(int value) {
    int magnitude = value < 0 ? ~value : value;
    return (32 - Integer.numberOfLeadingZeros(magnitude)) / 8 + 1;
  }

  /** Returns the number of octets of the minimal encoding of a length. */
  public static int lengthSize(int length) {
    if (length < LONG_FORM) {
      return 1;
    }
    return 2 + (31 - Integer.numberOfLeadingZeros(length)) / 8;
  }

  /** Writes the tag octet and the length of an element whose content follows. */
  public static void writeHeader(ByteBuf out, int tag, int length) {
    out.writeByte(tag);
    writeLength(out, length);
  }

  /** Writes a length in its minimal form. */
  static void writeLength(ByteBuf out, int length) {
    int count = lengthSize(length) - 1;
    if (count == 0) {
      out.writeByte(length);
    } else {
      out.writeByte(LONG_FORM | count);
      writeNumber(out, length, count);
    }
  }

  /** Writes the low one to four octets of a number. */
  static void writeNumber(ByteBuf out, int number, int octets) {
    switch (octets) {
      case 1 -> out.writeByte(number);
      case 2 -> out.writeShort(number);
      case 3 -> out.writeMedium(number);
      default -> out.writeInt(number);
    }
  }

  /** Writes a length in its minimal form into an array, and returns the index after it. */
  static int writeLength(byte[] out, int index, int length) {
    int count = lengthSize(length) - 1;
    if (count == 0) {
      out[index] = (byte) length;
      return index + 1;
    }
    out[index] = (byte) (LONG_FORM | count);
    for (int octet = count, rest = length; octet > 0; octet--, rest >>>= Byte.SIZE) {
      out[index + octet] = (byte) rest;
    }
    return index + 1 + count;
  }

  private void header(int tag, int length) {
    ensure(6);
    array[size++] = (byte) tag;
    size = writeLength(array, size, length);
  }

  private void ensure(int more) {
    if (array.length - size < more) {
      array = Arrays.copyOf(array, Math.max(Math.multiplyExact(array.length, 2), size + more));
    }
  }
}
