// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.OpType;
import io.stoa.operation.LatencyHistogram;
import io.stoa.operation.Rejection;
import io.stoa.operation.Restriction;
import io.stoa.operation.event.CacheOutcome;
import io.stoa.operation.event.ClientTimeout;
import io.stoa.testing.Answers;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Records;
import io.stoa.testing.Requests;
import io.stoa.testing.Responses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One client connection: its order of requests and responses, its limits, and its end. */
class ClientConnectionTest {
  private static final RawRequest SEARCH = Requests.search("dc=x").request();
  private static final RawRequest BIND = Requests.bind("cn=anna,dc=x", "secret");
  private static final int PROTOCOL_ERROR = 2;
  private static final int UNAVAILABLE = 52;
  private static final int SMALL_FRAME = 1024;

  private ClientBench bench = new ClientBench();

  @AfterEach
  void end() {
    bench.channel.hangUp();
  }

  private void use(String limit, Object value) {
    end();
    bench = new ClientBench(Records.with(ClientLimits.DEFAULTS, limit, value));
  }

  private void bind() {
    bench.send(100, BIND);
    bench.answer(0);
  }

  private int pending() {
    return bench.upstream.open().size();
  }

  /** Asserts that the client was disconnected, with a notice that has the code. */
  private void assertDisconnected(int code) {
    List<RawMessage> sent = bench.channel.sent();
    RawMessage last = sent.get(sent.size() - 1);
    assertThat(last.messageId()).isZero();
    assertThat(last.mentions("1.3.6.1.4.1.1466.20036")).isTrue();
    assertThat(last.resultCode()).isEqualTo(code);
    assertThat(bench.channel.isOpen()).isFalse();
  }

  // Requests and responses

  @Test
  void aResponseHasTheMessageIdOfItsRequest() {
    bench.send(7, SEARCH);
    bench.upstream.entry(Answers.person("anna", "x"));
    bench.upstream.answer(0);
    assertThat(bench.received()).containsExactly("7 part", "7 0");
  }

  @Test
  void responsesFollowTheOrderOfTheServerAndNotOfTheRequests() {
    bench.send(1, SEARCH);
    bench.send(2, Requests.delete("dc=x"));
    bench.upstream.answer(op -> op[0] == 0x4a, Responses.result(0x4a, 50));
    bench.upstream.answer(0);
    assertThat(bench.received()).containsExactly("2 50", "1 0");
  }

  @Test
  void aMessageIdCanBeUsedAgainAfterItsResponse() {
    bench.send(1, SEARCH);
    bench.answer(0);
    bench.send(1, SEARCH);
    bench.upstream.answer(32);
    assertThat(bench.received()).containsExactly("1 32");
  }

  @Test
  void aMalformedRequestEndsTheConnectionWithANotice() {
    bench.channel.send(new byte[] {0x30, 0x03, 0x02, 0x01, 0x01});
    assertDisconnected(PROTOCOL_ERROR);
  }

  @Test
  void octetsThatAreNotLdapEndTheConnectionWithANotice() {
    bench.channel.send("GET / HTTP/1.1\r\n".getBytes(UTF_8));
    assertDisconnected(PROTOCOL_ERROR);
  }

  @Test
  void messageId0EndsTheConnectionWithANotice() {
    bench.send(0, SEARCH);
    assertDisconnected(PROTOCOL_ERROR);
    assertThat(bench.upstream.received()).isZero();
  }

  @Test
  void aMessageIdInUseEndsTheConnectionWithANotice() {
    bench.send(1, SEARCH);
    bench.send(1, SEARCH);
    assertDisconnected(PROTOCOL_ERROR);
    assertThat(bench.upstream.received()).isOne();
  }

  @Test
  void aResponseOfAClientEndsTheConnectionWithANotice() {
    bench.send(1, Responses.searchDone(0));
    assertDisconnected(PROTOCOL_ERROR);
  }

  @Test
  void requestsBehindAMalformedOneAreNotProcessed() {
    bench.sendTogether(SEARCH.encode(0), SEARCH.encode(2));
    assertThat(bench.upstream.received()).isZero();
  }

