// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.reconfigure;

import io.stoa.net.transport.DurableFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The file that holds what was changed while Stoa ran, beside the configuration or elsewhere. It is
 * replaced as a whole, so after a crash it is what it was before or what it was to become. Only its
 * owner can read it. Confined to whoever holds the lock of {@link Tuning}.
 */
final class ChangesFile {
  private final Path path;
  private final DurableFile file;

  /** Names the file; there may be none yet. */
  private ChangesFile(Path path) {
    this.path = path;
    this.file = new DurableFile(path);
  }

  /**
   * The one of a configuration.
   *
   * @param wanted where the configuration wants to have it; empty: beside it
   */
  static ChangesFile of(Path configuration, Optional<Path> wanted) {
    Path absolute = configuration.toAbsolutePath();
    return new ChangesFile(
        wanted
            .map(Path::toAbsolutePath)
            .orElseGet(() -> DurableFile.withSuffix(absolute, ".changes")));
  }

  /** Whether a file that is to be left alone would be overwritten. */
  boolean overwrites(Path other) {
    return Stream.of(path, file.next())
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

  /** The text; empty if the file does not exist. */
  String read() throws IOException {
    return file.read();
  }

  /** When this returns, the text is on the disk; when it throws, all is as it was. */
  void write(String text) throws IOException {
    file.write(text);
  }

  /** The file beside it that keeps for the next start what feeds have been told. */
  Path ofFeeds() {
    return DurableFile.withSuffix(path, ".feeds");
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
