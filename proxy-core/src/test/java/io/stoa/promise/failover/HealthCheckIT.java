// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.failover;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.LongForm;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.Received;
import io.stoa.testing.Responses;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import io.stoa.testing.Tlv;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Load balancers in front of Stoa ask whether it is alive, in few octets and few forms. */
class HealthCheckIT {
  /** What HAProxy's {@code option ldap-check} sends: an anonymous bind, and nothing after it. */
  private static final byte[] LDAP_CHECK = Tlv.hex("300c020101600702010304008000");

  private static final byte[] BIND_RESPONSE_1 = Tlv.hex("02010161");
  private static final byte[] SUCCESS = Tlv.hex("0a0100");
  private static final int MAX_LENGTH = 2;
  private static final int CHECKS = 5;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  /** Asks as HAProxy does, and leaves as it does. */
  private static byte[] check(RunningProxy proxy) {
    try (RawLdapClient check = proxy.client()) {
      check.sendOctets(LDAP_CHECK);
      byte[] answer = RawLdapClient.last(check.await(1)).octets();
      check.reset();
      return answer;
    }
  }

  /** Judges as HAProxy does: it looks at a few octets, and skips no more than two of a length. */
  private static boolean isAlive(byte[] answer) {
    int skipped = lengthOctets(answer[1]);
    if (skipped > MAX_LENGTH || !contains(answer, 2 + skipped, BIND_RESPONSE_1)) {
      return false;
    }
    skipped += lengthOctets(answer[skipped + 6]);
    return contains(answer, skipped + 7, SUCCESS);
  }

  private static int lengthOctets(byte length) {
    return (length & 0x80) == 0 ? 0 : length & 0x7f;
  }

  private static boolean contains(byte[] octets, int at, byte[] part) {
    return Arrays.equals(Arrays.copyOfRange(octets, at, at + part.length), part);
  }

  private static byte[] direct(Slapd slapd) {
    try (RawLdapClient client = RawLdapClient.connect(slapd.address())) {
      client.sendOctets(LDAP_CHECK);
      return RawLdapClient.last(client.await(1)).octets();
    }
  }

  private static String hex(byte[] octets) {
    return HexFormat.of().formatHex(octets);
  }

  @Test
  void haproxyFindsStoaAlive() {
    try (Slapd slapd = Slapd.start(People.slapd(1));
        RunningProxy proxy = ProxySetup.before(slapd.port()).start()) {
      byte[] direct = direct(slapd);
      assertThat(isAlive(direct)).isTrue();
      for (int i = 0; i < CHECKS; i++) {
        assertThat(hex(check(proxy))).isEqualTo(hex(direct));
      }
      Await.until("nobody is left", () -> proxy.status().connections() == 0);
      assertThat(log.warnings()).isEmpty();
    }
  }

  /** Active Directory does, and older versions of HAProxy take it for dead; Stoa's are short. */
  @Test
  void haproxyFindsStoaAliveInFrontOfLongFormLengths() {
    try (ScriptedUpstream upstream = ScriptedUpstream.start()) {
      byte[] direct = LongForm.of(Responses.result(Received.BIND, 0).encode(1));
      assertThat(isAlive(direct)).isFalse();
      upstream.when(
          request -> request.is(Received.BIND),
          (request, link) ->
              link.sendOctets(
                  LongForm.of(Responses.result(Received.BIND, 0).encode(request.messageId()))));
      try (RunningProxy proxy = ProxySetup.before(upstream.port()).start()) {
        assertThat(isAlive(check(proxy))).isTrue();
      }
    }
  }

  /**
   * Who lets nobody in without a name says so to the check as well: it is down, as it is direct.
   */
  @Test
  void theCheckIsRefusedIfAnonymousBindsAreRefused() {
    SlapdConfig config = People.slapd(1).global("disallow bind_anon");
    try (Slapd slapd = Slapd.start(config);
        RunningProxy proxy = ProxySetup.before(slapd.port()).start()) {
      assertThat(isAlive(direct(slapd))).isFalse();
      assertThat(hex(check(proxy))).isEqualTo(hex(direct(slapd)));
    }
  }
}
