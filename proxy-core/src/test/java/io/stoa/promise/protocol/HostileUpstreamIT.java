// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.protocol;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Entry;
import io.stoa.testing.Answer;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import io.stoa.testing.Responses;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.Tlv;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Directories that break the protocol, fall silent or die: the client gets unavailable or busy, or
 * is disconnected; never a wrong answer; and nothing of it is kept.
 */
class HostileUpstreamIT {
  private static final int OTHER = 80;
  private static final Integer[] UNAVAILABLE_OR_BUSY = {52, 51};
  private static final Entry ANNA = Answers.person("anna", "first");
  private static final RawRequest FIND_ANNA =
      search("dc=example,dc=com").filter("(uid=anna)").request();

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private ScriptedUpstream upstream;

  @BeforeEach
  void startUpstream() {
    upstream = ScriptedUpstream.start();
  }

  @AfterEach
  void stopUpstream() {
    upstream.close();
  }

  private ProxySetup setup() {
    return ProxySetup.before(upstream.port()).operationTimeout(Duration.ofSeconds(2));
  }

  @Test
  void anUpstreamThatRefusesIsUnavailable() {
    upstream.goDown();
    try (RunningProxy proxy = setup().startWithoutUpstream();
        RawLdapClient client = proxy.client()) {
      assertThat(proxy.status().ready()).isFalse();
      assertThat(client.code(FIND_ANNA)).isIn((Object[]) UNAVAILABLE_OR_BUSY);
      assertThat(client.code(Requests.bind("cn=x", "y"))).isIn((Object[]) UNAVAILABLE_OR_BUSY);
    }
  }

  @Test
  void anUpstreamThatComesBackIsUsed() {
    upstream.goDown();
    upstream.when(request -> request.isSearchFor("anna"), Answers.entries(ANNA));
    try (RunningProxy proxy = setup().startWithoutUpstream();
        RawLdapClient client = proxy.client()) {
      upstream.comeBack();
      Await.until("the proxy is ready", () -> proxy.status().ready());
      assertThat(client.call(FIND_ANNA)).hasSize(2);
    }
  }

  /** The backlog is full: connects neither succeed nor fail. */
  @Test
  void anUpstreamThatHangsOnConnectIsUnavailable() throws IOException {
    List<Socket> fillers = new ArrayList<>();
    try (ServerSocket hanging = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      fillBacklog(hanging, fillers);
      ProxySetup setup =
          ProxySetup.before(hanging.getLocalPort())
              .upstream("connectTimeout", Duration.ofSeconds(1))
              .upstream("queueTimeout", Duration.ofSeconds(2));
      try (RunningProxy proxy = setup.startWithoutUpstream();
          RawLdapClient client = proxy.client()) {
        assertThat(client.code(FIND_ANNA)).isIn((Object[]) UNAVAILABLE_OR_BUSY);
      }
    } finally {
      for (Socket filler : fillers) {
        filler.close();
      }
    }
  }

