// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.HexFormat;

/** Octets written down in tests. Immutable (no state). */
public final class Hex {
  private Hex() {}

  /** Of pairs of hexadecimal digits; spaces do not matter. */
  public static byte[] octets(String digits) {
    return HexFormat.of().parseHex(digits.replace(" ", ""));
  }

  public static ByteBuf buffer(String digits) {
    return Unpooled.wrappedBuffer(octets(digits));
  }

  public static String of(byte[] octets) {
    return HexFormat.of().formatHex(octets);
  }
}
