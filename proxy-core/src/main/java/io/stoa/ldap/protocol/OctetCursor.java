// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

/**
 * A position in octets, from which BER elements are entered or skipped without objects. Definite
 * lengths of at most four octets are read, as {@link BerReader#header} does.
 *
 * <p>Threading: confined to one thread.
 */
final class OctetCursor {
  /** Result of {@link #enter}: there is no such element. */
  static final int NONE = -1;

  /** The octets. */
  byte[] octets;

  /** The index of the next octet. */
  int at;

  OctetCursor(byte[] octets) {
    this.octets = octets;
  }

  /** Returns the next tag, or {@link #NONE} at the end. */
  int tag(int end) {
    return at < end ? octets[at] & 0xFF : NONE;
  }

  /**
   * Moves to the content of the next element.
   *
   * @param end the end of the element around it
   * @return the end of the content; {@link #NONE} if the element has another tag or exceeds {@code
   *     end}
   */
  int enter(int tag, int end) {
    if (end - at < 2 || (octets[at] & 0xFF) != tag) {
      return NONE;
    }
    int size = octets[at + 1];
    int content = at + 2;
    if (size < 0) {
      int count = size & 0x7F;
      if (count == 0 || count > Integer.BYTES || end - content < count) {
        return NONE;
      }
      size = 0;
      for (int index = content; index < content + count; index++) {
        size = size << Byte.SIZE | (octets[index] & 0xFF);
      }
      content += count;
    }
    if (size < 0 || size > end - content) {
      return NONE;
    }
    at = content;
    return content + size;
  }

  /** Skips the next element; false if it has another tag or exceeds {@code end}. */
  boolean skip(int tag, int end) {
    int next = enter(tag, end);
    at = next == NONE ? at : next;
    return next != NONE;
  }
}