  @Test
  void requestsBeforeAMalformedOneAreAbandoned() {
    bench.send(1, SEARCH);
    bench.send(0, SEARCH);
    bench.upstream.answer(0);
    assertThat(bench.received()).hasSize(1);
    assertThat(bench.client.operations().size()).isZero();
  }

  // Durations

  @Test
  void operationsAnsweredInTheirReadHaveOneDuration() {
    RawRequest startTls = Requests.extended("1.3.6.1.4.1.1466.20037");
    bench.sendTogether(startTls.encode(1), startTls.encode(2), SEARCH.encode(3));
    LatencyHistogram refused = durations(OpType.EXTENDED_REQUEST);
    assertThat(refused.counts()).containsOnlyOnce(2).doesNotContain(1);
    assertThat(durations(OpType.SEARCH_REQUEST).sum()).isZero();
    bench.upstream.answer(0);
    assertThat(durations(OpType.SEARCH_REQUEST).counts()).containsOnlyOnce(1);
    assertThat(refused.counts()).containsOnlyOnce(2).doesNotContain(1);
  }

  @Test
  void theDurationOfAnOperationAnsweredInItsReadIsRecordedWhenTheConnectionEndsInTheRead() {
    RawRequest startTls = Requests.extended("1.3.6.1.4.1.1466.20037");
    bench.sendTogether(startTls.encode(1), SEARCH.encode(0));
    assertDisconnected(PROTOCOL_ERROR);
    assertThat(durations(OpType.EXTENDED_REQUEST).counts()).containsOnlyOnce(1);
  }

  private LatencyHistogram durations(OpType type) {
    return bench.client.counters().latencies().histogram(type, CacheOutcome.NONE);
  }

  // Abandon, cancel and unbind

  @Test
  void anAbandonedOperationHasNoResponse() {
    bench.send(1, SEARCH);
    bench.send(2, Requests.abandon(1));
    bench.upstream.answer(0);
    assertThat(bench.received()).isEmpty();
  }

  @Test
  void anAbandonOfAnUnknownMessageIdIsIgnored() {
    bench.send(1, SEARCH);
    bench.send(2, Requests.abandon(3));
    bench.upstream.answer(0);
    assertThat(bench.received()).containsExactly("1 0");
  }

  @Test
  void aCancelAnswersTheCancelledOperationFirst() {
    bench.send(1, SEARCH);
    bench.send(2, cancel(1));
    assertThat(bench.received()).containsExactly("1 118", "2 0");
  }

  @Test
  void aCancelOfAnUnknownMessageIdIsForwarded() {
    bench.send(2, cancel(1));
    assertThat(bench.upstream.received()).isOne();
  }

  private static RawRequest cancel(int id) {
    return Requests.extended("1.3.6.1.1.8", new byte[] {0x30, 3, 2, 1, (byte) id});
  }

  @Test
  void anUnbindClosesTheConnectionWithoutANotice() {
    bench.send(1, SEARCH);
    bench.send(2, Requests.unbind());
    assertThat(bench.channel.sent()).isEmpty();
    assertThat(bench.channel.isOpen()).isFalse();
    assertThat(bench.client.operations().size()).isZero();
  }

  @Test
  void requestsBehindAnUnbindAreNotProcessed() {
    bench.sendTogether(Requests.unbind().encode(1), SEARCH.encode(2));
    assertThat(bench.upstream.received()).isZero();
  }

  @Test
  void aClientThatHangsUpAbandonsItsOperations() {
    bench.send(1, SEARCH);
    bench.channel.hangUp();
    assertThat(bench.client.operations().size()).isZero();
    assertThat(bench.client.isOpen()).isFalse();
  }

  @Test
  void theWaitingRequestsOfAClientThatHangsUpAreDiscarded() {
    use("operationsInFlight", 1);
    bench.sendTogether(SEARCH.encode(1), SEARCH.encode(2));
    bench.channel.hangUp();
    assertThat(bench.client.hasWaitingRequests()).isFalse();
    assertThat(bench.upstream.received()).isOne();
  }

