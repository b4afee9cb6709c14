// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.stoa.net.transport.DescribedException;
import io.stoa.net.transport.FailureText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Pattern;

/**
 * A file with a bearer token (RFC 6750, section 2.1), and blanks or ends of lines around it.
 *
 * <p>Threading: immutable.
 *
 * @param path the file
 */
public record TokenFile(Path path) {
  private static final int MAX_OCTETS = 1024;

  /** A token of at least 16 characters. Fewer could be guessed. */
  private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9._~+/-]{16,1000}={0,2}");

  /**
   * Returns the token in ASCII.
   *
   * @throws IOException if the file cannot be read, or holds no such token
   */
  public byte[] read() throws IOException {
    byte[] octets = octets();
    try {
      String text = new String(octets, StandardCharsets.US_ASCII).strip();
      if (octets.length > MAX_OCTETS || !TOKEN.matcher(text).matches()) {
        throw new DescribedException(
            "the token file "
                + path
                + " must hold one token of 16 to 1000 letters, digits and -._~+/");
      }
      return text.getBytes(StandardCharsets.US_ASCII);
    } finally {
      Arrays.fill(octets, (byte) 0);
    }
  }

  private byte[] octets() throws IOException {
    if (!Files.isRegularFile(path)) {
      boolean exists = Files.exists(path);
      throw new DescribedException(
          "the token file " + path + (exists ? " is no regular file" : ": no such file"));
    }
    try (InputStream in = Files.newInputStream(path)) {
      return in.readNBytes(MAX_OCTETS + 1);
    } catch (IOException e) {
      throw new DescribedException(
          "the token file " + path + " cannot be read: " + FailureText.of(e), e);
    }
  }
}
