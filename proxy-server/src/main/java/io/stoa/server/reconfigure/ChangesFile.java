// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.reconfigure;

import io.stoa.net.transport.DurableFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The file of changes made while Stoa ran, beside the configuration file or elsewhere. Each write
 * replaces it atomically, so after a crash it has its old or its new content. Only its owner can
 * read it.
 *
 * <p>Threading: guarded by the lock of {@link RuntimeConfiguration}.
 */
final class ChangesFile {
  private final Path path;
  private final DurableFile file;

  /** Creates a reference to the file, which may not exist yet. */
  private ChangesFile(Path path) {
    this.path = path;
    this.file = new DurableFile(path);
  }

  /**
   * Returns the file of changes of a configuration.
   *
   * @param configured path that the configuration names; empty means beside it
   */
  static ChangesFile of(Path configuration, Optional<Path> configured) {
    Path absolute = configuration.toAbsolutePath();
    return new ChangesFile(
        configured
            .map(Path::toAbsolutePath)
            .orElseGet(() -> DurableFile.withSuffix(absolute, ".changes")));
  }

  /** True if writing would overwrite another file. */
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

  /** True if the process seems to have the right to write the file. Nothing is written. */
  boolean seemsWritable() {
    Path directory = path.resolveSibling(".");
    return Files.isDirectory(directory) && Files.isWritable(directory) && !Files.isDirectory(path);
  }

  /** Returns the text; empty if the file does not exist. */
  String read() throws IOException {
    return file.read();
  }

  /**
   * Writes the text. When this returns, the text is on the disk; when it throws, the old content
   * remains.
   */
  void write(String text) throws IOException {
    file.write(text);
  }

  /** Returns the file beside it in which feeds keep their state for the next start. */
  Path feedStateFile() {
    return DurableFile.withSuffix(path, ".feeds");
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
