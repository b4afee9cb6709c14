// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.limits;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Answer;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Records;
import io.stoa.testing.Requests;
import io.stoa.testing.Responses;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.upstream.connect.UpstreamTransport;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How connections to a server end, are replaced, or are kept, without a client noticing. */
class UpstreamLifeIT {
  private static final String X = People.dn(1);
  private static final String UNKNOWN_EXTENSION = "1.2.3.4.5.6.7";
  private static final String NOTICE = "1.3.6.1.4.1.1466.20036";
  private static final int UNAVAILABLE = 52;
  private static final int OTHER = 80;
  private static final int BUSY = 51;
  private static final int STRONGER_AUTH_REQUIRED = 8;
  private static final RawRequest READ = search(X).baseScope().request();

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private ScriptedUpstream upstream;

  @BeforeEach
  void start() {
    upstream = ScriptedUpstream.start();
    upstream.when(UpstreamLifeIT::isRead, Answers.entries(Answers.person("anna", "here")));
  }

  @AfterEach
  void stop() {
    upstream.close();
  }

  private ProxySetup setup() {
    return ProxySetup.before(upstream.port()).cachesOff();
  }

  private ProxySetup idleTimeout(Duration timeout) {
    return setup()
        .upstream("transport", Records.with(UpstreamTransport.DEFAULTS, "idleTimeout", timeout));
  }

  private static boolean isRead(Received request) {
    return request.isSearchFor(X);
  }

  private static boolean isRootDse(Received request) {
    return request.isSearchFor("objectClass") && !isRead(request);
  }

  private static long connections(RunningProxy proxy) {
    return proxy.status().backends().get(0).connections();
  }

  private int connectionOf(int read) {
    return upstream.received(UpstreamLifeIT::isRead).get(read).connection();
  }

  /** Answers with an entry, then says goodbye instead of the rest. */
  private static Answer noticeInTheMiddle() {
    return (request, link) -> {
      link.send(request.messageId(), Responses.entry(Answers.person("anna", "here")));
      Answers.noticeOfDisconnection(UNAVAILABLE).to(request, link);
    };
  }

  // Idle connections

  @Test
  void anIdleConnectionIsClosedPolitelyAndMadeAgain() {
    try (RunningProxy proxy = idleTimeout(Duration.ofMillis(300)).start();
        RawLdapClient client = proxy.client().bind(X, People.PASSWORD)) {
      assertThat(client.code(READ)).isZero();
      int first = connectionOf(0);
      Await.until("it is closed", () -> connections(proxy) == 0);
      upstream.awaitReceived(1, r -> r.is(Received.UNBIND) && r.connection() == first);
      assertThat(client.code(READ)).isZero();
      assertThat(connectionOf(1)).isNotEqualTo(first);
      assertThat(upstream.received(UpstreamLifeIT::isRead).get(1).identity()).isEqualTo(X);
    }
  }

  @Test
  void aConnectionWithStateIsKeptAlive() {
    try (RunningProxy proxy = idleTimeout(Duration.ofMillis(300)).start();
        RawLdapClient client = proxy.client().bind(X, People.PASSWORD)) {
      assertThat(client.code(Requests.extended(UNKNOWN_EXTENSION))).isZero();
      int own = upstream.received(r -> r.is(Received.EXTENDED)).get(0).connection();
      upstream.awaitReceived(3, request -> isRootDse(request) && request.connection() == own);
      assertThat(client.code(READ)).isZero();
      assertThat(connectionOf(0)).isEqualTo(own);
    }
  }

  @Test
  void aConnectionThatCannotBeReboundIsKeptAlive() {
    ProxySetup setup = idleTimeout(Duration.ofMillis(300)).upstream("keepPasswords", false);
    try (RunningProxy proxy = setup.start();
        RawLdapClient client = proxy.client().bind(X, People.PASSWORD)) {
      int bound = upstream.received(r -> r.is(Received.BIND)).get(0).connection();
      upstream.awaitReceived(3, request -> isRootDse(request) && request.connection() == bound);
      assertThat(client.code(READ)).isZero();
      assertThat(connectionOf(0)).isEqualTo(bound);
    }
  }

