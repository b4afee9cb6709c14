// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.transport;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * A small text file that is replaced atomically: after a crash it holds either the old text or the
 * new one. Only its owner can read it.
 *
 * <p>Threading: confined to one thread at a time.
 *
 * @param path the path of the file
 */
public record DurableFile(Path path) {
  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  /** Returns the path with a suffix, in the same directory. */
  public static Path withSuffix(Path path, String suffix) {
    return path.resolveSibling(path.getFileName() + suffix);
  }

  /** Returns the temporary file that replaces {@link #path} once it is completely on disk. */
  public Path next() {
    return withSuffix(path, ".new");
  }

  /** Returns the text; empty if the file does not exist. */
  public String read() throws IOException {
    try {
      return Files.readString(path);
    } catch (NoSuchFileException e) {
      return "";
    }
  }

  /**
   * Replaces the text; it is on disk when this returns. A failure before the rename leaves the old
   * text. If only the sync of the directory fails, the new text is in place, but a crash may undo
   * it.
   */
  public void write(String text) throws IOException {
    Path next = next();
    try {
      Files.deleteIfExists(next);
      Files.createFile(next, OWNER_ONLY);
      try (FileChannel channel = FileChannel.open(next, StandardOpenOption.WRITE)) {
        ByteBuffer octets = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        while (octets.hasRemaining()) {
          channel.write(octets);
        }
        channel.force(true);
      }
      Files.move(next, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      discard(next);
      throw e;
    }
    syncDirectory();
  }

  private static void discard(Path next) {
    try {
      Files.deleteIfExists(next);
    } catch (IOException e) {
      // The temporary file is never read, and the next write replaces it.
    }
  }

  /** Makes the rename survive a crash. */
  private void syncDirectory() throws IOException {
    try (FileChannel directory = FileChannel.open(path.resolveSibling("."))) {
      directory.force(true);
    }
  }
}
