// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.server.Mutant;
import io.stoa.server.StoaProcess;
import io.stoa.testing.Slapd;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A client cannot tell Stoa from the directory: one script, direct and through Stoa, every answer
 * octet for octet, each read twice through Stoa, the second time from memory.
 */
class DifferentialIT {
  @Test
  void everyAnswerIsThatOfTheDirectory() {
    try (Slapd direct = Slapd.start(Directory.config());
        Slapd behind = Slapd.start(Directory.config());
        StoaProcess stoa = StoaProcess.before(behind)) {
      Hits hits = () -> stoa.monitor("filter_cache_hit") + stoa.monitor("compare_cache_hit");
      Report report = run(direct, stoa, hits);
      assertThat(report.notRefused()).as("steps that were to be refused").isEmpty();
      assertThat(report.differences()).isEmpty();
      assertThat(report.wrongHits()).isEmpty();
      assertThat(report.hitsOnRepetition()).isEqualTo(report.cacheableReads());
      assertThat(report.requests()).isGreaterThanOrEqualTo(300);
      assertThat(report.refusedRequests()).isGreaterThanOrEqualTo(60);
    }
  }

  /** The script notices when something is missing from the cache key. */
  @ParameterizedTest
  @EnumSource(Mutant.class)
  void aKeyThatForgetsIsFound(Mutant mutant) {
    try (Slapd direct = Slapd.start(Directory.config());
        Slapd behind = Slapd.start(Directory.config());
        StoaProcess stoa = StoaProcess.mutated(mutant, behind)) {
      assertThat(run(direct, stoa, Hits.NOT_COUNTED).differences()).isNotEmpty();
    }
  }

  /** The harness itself: two directories from one LDIF answer alike. */
  @Test
  void twoDirectoriesAnswerAlike() {
    try (Slapd direct = Slapd.start(Directory.config());
        Slapd other = Slapd.start(Directory.config())) {
      DifferentialRun run =
          new DifferentialRun(direct.address(), other.address(), Hits.NOT_COUNTED);
      assertThat(run.run(Scripts.everything()).differences()).isEmpty();
    }
  }

  private static Report run(Slapd direct, StoaProcess stoa, Hits hits) {
    Report report =
        new DifferentialRun(direct.address(), stoa.address(), hits).run(Scripts.everything());
    System.out.println(report);
    return report;
  }
}
