// SPDX-License-Identifier: Apache-2.0
package io.stoa.packaging;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The files of the machine where Podman keeps its state, if it has no namespace. Stateless. */
final class HostFiles {
  private static final int DEPTH = 20;

  /** Directories with a pattern for names. */
  private static final Map<String, String> DIRECTORIES =
      Map.of(
          "/var/lib/containers", "",
          "/etc/cni", "",
          "/etc/containers", "",
          "/run", "libpod|containers|podman|runc",
          "/dev/shm", "libpod.*");

  private HostFiles() {}

  /** Returns the time of the last change of each file. */
  static Map<String, String> read() {
    Map<String, String> times = new TreeMap<>();
    for (Map.Entry<String, String> directory : DIRECTORIES.entrySet()) {
      Path root = Path.of(directory.getKey());
      if (Files.isDirectory(root)) {
        add(times, root, directory.getValue());
      }
    }
    return times;
  }

  /** Adds files of the root whose name matches the pattern, or the whole tree if it is empty. */
  private static void add(Map<String, String> times, Path root, String pattern) {
    try (Stream<Path> files = Files.find(root, pattern.isEmpty() ? DEPTH : 1, (file, a) -> true)) {
      for (Path file : files.toList()) {
        String name = root.relativize(file).toString();
        if (pattern.isEmpty() || name.matches(pattern)) {
          times.put(file.toString(), Files.getLastModifiedTime(file).toString());
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
