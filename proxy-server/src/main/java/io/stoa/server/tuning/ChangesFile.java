// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.tuning;

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
 * The file beside the configuration that holds what was changed while Stoa ran. It is replaced as a
 * whole, so after a crash it is what it was before or what it was to become. Only its owner can
 * read it. Confined to whoever holds the lock of {@link Tuning}.
 */
final class ChangesFile {
  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private final Path path;
  private final Path next;

  /** Names the file that belongs to a configuration; there may be none yet. */
  ChangesFile(Path configuration) {
    Path absolute = configuration.toAbsolutePath();
    this.path = absolute.resolveSibling(absolute.getFileName() + ".changes");
    this.next = absolute.resolveSibling(absolute.getFileName() + ".changes.new");
  }

  /** What it holds; nothing if it is not there. */
  String read() throws IOException {
    try {
      return Files.readString(path);
    } catch (NoSuchFileException e) {
      return "";
    }
  }

  /** When this returns, the text is on the disk; when it throws, all is as it was. */
  void write(String text) throws IOException {
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
      discard();
      throw e;
    }
    syncDirectory();
  }

  private void discard() {
    try {
      Files.deleteIfExists(next);
    } catch (IOException e) {
      // It is not the file that is read, and the next change replaces it.
    }
  }

  /** So that the new name survives a crash, too. */
  private void syncDirectory() throws IOException {
    try (FileChannel directory = FileChannel.open(path.resolveSibling("."))) {
      directory.force(true);
    }
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
