// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.protocol;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Entry;
import io.stoa.net.tls.TlsConfig;
import io.stoa.testing.Answers;
import io.stoa.testing.Certificates;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import io.stoa.testing.Responses;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The root DSE tells what works through Stoa, and is otherwise that of the directory. */
class RootDseIT {
  private static final String START_TLS = "1.3.6.1.4.1.1466.20037";
  private static final String TURN = "1.3.6.1.1.19";
  private static final String TRANSACTION = "1.3.6.1.1.21.1";
  private static final String WHO_AM_I = "1.3.6.1.4.1.4203.1.11.3";
  private static final String CANCEL = "1.3.6.1.1.8";
  private static final String VLV = "2.16.840.1.113730.3.4.9";
  private static final String PAGED = "1.2.840.113556.1.4.319";
  private static final RawRequest ROOT_DSE =
      search("").baseScope().attributes("*", "+", "marked").request();

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  @Test
  void unsupportedFeaturesAreRemoved() {
    Entry shown = rootDse();
    shown.addAttribute("supportedExtension", List.of(WHO_AM_I, CANCEL));
    shown.addAttribute("supportedSASLMechanisms", List.of("GSSAPI", "SCRAM-SHA-256"));
    shown.addAttribute("vendorName", "a vendor");
    Entry offered = rootDse();
    offered.addAttribute("supportedExtension", List.of(START_TLS, WHO_AM_I, TURN, CANCEL));
    offered.addAttribute(
        "supportedSASLMechanisms",
        List.of("EXTERNAL", "GSSAPI", "SCRAM-SHA-256-PLUS", "SCRAM-SHA-256"));
    offered.addAttribute("vendorName", "a vendor");
    assertThat(seen(offered)).isEqualTo(Responses.entry(shown).op());
  }

  @Test
  void onlyTheSupportedProtocolVersionIsShown() {
    Entry offered = rootDse();
    offered.addAttribute("supportedLDAPVersion", List.of("2", "3"));
    Entry shown = rootDse();
    shown.addAttribute("supportedLDAPVersion", "3");
    assertThat(seen(offered)).isEqualTo(Responses.entry(shown).op());
  }

  @Test
  void anAttributeOfWhichNothingIsLeftIsNotThere() {
    Entry offered = rootDse();
    offered.addAttribute("supportedExtension", List.of(TURN, START_TLS));
    assertThat(seen(offered)).isEqualTo(Responses.entry(rootDse()).op());
  }

  @Test
  void supportedFeaturesAreUnchanged() {
    Entry offered = rootDse();
    offered.addAttribute("supportedExtension", List.of(WHO_AM_I, CANCEL));
    assertThat(seen(offered)).isEqualTo(Responses.entry(offered).op());
  }

  @Test
  void cachedRootDsesAreFilteredToo() {
    Entry offered = rootDse();
    offered.addAttribute("supportedExtension", List.of(TURN, WHO_AM_I));
    try (ScriptedUpstream upstream = ScriptedUpstream.start();
        RunningProxy proxy = ProxySetup.before(upstream.port()).start();
        RawLdapClient client = proxy.client()) {
      upstream.when(RootDseIT::isMarked, Answers.entries(offered));
      byte[] first = client.call(ROOT_DSE).get(0).body();
      assertThat(client.call(ROOT_DSE).get(0).body()).isEqualTo(first);
      assertThat(upstream.received(RootDseIT::isMarked)).hasSize(1);
      assertThat(client.call(ROOT_DSE).get(0).mentions(TURN)).isFalse();
    }
  }

  @Test
  void mechanismsAreHiddenWhereBindsAreRefused() {
    Entry offered = rootDse();
    offered.addAttribute("supportedSASLMechanisms", "SCRAM-SHA-256");
    try (Certificates certificates = Certificates.create();
        ScriptedUpstream upstream = ScriptedUpstream.start();
        RunningProxy proxy = requiringTls(upstream, certificates.server());
        RawLdapClient client = proxy.client()) {
      upstream.when(RootDseIT::isMarked, Answers.entries(offered));
      assertThat(client.call(ROOT_DSE).get(0).mentions("SCRAM")).isFalse();
      client.startTls(certificates.clientContext());
      assertThat(client.call(ROOT_DSE).get(0).mentions("SCRAM")).isTrue();
    }
  }

  private static RunningProxy requiringTls(ScriptedUpstream upstream, Certificates.Pair server) {
    TlsConfig own = TlsConfig.DEFAULTS.identity(server.certificate(), server.key());
    return ProxySetup.before(upstream.port())
        .tls(own, "127.0.0.1:0")
        .access("requireTls", true)
        .start();
  }

  @Test
  void dedicatedFeaturesAreHiddenFromClientsWithoutAConnection() {
    Entry offered = rootDse();
    offered.addAttribute("supportedExtension", List.of(WHO_AM_I, TRANSACTION));
    offered.addAttribute("supportedControl", List.of(VLV, PAGED));
    try (ScriptedUpstream upstream = ScriptedUpstream.start();
        RunningProxy proxy =
            ProxySetup.before(upstream.port()).upstream("keepPasswords", false).start();
        RawLdapClient client = proxy.client()) {
      upstream.when(RootDseIT::isMarked, Answers.entries(offered));
      assertThat(client.call(ROOT_DSE).get(0).mentions(TRANSACTION)).isTrue();
      assertThat(client.call(ROOT_DSE).get(0).mentions(VLV)).isTrue();
      client.bind("cn=a", "password");
      assertThat(client.call(ROOT_DSE).get(0).mentions(TRANSACTION)).isFalse();
      assertThat(client.call(ROOT_DSE).get(0).mentions(WHO_AM_I)).isTrue();
      assertThat(client.call(ROOT_DSE).get(0).mentions(VLV)).isFalse();
      assertThat(client.call(ROOT_DSE).get(0).mentions(PAGED)).isTrue();
      assertThat(client.code(Requests.extended(TRANSACTION))).isEqualTo(53);
      assertThat(client.code(Requests.extended(WHO_AM_I))).isZero();
    }
  }

  private static byte[] seen(Entry offered) {
    try (ScriptedUpstream upstream = ScriptedUpstream.start();
        RunningProxy proxy = ProxySetup.before(upstream.port()).start();
        RawLdapClient client = proxy.client()) {
      upstream.when(RootDseIT::isMarked, Answers.entries(offered));
      return client.call(ROOT_DSE).get(0).body();
    }
  }

  /** Not one of Stoa's own reads. */
  private static boolean isMarked(Received request) {
    return request.isSearchFor("marked");
  }

  private static Entry rootDse() {
    Entry entry = new Entry("");
    entry.addAttribute("objectClass", "top");
    entry.addAttribute("namingContexts", "dc=example,dc=com");
    entry.addAttribute("supportedControl", List.of("1.2.840.113556.1.4.319", START_TLS));
    return entry;
  }
}
