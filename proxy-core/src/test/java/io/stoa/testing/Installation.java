// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Finds the installed programs and files of directory servers. Threading: stateless. */
final class Installation {
  private Installation() {}

  /** Returns the program of this name, from the PATH or Debian's directories. */
  static Path program(String name) {
    String path = System.getenv("PATH") + ":/usr/sbin:/usr/local/sbin";
    return first(name, Stream.of(path.split(":")).map(directory -> Path.of(directory, name)));
  }

  /** Returns the first path that exists. */
  static Path first(String what, Stream<Path> candidates) {
    return candidates
        .filter(Files::exists)
        .findFirst()
        .orElseThrow(
            () ->
                new AssertionError(
                    what + " is missing: run ./dev test, which sets up what the tests need"));
  }
}
