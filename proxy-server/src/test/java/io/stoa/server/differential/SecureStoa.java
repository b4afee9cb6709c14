// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import io.stoa.server.StoaProcess;
import io.stoa.testing.Certificates;
import io.stoa.testing.FreePort;

/** Stoa with TLS on both of its sides. Not thread-safe. */
final class SecureStoa implements AutoCloseable {
  private final int tlsPort = FreePort.next();
  private final StoaProcess process;

  /** Starts it before the directory at this URL, both with certificates of this authority. */
  SecureStoa(Certificates certificates, String ldapsUrl) {
    Certificates.Pair own = certificates.server();
    String file =
        """
        upstream:
          servers: ['%s']
          tls: {ca: '%s'}
        tls: {certificate: '%s', key: '%s'}
        """
            .formatted(ldapsUrl, certificates.ca(), own.certificate(), own.key());
    process = StoaProcess.configured(file, "ldaps://127.0.0.1:" + tlsPort);
  }

  StoaProcess process() {
    return process;
  }

  /** Where it takes clients by LDAPS. */
  int tlsPort() {
    return tlsPort;
  }

  @Override
  public void close() {
    process.close();
  }
}
