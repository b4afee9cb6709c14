// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.HexFormat;

/** The little BER that the fixtures need: whole elements, read and written as octets. */
public final class Tlv {
  private static final int LONG_FORM = 0x80;

  private Tlv() {}

  /** One element of the given tag around the concatenated contents. */
  public static byte[] of(int tag, byte[]... contents) {
    byte[] content = concat(contents);
    return concat(new byte[] {(byte) tag}, length(content.length), content);
  }

  /** The same with the length in the long form of {@code octets} octets: legal, not minimal. */
  public static byte[] ofLongLength(int tag, int octets, byte[]... contents) {
    byte[] content = concat(contents);
    byte[] header = new byte[2 + octets];
    header[0] = (byte) tag;
    header[1] = (byte) (LONG_FORM | octets);
    for (int i = 0; i < octets; i++) {
      header[header.length - 1 - i] = i < 4 ? (byte) (content.length >>> (8 * i)) : 0;
    }
    return concat(header, content);
  }

  /** The content octets of a non-negative INTEGER, minimal. */
  public static byte[] integer(int tag, int value) {
    int octets = 1;
    while (octets < 4 && value >>> (8 * octets - 1) != 0) {
      octets++;
    }
    byte[] content = new byte[octets];
    for (int i = 0; i < octets; i++) {
      content[i] = (byte) (value >>> (8 * (octets - 1 - i)));
    }
    return of(tag, content);
  }

  public static byte[] concat(byte[]... parts) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }

  /** The octets that hex text stands for; blanks are ignored. */
  public static byte[] hex(String text) {
    return HexFormat.of().parseHex(text.replace(" ", ""));
  }

  private static byte[] length(int length) {
    if (length < LONG_FORM) {
      return new byte[] {(byte) length};
    }
    int octets = 4 - Integer.numberOfLeadingZeros(length) / 8;
    byte[] header = new byte[1 + octets];
    header[0] = (byte) (LONG_FORM | octets);
    for (int i = 0; i < octets; i++) {
      header[octets - i] = (byte) (length >>> (8 * i));
    }
    return header;
  }

  /** Reads one whole element; an empty array at the end of the stream. */
  public static byte[] read(InputStream in) throws IOException {
    int tag = in.read();
    if (tag < 0) {
      return new byte[0];
    }
    int first = required(in);
    byte[] more = first < LONG_FORM ? new byte[0] : exactly(in, first & 0x7f);
    int length = first < LONG_FORM ? first : unsigned(more);
    return concat(new byte[] {(byte) tag, (byte) first}, more, exactly(in, length));
  }

  private static int required(InputStream in) throws IOException {
    int octet = in.read();
    if (octet < 0) {
      throw new EOFException("the stream ended inside an element");
    }
    return octet;
  }

  private static byte[] exactly(InputStream in, int length) throws IOException {
    byte[] octets = in.readNBytes(length);
    if (octets.length < length) {
      throw new EOFException("the stream ended inside an element");
    }
    return octets;
  }

  static int unsigned(byte[] octets) {
    int value = 0;
    for (byte octet : octets) {
      value = (value << 8) | (octet & 0xff);
    }
    return value;
  }
}
