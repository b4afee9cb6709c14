// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.clients;

import io.stoa.net.tls.TlsConfig;
import io.stoa.testing.Certificates;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.Records;
import io.stoa.testing.RunningProxy;
import io.stoa.upstream.connect.UpstreamTransport;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/**
 * Stoa before one directory, which it asks in one way, open to clients in every way. Immutable.
 *
 * @param schema where the directory has its schema
 */
record StoaListeners(RunningProxy stoa, Certificates certificates, String schema)
    implements AutoCloseable {
  /** Opens them before the directory that has this URL. */
  static StoaListeners before(String directory, Certificates certificates, String schema) {
    Certificates.Pair own = certificates.server();
    TlsConfig tls = TlsConfig.DEFAULTS.identity(own.certificate(), own.key());
    TlsConfig trusting = TlsConfig.DEFAULTS.trusting(certificates.ca());
    RunningProxy stoa =
        ProxySetup.beforeUrls(directory)
            .tls(tls, "127.0.0.1:0", "ldaps://127.0.0.1:0")
            .upstream("transport", Records.with(UpstreamTransport.DEFAULTS, "tls", trusting))
            .maxAge(Duration.ofHours(1))
            .start();
    return new StoaListeners(stoa, certificates, schema);
  }

  /** What a test of all of them is given. */
  static Stream<Arguments> everyLibraryEveryWay() {
    return Arrays.stream(ClientLibrary.values())
        .flatMap(
            library ->
                Arrays.stream(ConnectionKind.values()).map(kind -> Arguments.of(library, kind)));
  }

  /** A directory to which clients connect so, without Stoa. */
  Target direct(ConnectionKind kind, int port) {
    return new Target(kind, port, certificates, schema);
  }

  /** The programme there, and through the door for clients that connect so. */
  Comparison compare(
      ClientLibrary library,
      Target direct,
      ConnectionKind kind,
      UnaryOperator<Transcript> compared) {
    int door = kind == ConnectionKind.LDAPS ? 1 : 0;
    int port = stoa.proxy().addresses().get(door).getPort();
    return new Comparison(library, direct, direct(kind, port), compared);
  }

  @Override
  public void close() {
    stoa.close();
  }
}
