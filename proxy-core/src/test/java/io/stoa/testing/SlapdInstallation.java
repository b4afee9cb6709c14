// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Where this machine has slapd, its schema files and its modules. Immutable. */
final class SlapdInstallation {
  private static final List<Path> SCHEMAS = paths("/etc/ldap/schema", "/etc/openldap/schema");
  private static final List<Path> MODULES =
      paths("/usr/lib/ldap", "/usr/lib64/openldap", "/usr/lib/openldap");

  private SlapdInstallation() {}

  /** The program of this name on the PATH or where Debian has it. */
  static Path program(String name) {
    String path = System.getenv("PATH") + ":/usr/sbin:/usr/local/sbin";
    return first(name, Stream.of(path.split(":")).map(directory -> Path.of(directory, name)));
  }

  static Path schema(String name) {
    return first(name + ".schema", SCHEMAS.stream().map(path -> path.resolve(name + ".schema")));
  }

  static Path modules() {
    return first("the directory of slapd's modules", MODULES.stream());
  }

  private static Path first(String what, Stream<Path> candidates) {
    return candidates
        .filter(Files::exists)
        .findFirst()
        .orElseThrow(
            () ->
                new AssertionError(
                    what + " is missing: run ./dev test, which sets up what the tests need"));
  }

  private static List<Path> paths(String... names) {
    return Stream.of(names).map(Path::of).toList();
  }
}
