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
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The file that holds what was changed while Stoa ran, beside the configuration or elsewhere. It is
 * replaced as a whole, so after a crash it is what it was before or what it was to become. Only its
 * owner can read it. Confined to whoever holds the lock of {@link Tuning}.
 */
final class ChangesFile {
  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private final Path path;
  private final Path next;

  /** Names the file; there may be none yet. */
  private ChangesFile(Path path) {
    this.path = path;
    this.next = withSuffix(path, ".new");
  }

  /**
   * The one of a configuration.
   *
   * @param wanted where the configuration wants to have it; empty: beside it
   */
  static ChangesFile of(Path configuration, Optional<Path> wanted) {
    Path absolute = configuration.toAbsolutePath();
    return new ChangesFile(
        wanted.map(Path::toAbsolutePath).orElseGet(() -> withSuffix(absolute, ".changes")));
  }

  private static Path withSuffix(Path path, String suffix) {
    return path.resolveSibling(path.getFileName() + suffix);
  }

  /** Whether a file that is to be left alone would be overwritten. */
  boolean overwrites(Path other) {
    return Stream.of(path, next)
        .anyMatch(own -> own.normalize().equals(other.toAbsolutePath().normalize()));
  }

  boolean isSame(ChangesFile other) {
    return path.normalize().equals(other.path.normalize());
  }

  boolean exists() {
    return Files.exists(path);
  }

  /** Whether it looks as if it could be written, by whoever asks. Nothing is written for that. */
  boolean seemsWritable() {
    Path directory = path.resolveSibling(".");
    return Files.isDirectory(directory) && Files.isWritable(directory) && !Files.isDirectory(path);
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
