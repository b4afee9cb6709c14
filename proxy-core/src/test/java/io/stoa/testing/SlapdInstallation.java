// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Finds the installed schema files and modules of slapd. Threading: immutable. */
final class SlapdInstallation {
  private static final List<Path> SCHEMAS = paths("/etc/ldap/schema", "/etc/openldap/schema");
  private static final List<Path> MODULES =
      paths("/usr/lib/ldap", "/usr/lib64/openldap", "/usr/lib/openldap");

  private SlapdInstallation() {}

  static Path schema(String name) {
    String file = name + ".schema";
    return Installation.first(file, SCHEMAS.stream().map(path -> path.resolve(file)));
  }

  static Path modules() {
    return Installation.first("the directory of slapd's modules", MODULES.stream());
  }

  private static List<Path> paths(String... names) {
    return Stream.of(names).map(Path::of).toList();
  }
}
