// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.identity;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.Received;
import io.stoa.testing.Records;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.Slapd;
import io.stoa.upstream.connect.UpstreamTransport;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** With session tracking, the directory knows for whom Stoa asks. */
class SessionTrackingIT {
  private static final String OID = "1.3.6.1.4.1.21008.108.63.1";
  private static final UpstreamTransport TRACKING =
      Records.with(UpstreamTransport.DEFAULTS, "sessionTracking", true);

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private static ProxySetup tracking(int port) {
    return ProxySetup.before(port).cachesOff().upstream("transport", TRACKING);
  }

  /** slapd writes it to its log, if it could read it. */
  @Test
  void slapdLogsTheClientsIdentity() {
    try (Slapd slapd = Slapd.start(People.slapd(3))) {
      slapd.logOperations();
      try (RunningProxy proxy = tracking(slapd.port()).start();
          RawLdapClient client = proxy.client().bind(People.dn(1), People.PASSWORD)) {
        assertThat(client.call(People.find(2))).hasSize(2);
        assertThat(client.code(Requests.replace(People.dn(1), "title", "x"))).isZero();
      }
      String who = "[IP=127.0.0.1 NAME=stoa USERNAME=dn:" + People.dn(1) + "]";
      Await.until(
          "slapd tells",
          () -> lines(slapd, who, " SRCH base=") > 0 && lines(slapd, who, " MOD dn=") > 0);
      assertThat(lines(slapd, "[IP=127.0.0.1 NAME=stoa", " BIND dn=")).isPositive();
    }
  }

  private static long lines(Slapd slapd, String who, String what) {
    return slapd.log().lines().filter(line -> line.contains(who) && line.contains(what)).count();
  }

  private static List<Control> controlsOf(ScriptedUpstream upstream, int tag) {
    List<Received> all = upstream.received(request -> request.is(tag));
    return all.get(all.size() - 1).message().decoded().getControls();
  }

  @Test
  void theTrackingControlIsLastAndNotCritical() {
    try (ScriptedUpstream upstream = ScriptedUpstream.start();
        RunningProxy proxy = tracking(upstream.port()).start();
        RawLdapClient client = proxy.client().bind(People.dn(1), People.PASSWORD)) {
      client.code(Requests.delete(People.dn(1)).with(new ManageDsaITRequestControl(true)));
      List<Control> sent = controlsOf(upstream, Received.DELETE);
      assertThat(sent).extracting(Control::getOID).containsExactly("2.16.840.1.113730.3.4.2", OID);
      assertThat(sent.get(0).isCritical()).isTrue();
      assertThat(sent.get(1).isCritical()).isFalse();
      assertThat(controlsOf(upstream, Received.BIND)).hasSize(1);
    }
  }

  @Test
  void aClientsOwnTrackingControlIsKept() {
    Control own = new Control(OID, false, new ASN1OctetString(new byte[] {0x30, 0}));
    try (ScriptedUpstream upstream = ScriptedUpstream.start();
        RunningProxy proxy = tracking(upstream.port()).start();
        RawLdapClient client = proxy.client().bind(People.dn(1), People.PASSWORD)) {
      client.code(Requests.delete(People.dn(1)).with(own));
      assertThat(controlsOf(upstream, Received.DELETE)).isEqualTo(Arrays.asList(own));
    }
  }

  /** What Stoa asks of its own accord is for nobody. */
  @Test
  void stoasOwnRequestsAreNotTracked() {
    try (ScriptedUpstream upstream = ScriptedUpstream.start();
        RunningProxy proxy = tracking(upstream.port()).start()) {
      assertThat(proxy.status().ready()).isTrue();
      assertThat(upstream.received(request -> request.message().mentions(OID))).isEmpty();
    }
  }
}
