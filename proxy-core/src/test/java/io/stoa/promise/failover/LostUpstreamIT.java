// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.failover;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.asn1.ASN1Integer;
import com.unboundid.asn1.ASN1Sequence;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.FreePort;
import io.stoa.testing.Held;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import io.stoa.testing.Responses;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.upstream.balancing.BalanceConfig;
import io.stoa.upstream.balancing.BalanceConfig.Reads;
import io.stoa.upstream.balancing.Balancing;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Servers and connections that are lost: who is told what, and that nobody tries for ever. */
class LostUpstreamIT {
  private static final String X = People.dn(1);
  private static final String CANCEL = "1.3.6.1.1.8";
  private static final int BUSY = 51;
  private static final int UNWILLING_TO_PERFORM = 53;
  private static final int UNAVAILABLE = 52;
  private static final int CANNOT_CANCEL = 121;
  private static final int MAX_BINDS = 20;
  private static final Duration PROMPT = Duration.ofSeconds(5);
  private static final RawRequest READ = search(X).baseScope().request();

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private ScriptedUpstream upstream;

  @BeforeEach
  void start() {
    upstream = ScriptedUpstream.start();
  }

  @AfterEach
  void stop() {
    upstream.close();
  }

  private ProxySetup setup() {
    return ProxySetup.before(upstream.port()).cachesOff();
  }

  private static boolean isBind(Received request) {
    return request.is(Received.BIND);
  }

  private static boolean isRead(Received request) {
    return request.isSearchFor(X);
  }

  private void loseConnections(RunningProxy proxy) {
    upstream.dropConnections();
    Await.until("no connection is left", () -> proxy.status().backends().get(0).connections() == 0);
  }

  @Test
  void rebindsToABusyServerAreBounded() {
    ProxySetup impatient = setup().upstream("queueTimeout", Duration.ofSeconds(3));
    try (RunningProxy proxy = impatient.start();
        RawLdapClient client = proxy.client().bind(X, People.PASSWORD)) {
      upstream.when(LostUpstreamIT::isBind, Answers.result(BUSY));
      loseConnections(proxy);
      assertThat(client.patience(Duration.ofSeconds(15)).code(READ)).isIn(BUSY, UNAVAILABLE);
      assertThat(upstream.received(LostUpstreamIT::isBind)).hasSizeLessThan(MAX_BINDS);
    }
  }

  @Test
  void rebindsToASilentServerAreBounded() {
    ProxySetup impatient = setup().upstream("connectTimeout", Duration.ofMillis(500));
    try (RunningProxy proxy = impatient.start();
        RawLdapClient client = proxy.client().bind(X, People.PASSWORD)) {
      upstream.when(LostUpstreamIT::isBind, Answers.silence());
      loseConnections(proxy);
      assertThat(client.patience(Duration.ofSeconds(15)).code(READ)).isIn(BUSY, UNAVAILABLE);
      assertThat(upstream.received(LostUpstreamIT::isBind)).hasSizeLessThan(MAX_BINDS);
    }
  }

  @Test
  void aDedicatedClientIsRefusedWhenItsServerIsDown() {
    RawRequest page = READ.with(new SimplePagedResultsControl(1));
    try (RunningProxy proxy = setup().start();
        RawLdapClient client = proxy.client().bind(X, People.PASSWORD)) {
      assertThat(client.code(page)).isZero();
      upstream.goDown();
      assertThat(client.patience(PROMPT).code(page)).isEqualTo(UNAVAILABLE);
    }
  }

  @Test
  void aCancelOnALostConnectionIsNotRetried() {
    upstream.when(r -> r.is(Received.EXTENDED) && r.message().mentions(CANCEL), Answers.close());
    try (RunningProxy proxy = setup().start();
        RawLdapClient client = proxy.client()) {
      Held held = upstream.hold(LostUpstreamIT::isRead);
      int read = client.send(READ);
      held.awaitArrival();
      assertThat(client.code(cancel(read))).isEqualTo(CANNOT_CANCEL);
      assertThat(RawLdapClient.last(client.await(read)).resultCode()).isZero();
      assertThat(upstream.received(r -> r.message().mentions(CANCEL))).hasSize(1);
    }
  }

  private static RawRequest cancel(int messageId) {
    return Requests.extended(CANCEL, new ASN1Sequence(new ASN1Integer(messageId)).encode());
  }

  @Test
  void onlyAnonymousBindsSucceedWithoutServers() {
    upstream.goDown();
    try (RunningProxy proxy = setup().startWithoutUpstream();
        RawLdapClient client = proxy.client()) {
      assertThat(client.code(Requests.anonymousBind())).isZero();
      assertThat(client.code(Requests.bind(X, People.PASSWORD))).isEqualTo(UNAVAILABLE);
      assertThat(client.code(Requests.anonymousBind())).isZero();
    }
  }

