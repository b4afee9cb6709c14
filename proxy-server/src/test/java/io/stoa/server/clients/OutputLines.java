// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.clients;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** What a library of Java prints while the programme runs. Not thread-safe. */
final class OutputLines {
  private final StringBuilder text = new StringBuilder();

  void add(String line) {
    text.append(line).append('\n');
  }

  /** A value of an attribute: as text if it is any. */
  void value(String attribute, byte[] value) {
    add("  " + attribute + ": " + readable(value));
  }

  private static String readable(byte[] value) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(value)).toString();
    } catch (CharacterCodingException binary) {
      return "0x" + HexFormat.of().formatHex(value);
    }
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
