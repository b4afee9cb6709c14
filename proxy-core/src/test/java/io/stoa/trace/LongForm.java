// SPDX-License-Identifier: Apache-2.0
package io.stoa.trace;

import io.stoa.testing.Tlv;
import io.stoa.testing.TlvCursor;
import java.util.ArrayList;
import java.util.List;

/**
 * A message as Windows' own client sends it: every constructed length in four octets. Stateless.
 */
final class LongForm {
  private static final int CONSTRUCTED = 0x20;
  private static final int LENGTH_OCTETS = 4;

  private LongForm() {}

  /** The same message in other octets. */
  static byte[] of(byte[] message) {
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
