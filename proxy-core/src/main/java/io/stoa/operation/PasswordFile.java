// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.stoa.net.transport.DescribedException;
import io.stoa.net.transport.FailureText;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * A file with a password, and an optional end of line. The password never reaches the heap.
 *
 * <p>Threading: immutable.
 */
public final class PasswordFile {
  private static final int MAX_OCTETS = 1024;

  private final Path path;

  /** Creates it without reading the file. */
  public PasswordFile(Path path) {
    this.path = path;
  }

  /**
   * Checks that the file can be used now.
   *
   * @throws IOException if it cannot be read, is empty, or is too long for a password
   */
  public void check() throws IOException {
    wipe(read());
  }

  /**
   * Returns the password in a direct buffer, which the caller zeroes with {@link #wipe}.
   *
   * @throws IOException if it cannot be read, is empty, or is too long for a password
   */
  public ByteBuf read() throws IOException {
    ByteBuf octets = Unpooled.directBuffer(MAX_OCTETS + 2, MAX_OCTETS + 2);
    boolean usable = false;
    try (FileChannel channel = FileChannel.open(path)) {
      while (octets.isWritable() && octets.writeBytes(channel, octets.writableBytes()) > 0) {
        // A file may arrive in pieces.
      }
      dropLineEnd(octets);
      usable = octets.isReadable() && octets.readableBytes() <= MAX_OCTETS;
    } catch (IOException e) {
      throw new DescribedException(
          "the password file " + path + " cannot be read: " + FailureText.of(e), e);
    } finally {
      if (!usable) {
        wipe(octets);
      }
    }
    if (!usable) {
      throw new DescribedException(
          "the password file " + path + " must hold a password of 1 to " + MAX_OCTETS + " bytes");
    }
    return octets;
  }

  private static void dropLineEnd(ByteBuf octets) {
    drop(octets, '\n');
    drop(octets, '\r');
  }

  private static void drop(ByteBuf octets, char last) {
    int end = octets.writerIndex();
    if (end > 0 && octets.getByte(end - 1) == last) {
      octets.writerIndex(end - 1);
    }
  }

  /** Zeroes the octets and releases the buffer. */
  public static void wipe(ByteBuf octets) {
    octets.setZero(0, octets.capacity());
    octets.release();
  }
}
