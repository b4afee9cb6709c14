// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.util.Arrays;

/** Walks over the elements inside an array of octets. Not thread-safe. */
public final class TlvCursor {
  private final byte[] octets;
  private int position;
  private int contentStart;
  private int contentEnd;

  public TlvCursor(byte[] octets, int position) {
    this.octets = octets;
    this.position = position;
  }

  public boolean atEnd() {
    return position >= octets.length;
  }

  public int position() {
    return position;
  }

  public int tag() {
    return octets[position] & 0xff;
  }

  /** Goes to the first element inside the current one. */
  public TlvCursor enter() {
    measure();
    position = contentStart;
    return this;
  }

  /** Goes behind the current element. */
  public TlvCursor skip() {
    measure();
    position = contentEnd;
    return this;
  }

  public byte[] content() {
    measure();
    return Arrays.copyOfRange(octets, contentStart, contentEnd);
  }

  /** Where the content of the current element begins. */
  public int contentStart() {
    measure();
    return contentStart;
  }

  /** Where the current element ends. */
  public int contentEnd() {
    measure();
    return contentEnd;
  }

  private void measure() {
    int first = octets[position + 1] & 0xff;
    int more = first < 0x80 ? 0 : first & 0x7f;
    contentStart = position + 2 + more;
    int length =
        more == 0 ? first : Tlv.unsigned(Arrays.copyOfRange(octets, position + 2, contentStart));
    contentEnd = contentStart + length;
  }
}
