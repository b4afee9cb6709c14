// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.net.tls.TlsConfig;
import io.stoa.net.tls.TlsContexts;
import io.stoa.net.tls.TlsException;
import io.stoa.testing.Certificates;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** StartTLS of a client whose listener has a certificate (RFC 4511, section 4.14). */
class ClientTlsTest {
  private static final String OID = "1.3.6.1.4.1.1466.20037";
  private static final RawRequest START_TLS = Requests.extended(OID);
  private static final RawRequest SEARCH = Requests.search("dc=x").request();

  private static final TlsContexts CONTEXTS = new TlsContexts();
  private static Certificates certificates;
  private static TlsConfig config;

  private final ClientBench bench;

  @BeforeAll
  static void createCertificate() {
    certificates = Certificates.create();
    Certificates.Pair own = certificates.server();
    config = TlsConfig.DEFAULTS.identity(own.certificate(), own.key());
  }

  @AfterAll
  static void close() {
    CONTEXTS.close();
    certificates.close();
  }

  ClientTlsTest() throws TlsException {
    bench = new ClientBench(ClientLimits.DEFAULTS, CONTEXTS.server(config), true);
  }

  @AfterEach
  void end() {
    bench.channel.hangUp();
  }

  @Test
  void startTlsIsAcceptedWithoutOperationsInFlight() {
    bench.send(1, START_TLS);
    assertThat(bench.received()).containsExactly("1 0");
    assertThat(bench.client.state()).isEqualTo(ClientState.STARTING_TLS);
  }

  @Test
  void startTlsIsRefusedWhileAnOperationIsInFlight() {
    bench.send(1, SEARCH);
    bench.send(2, START_TLS);
    assertThat(bench.received()).containsExactly("2 1");
    assertThat(bench.client.state()).isEqualTo(ClientState.READY);
  }

  @Test
  void startTlsIsAcceptedAfterTheLastResponse() {
    bench.send(1, SEARCH);
    bench.answer(0);
    bench.send(2, START_TLS);
    assertThat(bench.received()).containsExactly("2 0");
  }

  @Test
  void startTlsWithAValueIsRefused() {
    bench.send(1, Requests.extended(OID, new byte[] {1}));
    assertThat(bench.received()).containsExactly("1 2");
  }

  @Test
  void startTlsEndsTheStateOfTheFormerIdentity() {
    List<String> ended = new ArrayList<>();
    bench.client.onReset(() -> ended.add("state"));
    bench.send(1, START_TLS);
    assertThat(ended).containsExactly("state");
  }

  /** Octets sent before TLS may come from an attacker (CVE-2011-0411 of Postfix). */
  @Test
  void requestsReceivedWithStartTlsAreDiscarded() {
    bench.sendTogether(START_TLS.encode(1), SEARCH.encode(2));
    assertThat(bench.received()).containsExactly("1 0");
    assertThat(bench.upstream.received()).isZero();
    assertThat(bench.client.hasWaitingRequests()).isFalse();
    assertThat(bench.channel.isOpen()).isTrue();
  }

  @Test
  void requestsThatWaitBehindStartTlsAreDiscarded() {
    bench.sendTogether(SEARCH.encode(1), Requests.anonymousBind().encode(2), SEARCH.encode(3));
    bench.client.onStartTls();
    assertThat(bench.client.hasWaitingRequests()).isFalse();
  }

  @Test
  void aHandshakeThatIsNotTlsEndsTheConnection() {
    bench.send(1, START_TLS);
    bench.send(2, SEARCH);
    assertThat(bench.channel.isOpen()).isFalse();
    assertThat(bench.upstream.received()).isZero();
  }
}
