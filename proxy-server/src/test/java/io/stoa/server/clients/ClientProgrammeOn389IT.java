// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.codec.TlsConfig;
import io.stoa.testing.Certificates;
import io.stoa.testing.Ds389;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RunningProxy;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The same before 389 Directory Server, which spells attributes as its client does. */
class ClientProgrammeOn389IT {
  private static final int MOST_STEPS = 34;

  private static Certificates certificates;
  private static Ds389 direct;
  private static Ds389 behind;
  private static RunningProxy stoa;

  @BeforeAll
  static void start() {
    certificates = Certificates.create();
    direct = Ds389.start(ClientDirectory.ds389());
    behind = Ds389.start(ClientDirectory.ds389());
    Certificates.Pair own = certificates.server();
    TlsConfig tls = TlsConfig.DEFAULTS.identity(own.certificate(), own.key());
    stoa =
        ProxySetup.beforeUrls(behind.url())
            .tls(tls, "127.0.0.1:0", "ldaps://127.0.0.1:0")
            .maxAge(Duration.ofHours(1))
            .start();
  }

  @AfterAll
  static void stop() {
    stoa.close();
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

  /** Whether the client uses TLS is between it and Stoa: the directory is asked in plain. */
  @ParameterizedTest
  @MethodSource("everyLibraryEveryWay")
  void transcriptsAreEqual(ClientLibrary library, ConnectionKind kind) throws Exception {
    int door = kind == ConnectionKind.LDAPS ? 1 : 0;
    Comparison comparison =
        new Comparison(
            library,
            target(ConnectionKind.PLAIN, direct.address().getPort()),
            target(kind, stoa.proxy().addresses().get(door).getPort()),
            transcript -> transcript.withoutEstimates().withoutOffers().withoutMessageIds());
    Map<String, Integer> results = comparison.run();
    assertThat(results).containsOnlyKeys(Programme.RESULTS.keySet());
    // It changes passwords inside TLS only, and has its own view of referrals.
    assertThat(results.keySet().stream().filter(step -> isAsEverywhere(step, results)))
        .hasSizeGreaterThan(MOST_STEPS);
    comparison.runAgain(stoa);
  }

  private static boolean isAsEverywhere(String step, Map<String, Integer> results) {
    return results.get(step).equals(Programme.RESULTS.get(step));
  }

  private static Target target(ConnectionKind kind, int port) {
    return new Target(kind, port, certificates, "cn=schema");
  }
}
