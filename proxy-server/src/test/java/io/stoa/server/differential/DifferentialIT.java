// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.server.Mutant;
import io.stoa.server.StoaProcess;
import io.stoa.testing.Certificates;
import io.stoa.testing.DirectoryServer;
import io.stoa.testing.Ds389;
import io.stoa.testing.Ds389Config;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import java.net.InetSocketAddress;
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
    try (Twins<Slapd> slapd = Twins.start(() -> Slapd.start(Directory.config()));
        StoaProcess stoa = StoaProcess.before(slapd.behind())) {
      Report report = run(slapd, stoa, Dialer.PLAIN, ServerRules.SLAPD, Scripts.forSlapd());
      assertThat(report.notRefused()).as("steps that were to be refused").isEmpty();
      assertNothingWrong(report);
    }
  }

  @Test
  void everyAnswerIsThatOfDs389() {
    try (Twins<Ds389> ds389 = Twins.start(() -> Ds389.start(Directory.ds389()));
        StoaProcess stoa = StoaProcess.before(ds389.behind())) {
      assertNothingWrong(run(ds389, stoa, Dialer.PLAIN, ServerRules.DS389, Scripts.everything()));
    }
  }

  @Test
  void everyAnswerIsThatOfSlapdInProxiedMode() {
    try (Twins<Slapd> slapd = Twins.start(() -> Slapd.start(Directory.config()));
        StoaProcess stoa = proxied(slapd.behind())) {
      assertNothingWrong(run(slapd, stoa, Dialer.PLAIN, ServerRules.SLAPD, Scripts.most()));
    }
  }

  /** But that 389-ds names the account that is bound as the one that wrote. */
  @Test
  void everyAnswerIsThatOfDs389InProxiedMode() {
    try (Twins<Ds389> ds389 = Twins.start(() -> Ds389.start(Directory.ds389()));
        StoaProcess stoa = proxied(ds389.behind())) {
      Report report = run(ds389, stoa, Dialer.PLAIN, ServerRules.DS389, Scripts.most());
      assertThat(report.differences())
          .hasSizeLessThan(30)
          .allSatisfy(difference -> assertThat(difference).contains("modifiersName"))
          .allSatisfy(difference -> assertThat(difference).contains(Directory.STOA));
      assertNoWrongHits(report);
    }
  }

  /** Clients speak StartTLS or LDAPS with Stoa, and Stoa speaks LDAPS with the directory. */
  @Test
  void everyAnswerInsideTlsIsThatOfSlapd() {
    everyAnswerInsideTlsIsThatOfSlapd(Directory.config(), Dialer.PLAIN);
  }

  @Test
  void everyAnswerInsideTlsToWhoBindsBySaslIsThatOfSlapd() {
    SlapdConfig config = Directory.config().global(SaslDialer.SETTINGS);
    everyAnswerInsideTlsIsThatOfSlapd(config, new SaslDialer());
  }

  private static void everyAnswerInsideTlsIsThatOfSlapd(SlapdConfig plain, Dialer binds) {
    try (Certificates certificates = Certificates.create()) {
      SlapdConfig config = plain.tls(certificates, certificates.server());
      try (Twins<Slapd> slapd = Twins.start(() -> Slapd.start(config));
          SecureStoa stoa = new SecureStoa(certificates, slapd.behind().ldapsUrl())) {
        Dialer dialer =
            new TlsDialer(certificates.clientContext(), binds)
                .with(slapd.direct().address(), slapd.direct().tlsPort())
                .with(stoa.process().address(), stoa.tlsPort());
        assertNothingWrong(run(slapd, stoa.process(), dialer, ServerRules.SLAPD, Scripts.most()));
      }
    }
  }

  /** Some bind by SASL, and others by name and password. */
  @Test
  void everyAnswerInsideTlsIsThatOfDs389() {
    try (Certificates certificates = Certificates.create()) {
      Ds389Config config = Directory.ds389().tls(certificates, certificates.server());
      try (Twins<Ds389> ds389 = Twins.start(() -> Ds389.start(config));
          SecureStoa stoa = new SecureStoa(certificates, ds389.behind().ldapsUrl())) {
        Dialer dialer =
            new TlsDialer(certificates.clientContext(), new SaslDialer("bob", "manager"))
                .with(ds389.direct().address(), ds389.direct().tlsPort())
                .with(stoa.process().address(), stoa.tlsPort());
        assertNothingWrong(run(ds389, stoa.process(), dialer, ServerRules.DS389, Scripts.most()));
      }
    }
  }

  private static StoaProcess proxied(DirectoryServer behind) {
    return StoaProcess.proxied(
        behind, Directory.STOA, Directory.STOA_PASSWORD, Directory.ROOT.toUpperCase(Locale.ROOT));
  }

  private static void assertNothingWrong(Report report) {
    assertThat(report.differences()).isEmpty();
    assertNoWrongHits(report);
  }

  private static void assertNoWrongHits(Report report) {
    assertThat(report.wrongHits()).isEmpty();
    assertThat(report.hitsOnRepetition()).isEqualTo(report.cacheableReads());
    assertThat(report.distinctRequests()).isGreaterThanOrEqualTo(1000);
    assertThat(report.refusedRequests()).isGreaterThanOrEqualTo(200);
  }

  /** The script notices when something is missing from the cache key. */
  @ParameterizedTest
  @EnumSource(Mutant.class)
  void aKeyThatForgetsIsFound(Mutant mutant) {
    try (Twins<Slapd> slapd = Twins.start(() -> Slapd.start(Directory.config()));
        StoaProcess stoa = StoaProcess.mutated(mutant, slapd.behind())) {
      Report report = run(slapd, stoa, Dialer.PLAIN, ServerRules.SLAPD, Scripts.keys());
      assertThat(report.differences()).isNotEmpty();
    }
  }

  /** The harness itself: two directories from one LDIF answer alike. */
  @Test
  void twoSlapdAnswerAlike() {
    try (Twins<Slapd> slapd = Twins.start(() -> Slapd.start(Directory.config()))) {
      assertThat(compared(slapd, ServerRules.SLAPD).differences()).isEmpty();
    }
  }

  @Test
  void twoDs389AnswerAlike() {
    try (Twins<Ds389> ds389 = Twins.start(() -> Ds389.start(Directory.ds389()))) {
      assertThat(compared(ds389, ServerRules.DS389).differences()).isEmpty();
    }
  }

  private static Report compared(Twins<?> servers, ServerRules rules) {
    return new DifferentialRun(
            servers.direct().address(),
            servers.behind().address(),
            Dialer.PLAIN,
            Hits.NOT_COUNTED,
            rules)
        .run(Scripts.keys());
  }

  private static Report run(
      Twins<?> servers, StoaProcess stoa, Dialer dialer, ServerRules rules, Script script) {
    InetSocketAddress direct = servers.direct().address();
    try (MonitorHits hits = new MonitorHits(stoa)) {
      Report report = new DifferentialRun(direct, stoa.address(), dialer, hits, rules).run(script);
      System.out.println(report);
      return report;
    }
  }
}
