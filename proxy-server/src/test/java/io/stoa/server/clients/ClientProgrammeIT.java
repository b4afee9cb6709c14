// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Certificates;
import io.stoa.testing.Slapd;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Client libraries of different make do the same, direct and through Stoa, and cannot tell one from
 * the other: what they make of the answers is equal, line by line.
 */
class ClientProgrammeIT {
  private static final String SCHEMA = "cn=Subschema";

  private static Certificates certificates;
  private static Slapd direct;
  private static Slapd behind;
  private static StoaListeners plain;
  private static StoaListeners secure;

  @BeforeAll
  static void start() {
    certificates = Certificates.create();
    direct = Slapd.start(ClientDirectory.config(certificates));
    behind = Slapd.start(ClientDirectory.config(certificates));
    plain = StoaListeners.before(behind.url(), certificates, SCHEMA);
    secure = StoaListeners.before(behind.ldapsUrl(), certificates, SCHEMA);
  }

  @AfterAll
  static void stop() {
    secure.close();
    plain.close();
    behind.close();
    direct.close();
    certificates.close();
  }

  /** Who comes by TLS is taken to the directory by TLS, too. */
  @ParameterizedTest
  @MethodSource("io.stoa.server.clients.StoaListeners#everyLibraryEveryWay")
  void transcriptsAreEqual(ClientLibrary library, ConnectionKind kind) throws Exception {
    StoaListeners doors = kind == ConnectionKind.PLAIN ? plain : secure;
    int port = kind == ConnectionKind.LDAPS ? direct.tlsPort() : direct.port();
    Comparison comparison =
        doors.compare(library, doors.direct(kind, port), kind, Transcript::withoutOffers);
    assertThat(List.copyOf(comparison.run().entrySet()))
        .isEqualTo(List.copyOf(library.results().entrySet()));
    comparison.runAgain(doors.stoa());
  }
}
