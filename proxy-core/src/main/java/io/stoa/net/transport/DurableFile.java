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
 * A small text file that is replaced as a whole: after a crash it holds the former text or the new
 * one. Only its owner can read it. Confined to one thread at a time.
 *
 * @param path where it is
 */
public record DurableFile(Path path) {
  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  /** The name with a suffix, in the same directory. */
  public static Path withSuffix(Path path, String suffix) {
    return path.resolveSibling(path.getFileName() + suffix);
  }

  /** The file that takes the place of {@link #path} when all of it is on the disk. */
  public Path next() {
    return withSuffix(path, ".new");
  }

  /** The text; empty if the file does not exist. */
  public String read() throws IOException {
    try {
      return Files.readString(path);
    } catch (NoSuchFileException e) {
      return "";
    }
  }

  /** When this returns, the text is on the disk; when it throws, all is as it was. */
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
      // It is not the file that is read, and the next text replaces it.
    }
  }

  /** So that the new name survives a crash, too. */
  private void syncDirectory() throws IOException {
    try (FileChannel directory = FileChannel.open(path.resolveSibling("."))) {
      directory.force(true);
    }
  }
}
