// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.output;

import java.io.IOException;
import java.io.InputStream;
import java.io.Serial;
import java.util.Arrays;

/** Reads a line as octets, and leaves no other copy of it in memory. Threading: stateless. */
public final class FirstLine {
  private FirstLine() {}

  /** The line is longer than the maximum. Threading: immutable. */
  public static final class TooLongException extends IOException {
    @Serial private static final long serialVersionUID = 1;

    private TooLongException() {
      super("the line is too long");
    }
  }

  /**
   * Returns the octets before the first line feed.
   *
   * @throws TooLongException if there are more than {@code maxLength}
   */
  public static byte[] of(InputStream in, int maxLength) throws IOException {
    byte[] octets = new byte[maxLength];
    try {
      int length = 0;
      for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
        if (length == maxLength) {
          throw new TooLongException();
        }
        octets[length++] = (byte) next;
      }
      boolean carriageReturn = length > 0 && octets[length - 1] == '\r';
      return Arrays.copyOf(octets, carriageReturn ? length - 1 : length);
    } finally {
      Arrays.fill(octets, (byte) 0);
    }
  }
}
