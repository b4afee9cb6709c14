// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.server.StoaProcess;
import io.stoa.testing.DirectoryServer;
import java.net.InetSocketAddress;
import java.util.Locale;

/**
 * One script, direct and through Stoa, every answer octet for octet, each read twice through Stoa,
 * the second time from memory; and what must be true of each such run. Stateless.
 */
final class Differential {
  private Differential() {}

  static Report run(
      TwinServers<?> servers, StoaProcess stoa, Dialer dialer, ServerRules rules, Script script) {
    InetSocketAddress direct = servers.direct().address();
    try (MonitorHits hits = new MonitorHits(stoa)) {
      Report report = new DifferentialRun(direct, stoa.address(), dialer, hits, rules).run(script);
      System.out.println(report);
      return report;
    }
  }

  /** The servers beside each other, without Stoa. */
  static Report compared(TwinServers<?> servers, ServerRules rules) {
    return new DifferentialRun(
            servers.direct().address(),
            servers.behind().address(),
            Dialer.PLAIN,
            Hits.NOT_COUNTED,
            rules)
        .run(Scripts.keys());
  }

  static StoaProcess proxied(DirectoryServer behind) {
    return StoaProcess.proxied(
        behind, Directory.STOA, Directory.STOA_PASSWORD, Directory.ROOT.toUpperCase(Locale.ROOT));
  }

  static void assertNothingWrong(Report report) {
    assertThat(report.differences()).isEmpty();
    assertNoWrongHits(report);
  }

  static void assertNoWrongHits(Report report) {
    assertThat(report.wrongHits()).isEmpty();
    assertThat(report.hitsOnRepetition()).isEqualTo(report.cacheableReads());
    assertThat(report.distinctRequests()).isGreaterThanOrEqualTo(1000);
    assertThat(report.refusedRequests()).isGreaterThanOrEqualTo(200);
  }
}