  // Binds

  @Test
  void aSuccessfulBindGivesTheClientItsIdentity() {
    bind();
    assertThat(new String(bench.client.identity().dn(), UTF_8)).isEqualTo("cn=anna,dc=x");
  }

  @Test
  void aFailedBindLeavesTheClientAnonymous() {
    bind();
    bench.send(1, BIND);
    bench.answer(49);
    assertThat(bench.client.identity().isAnonymous()).isTrue();
  }

  @Test
  void aRejectedBindLeavesTheClientAnonymous() {
    bind();
    bench.send(1, BIND);
    bench.upstream.lose(Rejection.UPSTREAM_LOST);
    assertThat(bench.received()).containsExactly("1 52");
    assertThat(bench.client.identity().isAnonymous()).isTrue();
  }

  @Test
  void aBindWithANameAndNoPasswordIsAnonymous() {
    bench.send(1, Requests.bind("cn=anna,dc=x", ""));
    bench.answer(0);
    assertThat(bench.client.identity().isAnonymous()).isTrue();
  }

  @Test
  void theStateOfTheFormerIdentityEndsWhenABindBegins() {
    bind();
    bench.client.restrict(Restriction.EXCLUSIVE);
    List<String> ended = new ArrayList<>();
    bench.client.onReset(() -> ended.add("state"));
    bench.send(1, BIND);
    assertThat(ended).containsExactly("state");
    assertThat(bench.client.restriction()).isEqualTo(Restriction.NONE);
    assertThat(bench.client.identity().isAnonymous()).isTrue();
  }

  @Test
  void aBindWaitsForTheOperationsInFlight() {
    bench.send(1, SEARCH);
    bench.send(2, BIND);
    assertThat(pending()).isOne();
    bench.answer(0);
    assertThat(bench.upstream.oldest().messageId()).isEqualTo(2);
  }

  @Test
  void requestsBehindABindWaitForItsResult() {
    bench.sendTogether(BIND.encode(1), SEARCH.encode(2), SEARCH.encode(3));
    assertThat(pending()).isOne();
    assertThat(bench.answer(0)).hasSize(1);
    assertThat(pending()).isEqualTo(2);
  }

  @Test
  void aRequestBehindABindIsPerformedWithTheNewIdentity() {
    bench.sendTogether(BIND.encode(1), SEARCH.encode(2));
    bench.answer(0);
    assertThat(bench.upstream.oldest().session().identity().isAnonymous()).isFalse();
  }

  @Test
  void aBindAbandonsSearchesThatNeverEnd() {
    bench.send(1, SEARCH);
    assertThat(bench.client.admitLongLived(bench.upstream.oldest())).isTrue();
    bench.send(2, BIND);
    assertThat(bench.upstream.received()).isEqualTo(2);
    assertThat(bench.client.operations().get(1)).isNull();
  }

  @ParameterizedTest
  @CsvSource({"EXTERNAL, 7", "'', 7"})
  void aSaslMechanismThatIsNotForwardedIsRefused(String mechanism, int code) {
    bench.send(1, Requests.saslBind(mechanism));
    assertThat(bench.received()).containsExactly("1 " + code);
    assertThat(bench.upstream.received()).isZero();
  }

  @Test
  void aBindNameThatBeginsWithNulIsRefused() {
    bench.send(1, Requests.bind("\0stoa", "secret"));
    assertThat(bench.received()).containsExactly("1 34");
  }

  @Test
  void aPasswordOverAnUnprotectedConnectionIsRefusedIfTlsIsRequired() {
    end();
    bench = new ClientBench(ClientLimits.DEFAULTS, null, true);
    bench.send(1, BIND);
    bench.send(2, Requests.anonymousBind());
    assertThat(bench.received()).containsExactly("1 13");
    assertThat(bench.upstream.oldest().messageId()).isEqualTo(2);
  }

