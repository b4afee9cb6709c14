// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.Slapd;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A directory that ends idle connections does so under Stoa's feet, and no client notices. */
class IdleUpstreamIT {
  private static final RawRequest WHO_AM_I = Requests.extended("1.3.6.1.4.1.4203.1.11.3");
  private static final int ROUNDS = 2;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  @Test
  void anIdleConnectionThatTheDirectoryEndsIsMadeAnew() {
    try (Slapd slapd = Slapd.start(People.slapd(5).global("idletimeout 1"));
        RunningProxy proxy = ProxySetup.before(slapd.port()).cachesOff().start();
        RawLdapClient anonymous = proxy.client();
        RawLdapClient bound = proxy.client().bind(People.dn(1), People.PASSWORD)) {
      for (int round = 0; round < ROUNDS; round++) {
        assertThat(anonymous.code(People.find(2))).isZero();
        assertThat(bound.code(People.find(3))).isZero();
        assertThat(RawLdapClient.last(bound.call(WHO_AM_I)).mentions(People.dn(1))).isTrue();
        Await.until("the directory has ended all connections", () -> slapd.connections() == 0);
      }
      assertThat(bound.code(Requests.replace(People.dn(1), "title", "still here"))).isZero();
    }
  }
}
