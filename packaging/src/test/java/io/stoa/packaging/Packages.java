// SPDX-License-Identifier: Apache-2.0
package io.stoa.packaging;

import io.stoa.testing.Repository;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The packages, assembled from what Maven has built before the tests. Immutable.
 *
 * @param archive the tar file
 * @param deb the Debian package
 */
record Packages(Path archive, Path deb) {
  /** Assembles both packages into a directory. */
  static Packages assemble(Path directory) throws IOException {
    Path assemble = Repository.root().resolve("packaging/assemble");
    Commands.run(assemble.toString(), directory.toString()).ok();
    return new Packages(only(directory, "*.tar.gz"), only(directory, "*.deb"));
  }

  private static Path only(Path directory, String pattern) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, pattern)) {
      return files.iterator().next();
    }
  }

  /** Manual pages, completion and the list of components. */
  static Path generated() {
    return Repository.root().resolve("packaging/target/generated");
  }

  /** The distribution of the server, which the packages contain. */
  static Path distribution() {
    return Repository.root().resolve("proxy-server/target/dist/stoa");
  }

  /** The version of Stoa, by the name of its library. */
  static String version() {
    try (DirectoryStream<Path> jars =
        Files.newDirectoryStream(distribution().resolve("lib"), "proxy-server-*.jar")) {
      String name = jars.iterator().next().getFileName().toString();
      return name.substring("proxy-server-".length(), name.length() - ".jar".length());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Makes the same Debian package with a higher version. */
  static Path withVersion(Path deb, String version, Path directory) throws IOException {
    Path tree = directory.resolve("tree");
    Commands.run("dpkg-deb", "--raw-extract", deb.toString(), tree.toString()).ok();
    Path control = tree.resolve("DEBIAN/control");
    String fields = Files.readString(control);
    Files.writeString(control, fields.replaceFirst("(?m)^Version: .*$", "Version: " + version));
    Path higher = directory.resolve("stoa_" + version + "_all.deb");
    String[] build = {
      "dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "--build", "" + tree, "" + higher
    };
    Commands.run(build).ok();
    return higher;
  }
}
