// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.util.ArrayList;
import java.util.List;

/**
 * A message as Active Directory and Windows' own client write it: the length of each constructed
 * element in four octets. Stateless.
 */
public final class LongForm {
  private static final int CONSTRUCTED = 0x20;
  private static final int LENGTH_OCTETS = 4;

  private LongForm() {}

  /** The same message in other octets. */
  public static byte[] of(byte[] message) {
    List<byte[]> parts = new ArrayList<>();
    TlvCursor cursor = new TlvCursor(message, 0);
    for (; cursor.position() < message.length; cursor.skip()) {
      byte[] content = cursor.content();
      parts.add(
          (cursor.tag() & CONSTRUCTED) == 0
              ? Tlv.of(cursor.tag(), content)
              : Tlv.ofLongLength(cursor.tag(), LENGTH_OCTETS, of(content)));
    }
    return Tlv.concat(parts.toArray(byte[][]::new));
  }
}