  @Test
  void aServerThatDoesNotAnswerKeepAliveIsDropped() {
    ProxySetup setup =
        idleTimeout(Duration.ofMillis(300)).upstream("connectTimeout", Duration.ofMillis(500));
    try (RunningProxy proxy = setup.start();
        RawLdapClient client = proxy.client().bind(X, People.PASSWORD)) {
      assertThat(client.code(Requests.extended(UNKNOWN_EXTENSION))).isZero();
      int own = upstream.received(r -> r.is(Received.EXTENDED)).get(0).connection();
      upstream.when(request -> request.connection() == own, Answers.silence());
      List<RawMessage> last = client.drain();
      assertThat(last).hasSize(1);
      assertThat(last.get(0).mentions(NOTICE)).isTrue();
    }
  }

  /** A client that itself is idle is not kept for ever. */
  @Test
  void keepingAConnectionAliveDoesNotKeepItsClient() {
    ProxySetup setup =
        idleTimeout(Duration.ofMillis(300)).limit("idleTimeout", Duration.ofSeconds(2));
    try (RunningProxy proxy = setup.start();
        RawLdapClient client = proxy.client().bind(X, People.PASSWORD)) {
      assertThat(client.code(Requests.extended(UNKNOWN_EXTENSION))).isZero();
      assertThat(client.drain()).hasSize(1);
      Await.until("its connection is closed", () -> connections(proxy) == 0);
    }
  }

  // Notice of Disconnection

  @Test
  void aSearchInFlightIsAskedAgainAfterANotice() {
    Held held = upstream.hold(UpstreamLifeIT::isRead);
    try (RunningProxy proxy = setup().start();
        RawLdapClient client = proxy.client()) {
      int id = client.send(READ);
      held.awaitArrival();
      held.answer(Answers.noticeOfDisconnection(UNAVAILABLE));
      List<RawMessage> answer = client.await(id);
      assertThat(answer).hasSize(2);
      assertThat(RawLdapClient.last(answer).resultCode()).isZero();
      assertThat(connectionOf(1)).isNotEqualTo(connectionOf(0));
    }
  }

  @Test
  void aSearchThatWasAnsweredInPartEndsUnavailable() {
    Held held = upstream.hold(UpstreamLifeIT::isRead);
    try (RunningProxy proxy = setup().start();
        RawLdapClient client = proxy.client()) {
      int id = client.send(READ);
      held.awaitArrival();
      held.answer(noticeInTheMiddle());
      List<RawMessage> answer = client.await(id);
      assertThat(RawLdapClient.last(answer).resultCode()).isEqualTo(UNAVAILABLE);
      assertThat(answer).hasSize(2);
      assertThat(client.code(READ)).isZero();
    }
  }

  @Test
  void aWriteInFlightIsNotRepeatedAndItsClientStays() {
    Held held = upstream.hold(request -> request.is(Received.MODIFY));
    try (RunningProxy proxy = setup().start();
        RawLdapClient client = proxy.client().bind(X, People.PASSWORD)) {
      int id = client.send(Requests.replace(X, "description", "new"));
      held.awaitArrival();
      held.answer(Answers.noticeOfDisconnection(UNAVAILABLE));
      assertThat(RawLdapClient.last(client.await(id)).resultCode()).isEqualTo(OTHER);
      assertThat(upstream.received(request -> request.is(Received.MODIFY))).hasSize(1);
      assertThat(client.code(READ)).isZero();
    }
  }

  @Test
  void aBindInFlightIsRetriedElsewhere() {
    Held held = upstream.hold(request -> request.is(Received.BIND));
    try (RunningProxy proxy = setup().start();
        RawLdapClient client = proxy.client()) {
      int id = client.send(Requests.bind(X, People.PASSWORD));
      held.awaitArrival();
      held.answer((request, link) -> link.send(0, Responses.noticeOfDisconnection(UNAVAILABLE)));
      assertThat(RawLdapClient.last(client.await(id)).resultCode()).isZero();
      assertThat(upstream.received(request -> request.is(Received.BIND)))
          .extracting(Received::connection)
          .doesNotHaveDuplicates()
          .hasSize(2);
    }
  }

  /**
   * What is in flight when the notice comes may still be answered; what comes later goes elsewhere.
   */
  @Test
  void noRequestIsSentAfterANotice() {
    Held held = upstream.hold(UpstreamLifeIT::isRead);
    try (RunningProxy proxy = setup().start();
        RawLdapClient client = proxy.client()) {
      int first = client.send(READ);
      held.awaitArrival();
      held.answer((request, link) -> link.send(0, Responses.noticeOfDisconnection(UNAVAILABLE)));
      assertThat(client.code(search(People.dn(2)).baseScope().request())).isZero();
      held.answer(Answers.entries(Answers.person("anna", "late")));
      assertThat(client.await(first).get(0).mentions("late")).isTrue();
    }
  }

