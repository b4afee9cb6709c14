// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.server.Mutant;
import io.stoa.server.StoaProcess;
import io.stoa.testing.DirectoryServer;
import io.stoa.testing.Ds389;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A client cannot tell Stoa from the directory: one script, direct and through Stoa, every answer
 * octet for octet, each read twice through Stoa, the second time from memory.
 */
class DifferentialIT {
  @Test
  void everyAnswerIsThatOfSlapd() {
    try (Slapd direct = Slapd.start(Directory.config());
        Slapd behind = Slapd.start(Directory.config());
        StoaProcess stoa = StoaProcess.before(behind);
        MonitorHits hits = new MonitorHits(stoa)) {
      Report report = run(direct, stoa, hits, ServerRules.SLAPD);
      assertThat(report.notRefused()).as("steps that were to be refused").isEmpty();
      assertNothingWrong(report);
    }
  }

  @Test
  void everyAnswerToWhoBindsBySaslIsThatOfSlapd() {
    SlapdConfig config = Directory.config().global(SaslDialer.SETTINGS);
    try (Slapd direct = Slapd.start(config);
        Slapd behind = Slapd.start(config);
        StoaProcess stoa = StoaProcess.before(behind);
        MonitorHits hits = new MonitorHits(stoa)) {
      assertNothingWrong(run(direct, stoa, new SaslDialer(), hits, ServerRules.SLAPD));
    }
  }

  @Test
  void everyAnswerIsThatOfDs389() {
    try (Ds389 direct = Ds389.start(Directory.ds389());
        Ds389 behind = Ds389.start(Directory.ds389());
        StoaProcess stoa = StoaProcess.before(behind);
        MonitorHits hits = new MonitorHits(stoa)) {
      assertNothingWrong(run(direct, stoa, hits, ServerRules.DS389));
    }
  }

  @Test
  void everyAnswerIsThatOfSlapdInProxiedMode() {
    try (Slapd direct = Slapd.start(Directory.config());
        Slapd behind = Slapd.start(Directory.config());
        StoaProcess stoa = proxied(behind);
        MonitorHits hits = new MonitorHits(stoa)) {
      assertNothingWrong(run(direct, stoa, hits, ServerRules.SLAPD));
    }
  }

  /** But that 389-ds names the account that is bound as the one that wrote. */
  @Test
  void everyAnswerIsThatOfDs389InProxiedMode() {
    try (Ds389 direct = Ds389.start(Directory.ds389());
        Ds389 behind = Ds389.start(Directory.ds389());
        StoaProcess stoa = proxied(behind);
        MonitorHits hits = new MonitorHits(stoa)) {
      Report report = run(direct, stoa, hits, ServerRules.DS389);
      assertThat(report.differences())
          .hasSizeLessThan(30)
          .allSatisfy(difference -> assertThat(difference).contains("modifiersName"))
          .allSatisfy(difference -> assertThat(difference).contains(Directory.STOA));
      assertThat(report.wrongHits()).isEmpty();
      assertThat(report.hitsOnRepetition()).isEqualTo(report.cacheableReads());
    }
  }

  private static StoaProcess proxied(DirectoryServer behind) {
    return StoaProcess.proxied(
        behind, Directory.STOA, Directory.STOA_PASSWORD, Directory.ROOT.toUpperCase(Locale.ROOT));
  }

  private static void assertNothingWrong(Report report) {
    assertThat(report.differences()).isEmpty();
    assertThat(report.wrongHits()).isEmpty();
    assertThat(report.hitsOnRepetition()).isEqualTo(report.cacheableReads());
    assertThat(report.requests()).isGreaterThanOrEqualTo(300);
    assertThat(report.refusedRequests()).isGreaterThanOrEqualTo(60);
  }

  /** The script notices when something is missing from the cache key. */
  @ParameterizedTest
  @EnumSource(Mutant.class)
  void aKeyThatForgetsIsFound(Mutant mutant) {
    try (Slapd direct = Slapd.start(Directory.config());
        Slapd behind = Slapd.start(Directory.config());
        StoaProcess stoa = StoaProcess.mutated(mutant, behind)) {
      Report report = run(direct, stoa, Hits.NOT_COUNTED, ServerRules.SLAPD);
      assertThat(report.differences()).isNotEmpty();
    }
  }

  /** The harness itself: two directories from one LDIF answer alike. */
  @Test
  void twoSlapdAnswerAlike() {
    try (Slapd direct = Slapd.start(Directory.config());
        Slapd other = Slapd.start(Directory.config())) {
      assertThat(compare(direct, other, ServerRules.SLAPD).differences()).isEmpty();
    }
  }

  @Test
  void twoDs389AnswerAlike() {
    try (Ds389 direct = Ds389.start(Directory.ds389());
        Ds389 other = Ds389.start(Directory.ds389())) {
      assertThat(compare(direct, other, ServerRules.DS389).differences()).isEmpty();
    }
  }

  private static Report compare(DirectoryServer direct, DirectoryServer other, ServerRules rules) {
    return new DifferentialRun(
            direct.address(), other.address(), Dialer.PLAIN, Hits.NOT_COUNTED, rules)
        .run(script(rules));
  }

  private static Report run(
      DirectoryServer direct, StoaProcess stoa, Hits hits, ServerRules rules) {
    return run(direct, stoa, Dialer.PLAIN, hits, rules);
  }

  private static Report run(
      DirectoryServer direct, StoaProcess stoa, Dialer dialer, Hits hits, ServerRules rules) {
    Report report =
        new DifferentialRun(direct.address(), stoa.address(), dialer, hits, rules)
            .run(script(rules));
    System.out.println(report);
    return report;
  }

  private static Script script(ServerRules rules) {
    return rules.scriptFits() ? Scripts.forSlapd() : Scripts.everything();
  }
}
