// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.tls;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import io.stoa.net.tls.TlsConfig;
import io.stoa.testing.Await;
import io.stoa.testing.Certificates;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Records;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import io.stoa.testing.SlapdConfig.Database;
import io.stoa.upstream.connect.UpstreamTransport;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** slapd, told by the PROXY protocol whose connections those of Stoa are. */
class ProxyProtocolOutIT {
  private static final Control PAGED = new SimplePagedResultsControl(1, null, true);

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  /** slapd logs the told address in place of that of the socket; LOCAL ones keep the latter. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aDedicatedConnectionCarriesItsClientsAddress(boolean tls) {
    try (Certificates authority = Certificates.create();
        Slapd slapd = Slapd.start(People.slapd(3).tls(authority, authority.server()))) {
      slapd.expectProxyProtocol();
      slapd.logOperations();
      try (RunningProxy proxy = setup(tls ? slapd.ldapsUrl() : slapd.url(), authority).start();
          RawLdapClient client = proxy.client().bind(People.dn(1), People.PASSWORD)) {
        assertThat(client.code(People.find(2))).isZero();
        assertThat(acceptedFrom(slapd, client.port())).isFalse();
        assertThat(client.code(Requests.search(People.SUFFIX).request().with(PAGED))).isZero();
        Await.until("slapd tells", () -> acceptedFrom(slapd, client.port()));
      }
    }
  }

  /** slapd lets see by address, and is told that of each client that has bound by SASL. */
  @Test
  void clientsOfDifferentAddressesShareNoHits() {
    try (Slapd slapd = Slapd.start(byAddress(People.saslSlapd(3)))) {
      slapd.expectProxyProtocol();
      slapd.restart();
      try (RunningProxy proxy = saslSetup(slapd.url()).start();
          RawLdapClient seeing = bound(RawLdapClient.from("127.0.0.2", proxy.address()));
          RawLdapClient blind = bound(proxy.client());
          RawLdapClient again = bound(RawLdapClient.from("127.0.0.2", proxy.address()))) {
        for (int round = 0; round < 2; round++) {
          assertThat(describes(seeing)).isTrue();
          assertThat(describes(blind)).isFalse();
          assertThat(describes(again)).isTrue();
        }
        assertThat(proxy.cache().filterMisses()).isEqualTo(2);
      }
    }
  }

  private static SlapdConfig byAddress(SlapdConfig people) {
    String access =
        """
        access to attrs=userPassword by * auth
        access to attrs=description by peername.ip=127.0.0.2 read by * none
        access to * by * read
        """;
    Database all = people.databases().get(0);
    Database restricted = new Database(all.suffix(), access, all.ldif());
    return Records.with(people, "databases", List.of(restricted));
  }

  private static ProxySetup saslSetup(String url) {
    return ProxySetup.beforeUrls(url)
        .maxAge(Duration.ofHours(1))
        .upstream("transport", Records.with(UpstreamTransport.DEFAULTS, "proxyProtocol", true));
  }

  private static RawLdapClient bound(RawLdapClient client) {
    String token = "\0" + People.user(1) + "\0" + People.PASSWORD;
    assertThat(client.code(Requests.saslBind("PLAIN", token))).isZero();
    return client;
  }

  private static boolean describes(RawLdapClient client) {
    RawRequest request =
        Requests.search(People.dn(2)).baseScope().attributes("description").request();
    List<RawMessage> answer = client.call(request);
    assertThat(answer).hasSize(2);
    return answer.get(0).mentions("description");
  }

  private static boolean acceptedFrom(Slapd slapd, int port) {
    Pattern accept = Pattern.compile("ACCEPT from IP=127\\.0\\.0\\.1:" + port + " ");
    return accept.matcher(slapd.log()).find();
  }

  private static ProxySetup setup(String url, Certificates authority) {
    UpstreamTransport transport = Records.with(UpstreamTransport.DEFAULTS, "proxyProtocol", true);
    TlsConfig tls = TlsConfig.DEFAULTS.trusting(authority.ca());
    return ProxySetup.beforeUrls(url)
        .cachesOff()
        .upstream("transport", Records.with(transport, "tls", tls));
  }
}
