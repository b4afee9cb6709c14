// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import java.util.Arrays;

/**
 * Writes BER again with longer lengths than needed, as some clients send it. Immutable (no state).
 */
public final class LongFormLengths {
  private static final int CONSTRUCTED = 0x20;

  private LongFormLengths() {}

  /** Every length, at every level, in the form {@code 84 xx xx xx xx}. */
  public static byte[] fourOctets(byte[] message) {
    BerWriter out = new BerWriter();
    rewrite(message, 0, message.length, out);
    return out.toByteArray();
  }

  private static void rewrite(byte[] in, int from, int to, BerWriter out) {
    for (int index = from; index < to; ) {
      int first = in[index + 1] & 0xFF;
      int count = first < 0x80 ? 0 : first & 0x7F;
      int length = count == 0 ? first : 0;
      for (int octet = 0; octet < count; octet++) {
        length = length << 8 | (in[index + 2 + octet] & 0xFF);
      }
      int content = index + 2 + count;
      BerWriter inner = new BerWriter();
      if ((in[index] & CONSTRUCTED) != 0) {
        rewrite(in, content, content + length, inner);
      } else {
        inner.raw(Arrays.copyOfRange(in, content, content + length));
      }
      int size = inner.size();
      out.raw(new byte[] {in[index], (byte) 0x84});
      out.raw(new byte[] {(byte) (size >> 24), (byte) (size >> 16), (byte) (size >> 8)});
      out.raw(new byte[] {(byte) size}).raw(inner.toByteArray());
      index = content + length;
    }
  }
}
