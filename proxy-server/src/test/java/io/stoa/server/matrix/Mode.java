// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.matrix;

import io.stoa.ldap.protocol.Oids;
import io.stoa.server.StoaProcess;
import io.stoa.server.differential.Directory;
import io.stoa.testing.Certificates;
import io.stoa.testing.DirectoryServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** How Stoa acts for its clients. */
enum Mode {
  PASS_THROUGH("pass-through") {
    @Override
    String identity(Path directory) {
      return "";
    }
  },

  PROXIED("proxied") {
    @Override
    String identity(Path directory) {
      return """
      identity:
        mode: proxied
        serviceDn: '%s'
        servicePasswordFile: '%s'
        neverProxied: ['%s']
      """
          .formatted(Directory.STOA, password(directory), Directory.ROOT);
    }
  };

  private final String title;

  Mode(String title) {
    this.title = title;
  }

  /** What the configuration says of it; files that it needs are in the directory. */
  abstract String identity(Path directory);

  /** Starts Stoa in this mode, with a certificate where the server has one. */
  StoaProcess before(DirectoryServer server, RootDse said, Certificates certificates) {
    Certificates.Pair own = certificates.server();
    String tls =
        said.lists(Oids.START_TLS)
            ? "tls: {certificate: '%s', key: '%s'}%n".formatted(own.certificate(), own.key())
            : "";
    return StoaProcess.configured(
        "upstream: {servers: ['"
            + server.url()
            + "']}\n"
            + tls
            + identity(certificates.directory()));
  }

  private static Path password(Path directory) {
    try {
      return Files.writeString(directory.resolve("password"), Directory.STOA_PASSWORD);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String title() {
    return title;
  }
}