  @Test
  void aServerThatWasNeverUpIsReportedDown() {
    int nobody = FreePort.next();
    try (RunningProxy proxy = ProxySetup.before(upstream.port(), nobody).start()) {
      proxy.awaitReason(2, "connection refused");
      assertThat(log.awaitWarningsOf("Health", 1)).hasSize(1);
      assertThat(proxy.status().ready()).isTrue();
    }
  }

  @Test
  void aLostClientWithoutAStoredPasswordIsDisconnected() {
    try (RunningProxy proxy = setup().upstream("keepPasswords", false).start();
        RawLdapClient client = proxy.client().bind(X, People.PASSWORD)) {
      assertThat(client.code(READ)).isZero();
      loseConnections(proxy);
      client.send(READ);
      List<RawMessage> told = client.drain();
      assertThat(told).hasSize(1);
      assertThat(told.get(0).messageId()).isZero();
      assertThat(told.get(0).opTag()).isEqualTo(RawMessage.EXTENDED_RESPONSE);
      assertThat(told.get(0).resultCode()).isEqualTo(UNAVAILABLE);
    }
  }

  @Test
  void dedicatedConnectionsAreRefusedWithoutStoredPasswords() {
    Control unknown = new Control("1.2.3.4", true);
    try (RunningProxy proxy = setup().upstream("keepPasswords", false).start();
        RawLdapClient client = proxy.client().bind(X, People.PASSWORD);
        RawLdapClient anonymous = proxy.client()) {
      assertThat(client.code(READ.with(unknown))).isEqualTo(UNWILLING_TO_PERFORM);
      assertThat(client.code(Requests.extended("1.2.3.4"))).isEqualTo(UNWILLING_TO_PERFORM);
      assertThat(client.code(READ)).isZero();
      assertThat(anonymous.code(READ.with(unknown))).isZero();
    }
  }

  @Test
  void aLackOfStoredPasswordsDisconnectsNoWaitingClient() {
    ProxySetup forgetful =
        setup().upstream("keepPasswords", false).upstream("maxInFlightPerConnection", 1);
    try (RunningProxy proxy = forgetful.start();
        RawLdapClient one = proxy.client().bind(X, People.PASSWORD);
        RawLdapClient other = proxy.client().bind(X, People.PASSWORD)) {
      Held held = upstream.hold(LostUpstreamIT::isRead);
      int first = one.send(READ);
      held.awaitArrival();
      int second = one.send(READ);
      int third = other.send(READ);
      held.answer(Answers.success());
      assertThat(RawLdapClient.last(one.await(first)).resultCode()).isZero();
      assertThat(RawLdapClient.last(one.await(second)).resultCode()).isZero();
      assertThat(RawLdapClient.last(other.await(third)).resultCode()).isZero();
    }
  }

  /** The one that is left ends, and serves nobody else: it is no reason to wait. */
  @Test
  void aReadMovesToAnotherServerWhileASearchEnds() {
    RawRequest search = search("ou=long").request();
    BalanceConfig inOrder =
        new BalanceConfig(List.of(Balancing.FAILOVER), Reads.ALL, Duration.ZERO, Duration.ZERO);
    try (ScriptedUpstream second = ScriptedUpstream.start();
        RunningProxy proxy = before(inOrder, upstream.port(), second.port());
        RawLdapClient client = proxy.client().bind(X, People.PASSWORD)) {
      final Held underWay = upstream.hold(request -> request.isSearchFor("ou=long"));
      final Held read = upstream.hold(LostUpstreamIT::isRead);
      final int first = client.send(search);
      final int then = client.send(READ);
      underWay.answer(
          (request, link) -> link.send(0, Responses.noticeOfDisconnection(UNAVAILABLE)));
      read.answer(Answers.success());
      assertThat(RawLdapClient.last(client.await(then)).resultCode()).isZero();
      upstream.refuseConnections();
      assertThat(client.code(READ)).isZero();
      assertThat(second.received(LostUpstreamIT::isRead)).hasSize(1);
      underWay.answer(Answers.success());
      assertThat(RawLdapClient.last(client.await(first)).resultCode()).isZero();
    }
  }

  private static RunningProxy before(BalanceConfig balance, int... ports) {
    return ProxySetup.before(ports)
        .cachesOff()
        .replay("bindAffinity", false)
        .upstream("balance", balance)
        .start()
        .awaitUp(ports.length);
  }
}