  @Test
  void startTlsIsRefusedWithoutACertificate() {
    bench.send(1, Requests.extended("1.3.6.1.4.1.1466.20037"));
    assertThat(bench.received()).containsExactly("1 2");
    assertThat(bench.upstream.received()).isZero();
  }

  // Limits

  @Test
  void readingPausesAtTheMaximumOfOperationsInFlight() {
    use("operationsInFlight", 2);
    bench.send(1, SEARCH);
    assertThat(bench.channel.isRead()).isTrue();
    bench.send(2, SEARCH);
    assertThat(bench.channel.isRead()).isFalse();
    bench.answer(0);
    assertThat(bench.channel.isRead()).isTrue();
  }

  @Test
  void requestsAboveTheMaximumOfOperationsInFlightWaitInOrder() {
    use("operationsInFlight", 2);
    bench.sendTogether(
        SEARCH.encode(1), SEARCH.encode(2), SEARCH.encode(3), SEARCH.encode(4), SEARCH.encode(5));
    assertThat(pending()).isEqualTo(2);
    bench.answer(0);
    assertThat(pending()).isEqualTo(2);
    assertThat(bench.upstream.received()).isEqualTo(3);
    assertThat(bench.client.hasWaitingRequests()).isTrue();
    bench.upstream.answerAll();
    assertThat(bench.received()).containsExactly("2 0", "3 0", "4 0", "5 0");
  }

  @Test
  void searchesThatNeverEndDoNotCountAsOperationsInFlight() {
    use("operationsInFlight", 1);
    bench.send(1, SEARCH);
    bench.client.admitLongLived(bench.upstream.oldest());
    bench.client.proceed();
    assertThat(bench.channel.isRead()).isTrue();
  }

  @Test
  void theSearchAboveTheMaximumOfLongLivedOnesIsNotAdmitted() {
    use("longLivedSearches", 1);
    bench.send(1, SEARCH);
    bench.send(2, SEARCH);
    assertThat(bench.client.admitLongLived(bench.client.operations().get(1))).isTrue();
    assertThat(bench.client.admitLongLived(bench.client.operations().get(2))).isFalse();
  }

  @Test
  void aMessageAboveTheMaximumSizeEndsTheConnectionWithANotice() {
    use("frameBeforeBind", SMALL_FRAME);
    bench.send(1, large());
    assertDisconnected(PROTOCOL_ERROR);
  }

  @Test
  void aBoundClientMaySendLargerMessages() {
    use("frameBeforeBind", SMALL_FRAME);
    bind();
    bench.send(1, large());
    assertThat(bench.upstream.received()).isEqualTo(2);
  }

  private static RawRequest large() {
    return Requests.search("dc=x").filter("(cn=" + "x".repeat(SMALL_FRAME) + ")").request();
  }

  @Test
  void readingPausesWhileTheClientTakesNoResponses() {
    bench.channel.stall();
    bench.send(1, SEARCH);
    for (int i = 0; i < 2_000; i++) {
      bench.upstream.entry(Answers.person("anna", "x"));
    }
    bench.loop.run();
    bench.send(2, SEARCH);
    assertThat(bench.channel.isRead()).isFalse();
    assertThat(pending()).isOne();
    bench.channel.resume();
    assertThat(bench.channel.isRead()).isTrue();
    assertThat(pending()).isEqualTo(2);
  }

  // Times

  private ClientTimeout checkAfter(Duration time) {
    return bench.client.stalls().check(System.nanoTime() + time.toNanos());
  }

  @Test
  void anIdleClientIsOverdueAfterItsTime() {
    use("idleTimeout", Duration.ofMinutes(1));
    assertThat(checkAfter(Duration.ofSeconds(59))).isNull();
    assertThat(checkAfter(Duration.ofSeconds(61))).isEqualTo(ClientTimeout.IDLE);
  }

  @Test
  void aClientWithAnOperationInFlightIsNotIdle() {
    use("idleTimeout", Duration.ofMinutes(1));
    bench.send(1, SEARCH);
    assertThat(checkAfter(Duration.ofMinutes(2))).isNull();
  }