  private static void fillBacklog(ServerSocket server, List<Socket> fillers) throws IOException {
    try {
      for (int i = 0; i < 16; i++) {
        Socket filler = new Socket();
        fillers.add(filler);
        filler.connect(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort()), 300);
      }
    } catch (SocketTimeoutException full) {
      return;
    }
    throw new AssertionError("the backlog never filled");
  }

  @Test
  void aSearchAtASilentUpstreamTimesOut() {
    try (RunningProxy proxy = setup().start();
        RawLdapClient client = proxy.client()) {
      upstream.when(request -> request.isSearchFor("anna"), Answers.silence());
      assertThat(client.code(FIND_ANNA)).isIn((Object[]) UNAVAILABLE_OR_BUSY);
      assertNothingWasKept(proxy, client);
    }
  }

  @Test
  void aSilentUpstreamIsNotReady() {
    upstream.always(Answers.silence());
    try (RunningProxy proxy = setup().startWithoutUpstream();
        RawLdapClient client = proxy.client()) {
      assertThat(client.code(FIND_ANNA)).isIn((Object[]) UNAVAILABLE_OR_BUSY);
      Await.until("it is asked", () -> !upstream.received().isEmpty());
      assertThat(proxy.status().ready()).isFalse();
    }
  }

  @Test
  void aBindToASilentUpstreamTimesOut() {
    try (RunningProxy proxy = setup().start();
        RawLdapClient client = proxy.client()) {
      upstream.when(request -> request.is(Received.BIND), Answers.silence());
      assertThat(client.code(Requests.bind("uid=anna,dc=example,dc=com", "secret")))
          .isIn((Object[]) UNAVAILABLE_OR_BUSY);
    }
  }

  @Test
  void aTruncatedEntryIsNotCached() {
    assertBrokenAnswerIsNotServed(Answers.halfEntryThenClose(ANNA));
  }

  @Test
  void entriesWithoutAResultAreNotCached() {
    assertBrokenAnswerIsNotServed(Answers.onlyEntries(ANNA).then(Answers.close()));
  }

  @Test
  void aNoticeOfDisconnectionIsNotAnAnswer() {
    assertBrokenAnswerIsNotServed(
        Answers.onlyEntries(ANNA).then(Answers.noticeOfDisconnection(52)));
  }

  /** What the client makes of it is its own affair: a proxy does not mend answers. */
  @Test
  void aMalformedEntryIsNotCached() {
    try (RunningProxy proxy = setup().start()) {
      upstream.when(
          request -> request.isSearchFor("anna"),
          Answers.malformedEntry("uid=anna,dc=example,dc=com").then(Answers.success()));
      try (RawLdapClient client = proxy.client()) {
        client.send(FIND_ANNA);
        assertThat(untilFinalOrClosed(client)).isNotEmpty();
      }
      try (RawLdapClient client = proxy.client()) {
        assertNothingWasKept(proxy, client);
      }
    }
  }

  @Test
  void octetsThatAreNoLdapMessageAreNotCached() {
    assertBrokenAnswerIsNotServed(
        (request, link) -> link.sendOctets(Tlv.hex("30 84 7f ff ff ff 02 01")));
  }

  /** The first answer is broken, always: the client hears of it, and the next one asks again. */
  private void assertBrokenAnswerIsNotServed(Answer broken) {
    try (RunningProxy proxy = setup().start()) {
      upstream.when(request -> request.isSearchFor("anna"), broken);
      try (RawLdapClient client = proxy.client()) {
        client.send(FIND_ANNA);
        List<RawMessage> answer = untilFinalOrClosed(client);
        assertThat(answer).noneMatch(m -> m.isFinal() && m.resultCode() == 0);
      }
      try (RawLdapClient client = proxy.client()) {
        assertNothingWasKept(proxy, client);
      }
    }
  }

  private static List<RawMessage> untilFinalOrClosed(RawLdapClient client) {
    List<RawMessage> messages = new ArrayList<>();
    for (var next = client.next(); next.isPresent(); next = client.next()) {
      messages.add(next.get());
      if (next.get().isFinal()) {
        break;
      }
    }
    return messages;
  }

  private void assertNothingWasKept(RunningProxy proxy, RawLdapClient client) {
    upstream.when(request -> request.isSearchFor("anna"), Answers.entries(ANNA));
    Await.until("the proxy is ready again", () -> proxy.status().ready());
    int before = upstream.received(request -> request.isSearchFor("anna")).size();
    assertThat(client.call(FIND_ANNA)).hasSize(2);
    assertThat(upstream.received(request -> request.isSearchFor("anna"))).hasSize(before + 1);
  }

  @Test
  void anAnswerWithAnUnknownMessageIdIsDropped() {
    try (RunningProxy proxy = setup().start();
        RawLdapClient client = proxy.client();
        RawLdapClient other = proxy.client()) {
      upstream.when(
          request -> request.isSearchFor("anna"), Answers.unknownId().then(Answers.entries(ANNA)));
      client.send(9, FIND_ANNA);
      RawMessage first = client.next().orElseThrow();
      assertThat(first.messageId()).isEqualTo(9);
      assertThat(other.closesWithin(Duration.ofMillis(200))).isFalse();
    }
  }

  @Test
  void entriesAfterTheResultAreDropped() {
    try (RunningProxy proxy = setup().start()) {
      upstream.when(
          request -> request.isSearchFor("anna"),
          Answers.entries(ANNA).then(Answers.onlyEntries(Answers.person("late", "late"))));
      try (RawLdapClient client = proxy.client()) {
        assertThat(client.call(FIND_ANNA)).hasSize(2);
        List<RawMessage> again = client.call(FIND_ANNA);
        assertThat(again).hasSize(2).noneMatch(message -> message.mentions("late"));
        assertThat(client.closesWithin(Duration.ofMillis(200))).isFalse();
      }
    }
  }

  @Test
  void anAnswerOfTheWrongTypeIsNotForwarded() {
    assertBrokenAnswerIsNotServed(
        (request, link) -> link.send(request.messageId(), Responses.result(Received.DELETE, 0)));
  }

  /** A reader that skips the lengths finds the code of success. */
  @Test
  void aBindResultWithTheCodeOutsideOfItGivesNoIdentity() {
    assertNoIdentity(
        (request, link) ->
            link.sendOctets(
                Tlv.of(0x30, Tlv.integer(0x02, request.messageId()), Tlv.hex("61 00 0a 01 00"))));
  }

  @Test
  void aBindResultThatIsTooLargeToBeCollectedGivesNoIdentity() {
    assertNoIdentity(
        (request, link) ->
            link.send(request.messageId(), Responses.saslStep(0, "x".repeat(2 << 20))));
  }

  /** No connection is bound for the client's next request. */
  private void assertNoIdentity(Answer result) {
    try (RunningProxy proxy = setup().start();
        RawLdapClient client = proxy.client()) {
      upstream.when(request -> request.is(Received.BIND), result);
      client.call(Requests.bind("uid=anna,dc=example,dc=com", "secret"));
      upstream.when(request -> request.isSearchFor("anna"), Answers.entries(ANNA));
      assertThat(client.call(FIND_ANNA)).hasSize(2);
      assertThat(upstream.received(request -> request.is(Received.BIND))).hasSize(1);
    }
  }

  @Test
  void tornAnswersAreWhole() {
    try (RunningProxy proxy = setup().start();
        RawLdapClient client = proxy.client()) {
      upstream.when(request -> request.isSearchFor("anna"), Answers.tornEntries(ANNA));
      List<RawMessage> answer = client.call(FIND_ANNA);
      assertThat(answer.get(0).op()).isEqualTo(Responses.entry(ANNA).op());
    }
  }

  @Test
  void answersMayComeInAnotherOrder() {
    try (RunningProxy proxy = setup().start();
        RawLdapClient client = proxy.client()) {
      Held first = upstream.hold(request -> request.isSearchFor("first"));
      Held second = upstream.hold(request -> request.isSearchFor("second"));
      client.send(1, search("ou=first,dc=example,dc=com").request());
      client.send(2, search("ou=second,dc=example,dc=com").request());
      first.awaitArrival();
      second.answer(Answers.entries(Answers.person("second", "second")));
      assertThat(client.await(2).get(0).mentions("second")).isTrue();
      first.answer(Answers.entries(Answers.person("first", "first")));
      assertThat(client.await(1).get(0).mentions("first")).isTrue();
    }
  }

  /** A notification about somebody else's connection must not end up with any client. */
  @Test
  void aNoticeOfDisconnectionFailsOnlyOperationsInFlight() {
    try (RunningProxy proxy = setup().start();
        RawLdapClient idle = proxy.client();
        RawLdapClient writing = proxy.client()) {
      upstream.when(request -> request.is(Received.DELETE), Answers.noticeOfDisconnection(52));
      assertThat(writing.code(Requests.delete("uid=anna,dc=example,dc=com"))).isEqualTo(OTHER);
      assertThat(idle.closesWithin(Duration.ofMillis(200))).isFalse();
    }
  }
}
