// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import static io.stoa.server.differential.Differential.assertNothingWrong;
import static io.stoa.server.differential.Differential.run;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.server.Mutant;
import io.stoa.server.StoaProcess;
import io.stoa.testing.Certificates;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A client cannot tell Stoa from the directory. */
class DifferentialIT {
  @Test
  void everyAnswerIsThatOfSlapd() {
    try (TwinServers<Slapd> slapd = TwinServers.start(() -> Slapd.start(Directory.config()));
        StoaProcess stoa = StoaProcess.before(slapd.behind())) {
      Report report = run(slapd, stoa, Dialer.PLAIN, ServerRules.SLAPD, Scripts.forSlapd());
      assertThat(report.notRefused()).as("steps that were to be refused").isEmpty();
      assertNothingWrong(report);
    }
  }

  @Test
  void everyAnswerIsThatOfSlapdInProxiedMode() {
    try (TwinServers<Slapd> slapd = TwinServers.start(() -> Slapd.start(Directory.config()));
        StoaProcess stoa = Differential.proxied(slapd.behind())) {
      assertNothingWrong(run(slapd, stoa, Dialer.PLAIN, ServerRules.SLAPD, Scripts.most()));
    }
  }

  /** Clients speak StartTLS or LDAPS with Stoa, and Stoa speaks LDAPS with the directory. */
  @Test
  void everyAnswerInsideTlsIsThatOfSlapd() {
    everyAnswerInsideTlsIsThatOfSlapd(Directory.config(), Dialer.PLAIN);
  }

  @Test
  void everyAnswerInsideTlsWithSaslIsThatOfSlapd() {
    SlapdConfig config = Directory.config().global(SaslDialer.SETTINGS);
    everyAnswerInsideTlsIsThatOfSlapd(config, new SaslDialer());
  }

  private static void everyAnswerInsideTlsIsThatOfSlapd(SlapdConfig plain, Dialer binds) {
    try (Certificates certificates = Certificates.create()) {
      SlapdConfig config = plain.tls(certificates, certificates.server());
      try (TwinServers<Slapd> slapd = TwinServers.start(() -> Slapd.start(config));
          SecureStoa stoa = new SecureStoa(certificates, slapd.behind().ldapsUrl())) {
        Dialer dialer =
            new TlsDialer(certificates.clientContext(), binds)
                .with(slapd.direct().address(), slapd.direct().tlsPort())
                .with(stoa.process().address(), stoa.tlsPort());
        assertNothingWrong(run(slapd, stoa.process(), dialer, ServerRules.SLAPD, Scripts.most()));
      }
    }
  }

  /** The script notices when something is missing from the cache key. */
  @ParameterizedTest
  @EnumSource(Mutant.class)
  void anIncompleteCacheKeyIsFound(Mutant mutant) {
    try (TwinServers<Slapd> slapd = TwinServers.start(() -> Slapd.start(Directory.config()));
        StoaProcess stoa = StoaProcess.mutated(mutant, slapd.behind())) {
      Report report = run(slapd, stoa, Dialer.PLAIN, ServerRules.SLAPD, Scripts.keys());
      assertThat(report.differences()).isNotEmpty();
    }
  }

  /** The harness itself: two directories from one LDIF answer alike. */
  @Test
  void twoSlapdAnswerAlike() {
    try (TwinServers<Slapd> slapd = TwinServers.start(() -> Slapd.start(Directory.config()))) {
      assertThat(Differential.compared(slapd, ServerRules.SLAPD).differences()).isEmpty();
    }
  }
}
