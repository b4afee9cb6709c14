// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Certificates;
import io.stoa.testing.Ds389;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The same before 389 Directory Server, which spells attributes as its client does. */
class ClientProgrammeOn389IT {
  private static final int MAX_STEPS = 34;

  private static Certificates certificates;
  private static Ds389 direct;
  private static Ds389 behind;
  private static StoaListeners listeners;

  @BeforeAll
  static void start() {
    certificates = Certificates.create();
    direct = Ds389.start(ClientDirectory.ds389());
    behind = Ds389.start(ClientDirectory.ds389());
    listeners = StoaListeners.before(behind.url(), certificates, "cn=schema");
  }

  @AfterAll
  static void stop() {
    listeners.close();
    behind.close();
    direct.close();
    certificates.close();
  }

  /** Whether the client uses TLS is between it and Stoa: the directory is asked in plain. */
  @ParameterizedTest
  @MethodSource("io.stoa.server.clients.StoaListeners#everyLibraryEveryWay")
  void transcriptsAreEqual(ClientLibrary library, ConnectionKind kind) throws Exception {
    Comparison comparison =
        listeners.compare(
            library,
            listeners.direct(ConnectionKind.PLAIN, direct.address().getPort()),
            kind,
            transcript -> transcript.withoutEstimates().withoutOffers().withoutMessageIds());
    Map<String, Integer> results = comparison.run();
    assertThat(results).containsOnlyKeys(Programme.RESULTS.keySet());
    // It changes passwords inside TLS only, and has its own view of referrals.
    assertThat(results.keySet().stream().filter(step -> isAsEverywhere(step, results)))
        .hasSizeGreaterThan(MAX_STEPS);
    comparison.runAgain(listeners.stoa());
  }

  private static boolean isAsEverywhere(String step, Map<String, Integer> results) {
    return results.get(step).equals(Programme.RESULTS.get(step));
  }
}
