// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Certificates;
import io.stoa.testing.Ds389;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RunningProxy;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

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
    stoa = ProxySetup.beforeUrls(behind.url()).maxAge(Duration.ofHours(1)).start();
  }

  @AfterAll
  static void stop() {
    stoa.close();
    behind.close();
    direct.close();
    certificates.close();
  }

  @ParameterizedTest
  @EnumSource
  void transcriptsAreEqual(ClientLibrary library) throws Exception {
    Comparison comparison =
        new Comparison(
            library,
            target(direct.address().getPort()),
            target(stoa.address().getPort()),
            transcript -> transcript.withoutEstimates().withoutOffers());
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

  private static Target target(int port) {
    return new Target(ConnectionKind.PLAIN, port, certificates, "cn=schema");
  }
}
