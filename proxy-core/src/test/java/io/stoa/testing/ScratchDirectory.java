// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** A temporary directory in which a server of a test lives. Thread-safe. */
record ScratchDirectory(Path path) {
  static ScratchDirectory create(String prefix) {
    return new ScratchDirectory(Leftovers.directory(prefix));
  }

  Path file(String name) {
    return path.resolve(name);
  }

  /** The path of a directory below, which is there then. */
  Path directory(String name) {
    try {
      return Files.createDirectories(file(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Path write(String name, String text) {
    try {
      return Files.writeString(file(name), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What the file holds; nothing if it is not there. */
  String read(String name) {
    try {
      return Files.exists(file(name)) ? Files.readString(file(name)) : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Copies all files below another directory into this one. */
  void fill(ScratchDirectory from) {
    try (Stream<Path> paths = Files.walk(from.path)) {
      for (Path source : paths.filter(ScratchDirectory::isCopied).toList()) {
        Path target = path.resolve(from.path.relativize(source).toString());
        if (!Files.exists(target)) {
          Files.copy(source, target);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sockets stay behind: they belong to a process. */
  private static boolean isCopied(Path path) {
    return Files.isDirectory(path) || Files.isRegularFile(path);
  }

  void delete() {
    Leftovers.delete(path);
  }
}