  @Test
  void anUnfinishedRequestIsOverdueAfterItsTime() {
    use("requestTimeout", Duration.ofSeconds(30));
    bench.channel.send(new byte[] {0x30, 0x20, 0x02});
    assertThat(checkAfter(Duration.ofSeconds(0))).isNull();
    assertThat(checkAfter(Duration.ofSeconds(29))).isNull();
    assertThat(checkAfter(Duration.ofSeconds(31))).isEqualTo(ClientTimeout.REQUEST);
  }

  @Test
  void aClientThatTakesNothingIsOverdueAfterItsTime() {
    use("writeTimeout", Duration.ofSeconds(30));
    bench.channel.stall();
    bench.send(1, SEARCH);
    bench.upstream.answer(0);
    bench.loop.run();
    assertThat(checkAfter(Duration.ofSeconds(0))).isNull();
    assertThat(checkAfter(Duration.ofSeconds(29))).isNull();
    assertThat(checkAfter(Duration.ofSeconds(31))).isEqualTo(ClientTimeout.WRITE);
  }

  @Test
  void anOverdueClientIsDisconnectedWithANotice() {
    bench.client.onTimeout(ClientTimeout.IDLE);
    assertDisconnected(UNAVAILABLE);
  }

  // The end

  @Test
  void aDrainedClientWithoutOperationsIsDisconnectedAtOnce() {
    bench.client.drain();
    assertDisconnected(UNAVAILABLE);
  }

  @Test
  void aDrainedClientIsDisconnectedAfterItsLastResponse() {
    bench.send(1, SEARCH);
    bench.client.drain();
    assertThat(bench.channel.isOpen()).isTrue();
    bench.upstream.answer(0);
    assertDisconnected(UNAVAILABLE);
  }

  @Test
  void aDrainedClientGetsNoFurtherRequestProcessed() {
    bench.send(1, SEARCH);
    bench.client.drain();
    bench.send(2, SEARCH);
    assertThat(bench.upstream.received()).isOne();
    assertThat(bench.channel.config().isAutoRead()).isTrue();
    bench.upstream.answer(0);
    assertDisconnected(UNAVAILABLE);
  }

  /** The notice comes last, and once. */
  @Test
  void aDrainedClientTakesAllItsResponsesFirst() {
    bench.channel.stall();
    bench.send(1, SEARCH);
    bench.upstream.answer(0);
    bench.loop.run();
    bench.client.drain();
    bench.client.proceed();
    assertThat(bench.channel.isOpen()).isTrue();
    bench.channel.resume();
    assertThat(bench.channel.sent()).extracting(RawMessage::messageId).containsExactly(1, 0);
    assertThat(bench.channel.isOpen()).isFalse();
  }

  /** A closed connection stays in memory no longer than its client, whatever keeps its key. */
  @Test
  void theKeyOfASessionHoldsNoConnection() {
    assertThat(bench.client.key()).isExactlyInstanceOf(Object.class);
    assertThat(bench.client.key()).isSameAs(bench.client.key());
  }

  @Test
  void aLostStateEndsTheConnectionWithANotice() {
    bench.client.onConnectionLost(false);
    assertDisconnected(UNAVAILABLE);
  }

  @Test
  void aConnectionThatTheServerClosedIsClosedWithoutANotice() {
    bench.client.onConnectionLost(true);
    assertThat(bench.channel.sent()).isEmpty();
    assertThat(bench.channel.isOpen()).isFalse();
  }

  @Test
  void aNotificationOfTheServerReachesTheClientAsMessage0() {
    bench.client.notify(LdapMessage.of(5, Responses.extended(0, "1.2.3.4").op(), List.of()));
    assertThat(bench.received()).containsExactly("0 0");
    assertThat(bench.channel.isOpen()).isTrue();
  }

  @Test
  void aNoticeOfDisconnectionOfTheServerEndsTheConnection() {
    bench.client.notify(
        LdapMessage.of(0, Responses.noticeOfDisconnection(UNAVAILABLE).op(), List.of()));
    assertDisconnected(UNAVAILABLE);
  }
}
