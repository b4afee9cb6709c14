// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.matrix;

import io.stoa.server.differential.Directory;
import io.stoa.server.differential.SaslDialer;
import io.stoa.server.differential.ServerRules;
import io.stoa.testing.Certificates;
import io.stoa.testing.DirectoryServer;
import io.stoa.testing.Ds389;
import io.stoa.testing.SambaDirectory;
import io.stoa.testing.Slapd;

/** The kinds of servers of the matrix. Each start is a fresh one with the same data. */
enum ServerUnderTest {
  SLAPD("slapd") {
    @Override
    DirectoryServer start(Certificates certificates) {
      return Slapd.start(
          Directory.config().global(SaslDialer.SETTINGS).tls(certificates, certificates.server()));
    }
  },

  DS389("389-ds") {
    @Override
    DirectoryServer start(Certificates certificates) {
      return Ds389.start(Directory.ds389().tls(certificates, certificates.server()));
    }
  },

  SAMBA("Samba AD") {
    @Override
    DirectoryServer start(Certificates certificates) {
      return SambaDirectory.start();
    }
  };

  private final String title;

  ServerUnderTest(String title) {
    this.title = title;
  }

  abstract DirectoryServer start(Certificates certificates);

  String title() {
    return title;
  }

  ServerRules rules() {
    return switch (this) {
      case SLAPD -> ServerRules.SLAPD;
      case DS389 -> ServerRules.DS389;
      case SAMBA -> ServerRules.SAMBA;
    };
  }

  Names names() {
    return this == SAMBA ? Names.ACTIVE_DIRECTORY : Names.DIRECTORY;
  }
}
