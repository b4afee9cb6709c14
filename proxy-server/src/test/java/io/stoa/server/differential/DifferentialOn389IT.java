// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import static io.stoa.server.differential.Differential.assertNoWrongHits;
import static io.stoa.server.differential.Differential.assertNothingWrong;
import static io.stoa.server.differential.Differential.run;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.server.StoaProcess;
import io.stoa.testing.Certificates;
import io.stoa.testing.Ds389;
import io.stoa.testing.Ds389Config;
import org.junit.jupiter.api.Test;

/** The same before 389 Directory Server. */
class DifferentialOn389IT {
  @Test
  void everyAnswerIsThatOfDs389() {
    try (TwinServers<Ds389> ds389 = TwinServers.start(() -> Ds389.start(Directory.ds389()));
        StoaProcess stoa = StoaProcess.before(ds389.behind())) {
      assertNothingWrong(run(ds389, stoa, Dialer.PLAIN, ServerRules.DS389, Scripts.everything()));
    }
  }

  /** But that 389-ds names the account that is bound as the one that wrote. */
  @Test
  void everyAnswerIsThatOfDs389InProxiedMode() {
    try (TwinServers<Ds389> ds389 = TwinServers.start(() -> Ds389.start(Directory.ds389()));
        StoaProcess stoa = Differential.proxied(ds389.behind())) {
      Report report = run(ds389, stoa, Dialer.PLAIN, ServerRules.DS389, Scripts.most());
      assertThat(report.differences())
          .hasSizeLessThan(30)
          .allSatisfy(difference -> assertThat(difference).contains("modifiersName"))
          .allSatisfy(difference -> assertThat(difference).contains(Directory.STOA));
      assertNoWrongHits(report);
    }
  }

  /** Some bind by SASL, and others by name and password. */
  @Test
  void everyAnswerInsideTlsIsThatOfDs389() {
    try (Certificates certificates = Certificates.create()) {
      Ds389Config config = Directory.ds389().tls(certificates, certificates.server());
      try (TwinServers<Ds389> ds389 = TwinServers.start(() -> Ds389.start(config));
          SecureStoa stoa = new SecureStoa(certificates, ds389.behind().ldapsUrl())) {
        Dialer dialer =
            new TlsDialer(certificates.clientContext(), new SaslDialer("bob", "manager"))
                .with(ds389.direct().address(), ds389.direct().tlsPort())
                .with(stoa.process().address(), stoa.tlsPort());
        assertNothingWrong(run(ds389, stoa.process(), dialer, ServerRules.DS389, Scripts.most()));
      }
    }
  }

  /** The harness itself: two directories from one LDIF answer alike. */
  @Test
  void twoDs389AnswerAlike() {
    try (TwinServers<Ds389> ds389 = TwinServers.start(() -> Ds389.start(Directory.ds389()))) {
      assertThat(Differential.compared(ds389, ServerRules.DS389).differences()).isEmpty();
    }
  }
}
