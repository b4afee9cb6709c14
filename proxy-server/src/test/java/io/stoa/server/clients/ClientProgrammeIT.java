// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.codec.TlsConfig;
import io.stoa.dial.UpstreamTransport;
import io.stoa.testing.Certificates;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.Records;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.Slapd;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Client libraries of different make do the same, direct and through Stoa, and cannot tell one from
 * the other: what they make of the answers is equal, line by line.
 */
class ClientProgrammeIT {
  private static Certificates certificates;
  private static Slapd direct;
  private static Slapd behind;
  private static RunningProxy plain;
  private static RunningProxy secure;

  @BeforeAll
  static void start() {
    certificates = Certificates.create();
    direct = Slapd.start(ClientDirectory.config(certificates));
    behind = Slapd.start(ClientDirectory.config(certificates));
    plain = stoa(behind.url());
    secure = stoa(behind.ldapsUrl());
  }

  /** Takes clients in every way, and asks the directory in one. */
  private static RunningProxy stoa(String directory) {
    Certificates.Pair own = certificates.server();
    TlsConfig tls = TlsConfig.DEFAULTS.identity(own.certificate(), own.key());
    ProxySetup setup =
        ProxySetup.beforeUrls(directory).tls(tls, "127.0.0.1:0", "ldaps://127.0.0.1:0");
    UpstreamTransport transport = UpstreamTransport.DEFAULTS;
    return setup
        .upstream(
            "transport",
            Records.with(transport, "tls", TlsConfig.DEFAULTS.trusting(certificates.ca())))
        .maxAge(Duration.ofHours(1))
        .start();
  }

  @AfterAll
  static void stop() {
    secure.close();
    plain.close();
    behind.close();
    direct.close();
    certificates.close();
  }

  static Stream<Arguments> everyLibraryEveryWay() {
    return Arrays.stream(ClientLibrary.values())
        .flatMap(
            library ->
                Arrays.stream(ConnectionKind.values()).map(kind -> Arguments.of(library, kind)));
  }

  @ParameterizedTest
  @MethodSource("everyLibraryEveryWay")
  void transcriptsAreEqual(ClientLibrary library, ConnectionKind kind) throws Exception {
    boolean ldaps = kind == ConnectionKind.LDAPS;
    RunningProxy stoa = kind == ConnectionKind.PLAIN ? plain : secure;
    int port = stoa.proxy().addresses().get(ldaps ? 1 : 0).getPort();
    Comparison comparison =
        new Comparison(
            library,
            target(kind, ldaps ? direct.tlsPort() : direct.port()),
            target(kind, port),
            Transcript::withoutOffers);
    assertThat(List.copyOf(comparison.run().entrySet()))
        .isEqualTo(List.copyOf(library.results().entrySet()));
    comparison.runAgain(stoa);
  }

  private static Target target(ConnectionKind kind, int port) {
    return new Target(kind, port, certificates, "cn=Subschema");
  }
}
