// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Where this machine has the programs and files of its directory servers. Stateless. */
final class Installation {
  private Installation() {}

  /** The program of this name on the PATH or where Debian has it. */
  static Path program(String name) {
    String path = System.getenv("PATH") + ":/usr/sbin:/usr/local/sbin";
    return first(name, Stream.of(path.split(":")).map(directory -> Path.of(directory, name)));
  }

  /** The first of these paths that exists. */
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