  @Test
  void aNoticeOnAnOwnConnectionIsForwardedOnceAndEndsTheClient() {
    try (RunningProxy proxy = setup().start();
        RawLdapClient client = proxy.client().bind(X, People.PASSWORD)) {
      assertThat(client.code(Requests.extended(UNKNOWN_EXTENSION))).isZero();
      upstream.when(UpstreamLifeIT::isRead, Answers.noticeOfDisconnection(BUSY));
      client.send(READ);
      List<RawMessage> last = client.drain();
      assertThat(last).hasSize(1);
      assertThat(last.get(0).mentions(NOTICE)).isTrue();
      assertThat(last.get(0).resultCode()).isEqualTo(BUSY);
    }
  }

  // Signs of life

  @ParameterizedTest
  @ValueSource(ints = {1, 8, 13, 48, 53})
  void aServerThatRefusesAnonymousSearchesIsUp(int code) {
    upstream.when(UpstreamLifeIT::isRootDse, Answers.result(code));
    try (RunningProxy proxy = setup().startWithoutUpstream()) {
      proxy.awaitUp();
    }
  }

  @Test
  void aServerThatDisconnectsAnonymousClientsIsUp() {
    upstream.when(UpstreamLifeIT::isRootDse, Answers.noticeOfDisconnection(STRONGER_AUTH_REQUIRED));
    try (RunningProxy proxy = setup().startWithoutUpstream()) {
      proxy.awaitUp();
    }
  }

  @Test
  void aServerThatClosesTheConnectionIsDown() {
    upstream.when(UpstreamLifeIT::isRootDse, Answers.noticeOfDisconnection(UNAVAILABLE));
    try (RunningProxy proxy = setup().startWithoutUpstream()) {
      proxy.awaitReason(1, "server closed the connection without a response", "ldaps://");
      upstream.when(UpstreamLifeIT::isRootDse, Answers.result(0));
      proxy.awaitUp();
    }
  }

  /** It is asked on a connection beyond those that it may have, so that nothing waits for one. */
  @Test
  void theProbeUsesAConnectionBeyondTheLimit() {
    try (RunningProxy proxy = setup().upstream("maxConnections", 1).start();
        RawLdapClient client = proxy.client()) {
      holdConnection(client);
      upstream.when(UpstreamLifeIT::isRootDse, Answers.close());
      Await.until(
          "it is down", () -> !proxy.status().backends().get(0).state().name().equals("UP"));
      upstream.when(UpstreamLifeIT::isRootDse, Answers.result(0));
      proxy.awaitUp();
    }
  }

  /** The client's search waits for its answer. */
  private void holdConnection(RawLdapClient client) {
    Held search = upstream.hold(UpstreamLifeIT::isRead);
    client.send(READ);
    search.awaitArrival();
  }

  /** Active Directory writes each length in four octets. */
  @Test
  void aServerWithLongFormLengthsIsUp() {
    upstream.when(
        UpstreamLifeIT::isRootDse,
        (request, link) -> link.sendOctets(longForms(request.messageId())));
    try (RunningProxy proxy = setup().startWithoutUpstream()) {
      proxy.awaitUp();
    }
  }

  /** An answer that is none must not end the probing of the server. */
  @Test
  void aServerThatAnswersTheWrongOperationIsProbedAgain() {
    upstream.when(
        UpstreamLifeIT::isRootDse,
        (request, link) -> link.send(request.messageId(), Responses.result(Received.ADD, 0)));
    try (RunningProxy proxy = setup().startWithoutUpstream()) {
      upstream.awaitReceived(3, UpstreamLifeIT::isRootDse);
      upstream.when(UpstreamLifeIT::isRootDse, Answers.result(0));
      proxy.awaitUp();
    }
  }

  private static byte[] longForms(int id) {
    return new byte[] {
      0x30,
      (byte) 0x84,
      0,
      0,
      0,
      0x13,
      0x02,
      4,
      (byte) (id >> 24),
      (byte) (id >> 16),
      (byte) (id >> 8),
      (byte) id,
      0x65,
      (byte) 0x84,
      0,
      0,
      0,
      7,
      0x0a,
      1,
      0,
      0x04,
      0,
      0x04,
      0
    };
  }
}
