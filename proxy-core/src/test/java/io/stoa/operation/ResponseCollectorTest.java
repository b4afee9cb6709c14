// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.stoa.ldap.protocol.BerWriter;
import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.DecodeLimits;
import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.operation.ResponseCollector.CollectedResponse;
import io.stoa.operation.ResponseCollector.Limit;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ResponseCollectorTest {
  private static final byte[] ENTRY =
      SearchEntry.encode("cn=anna".getBytes(StandardCharsets.UTF_8), List.of());
  private static final byte[] DONE = LdapResult.encode(OpType.SEARCH_RESULT_DONE, 0, "").op();
  private static final byte[] REFERENCE =
      new BerWriter().octets(OpType.SEARCH_RESULT_REFERENCE.tag(), new byte[0]).toByteArray();
  private static final byte[] INTERMEDIATE =
      new BerWriter().octets(OpType.INTERMEDIATE_RESPONSE.tag(), new byte[0]).toByteArray();

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final List<CollectedResponse> responses = new ArrayList<>();
  private int room = Integer.MAX_VALUE;
  private int held;

  @AfterEach
  void releaseChannel() {
    channel.finishAndReleaseAll();
  }

  /** A session whose client may hold {@link #room} octets of answers. */
  private ClientSession session() {
    InternalSession itself = new InternalSession(channel.eventLoop());
    return (ClientSession)
        Proxy.newProxyInstance(
            ResponseCollectorTest.class.getClassLoader(),
            new Class<?>[] {ClientSession.class},
            (self, method, args) ->
                switch (method.getName()) {
                  case "reserve" -> reserve((int) args[0]);
                  case "giveBack" -> {
                    held -= (int) args[0];
                    yield null;
                  }
                  default -> method.invoke(itself, args);
                });
  }

  private boolean reserve(int octets) {
    boolean fits = held + octets <= room;
    held += fits ? octets : 0;
    return fits;
  }

  private Operation search(Limit limit) throws LdapProtocolException {
    BerWriter request = new BerWriter();
    int message = request.begin(0x30);
    request.integer(2, 1);
    request.raw(SearchOp.encode(new byte[0], 2, new byte[] {(byte) 0x87, 0}, List.of()));
    byte[] octets = request.end(message).toByteArray();
    return new Operation(
        session(),
        LdapMessage.parse(Unpooled.wrappedBuffer(octets)),
        new RequestDecoder(() -> DecodeLimits.DEFAULTS),
        System.nanoTime(),
        own -> new ResponseCollector(own, limit, responses::add));
  }

  private static LdapMessage received(byte[] op, Control... controls) {
    return LdapMessage.of(1, op, List.of(controls));
  }

  private CollectedResponse response() {
    assertThat(responses).hasSize(1);
    return responses.get(0);
  }

  @Test
  void wholeAnswerIsCollected() throws LdapProtocolException {
    Operation search = search(Limit.wholeAnswer(2L * ENTRY.length));
    search.sink().respond(received(ENTRY));
    search.sink().respond(new EncodedResponse(ENTRY));
    search.sink().complete(received(DONE));
    assertThat(response().octets()).containsExactly(ENTRY, ENTRY);
    assertThat(response().complete()).isTrue();
    assertThat(response().fromServer()).isTrue();
    assertThat(response().code()).isZero();
    assertThat(search.state()).isEqualTo(OperationState.COMPLETED);
  }

  @Test
  void answerAboveTheOctetsIsAbandonedAfterThePart() throws LdapProtocolException {
    Operation search = search(Limit.wholeAnswer(ENTRY.length));
    search.sink().respond(received(ENTRY));
    search.sink().respond(received(ENTRY));
    assertThat(search.hasEnded()).isFalse();
    assertThat(search.beginAgain()).isFalse();
    channel.runPendingTasks();
    assertThat(search.state()).isEqualTo(OperationState.ABANDONED);
    assertThat(response().complete()).isFalse();
    assertThat(response().entries()).isEmpty();
  }

  @Test
  void answerWithOtherPartsThanEntriesIsAbandoned() throws LdapProtocolException {
    for (byte[] part : List.of(REFERENCE, INTERMEDIATE)) {
      responses.clear();
      Operation search = search(Limit.wholeAnswer(1000));
      search.sink().respond(received(part));
      channel.runPendingTasks();
      assertThat(search.state()).isEqualTo(OperationState.ABANDONED);
      assertThat(response().complete()).isFalse();
    }
  }

  @Test
  void furtherEntriesAreLeftOut() throws LdapProtocolException {
    Operation search = search(Limit.firstEntries(1));
    search.sink().respond(received(ENTRY));
    search.sink().respond(received(ENTRY));
    search.sink().complete(new EncodedResponse(DONE));
    assertThat(response().entries()).hasSize(1);
    assertThat(response().complete()).isFalse();
    assertThat(response().fromServer()).isFalse();
  }

  @Test
  void referencesCountAsLeftOutAndIntermediateResponsesDoNot() throws LdapProtocolException {
    Operation first = search(Limit.firstEntries(1));
    first.sink().respond(received(INTERMEDIATE));
    first.sink().complete(received(DONE));
    assertThat(response().complete()).isTrue();
    responses.clear();
    Operation second = search(Limit.firstEntries(1));
    second.sink().respond(received(REFERENCE));
    second.sink().complete(received(DONE));
    assertThat(response().complete()).isFalse();
  }

  @Test
  void answersForClientsTakeFromTheLimitOfTheClient() throws LdapProtocolException {
    room = ENTRY.length;
    Operation fits = search(Limit.forClient(5));
    fits.sink().respond(received(ENTRY));
    assertThat(held).isEqualTo(ENTRY.length);
    fits.sink().complete(received(DONE));
    assertThat(held).isZero();
    assertThat(response().complete()).isTrue();
    responses.clear();
    Operation tooLarge = search(Limit.forClient(5));
    tooLarge.sink().respond(received(ENTRY));
    tooLarge.sink().respond(received(ENTRY));
    assertThat(held).isZero();
    channel.runPendingTasks();
    assertThat(response().complete()).isFalse();
    assertThat(tooLarge.state()).isEqualTo(OperationState.ABANDONED);
  }

  @Test
  void answersForClientsAreWithoutControls() throws LdapProtocolException {
    Control control = new Control("1.2.3", false, null);
    Operation search = search(Limit.forClient(5));
    search.sink().respond(received(ENTRY));
    search.sink().complete(received(DONE, control));
    assertThat(response().complete()).isFalse();
    responses.clear();
    Operation other = search(Limit.wholeAnswer(1000));
    other.sink().respond(received(ENTRY, control));
    other.sink().complete(received(DONE, control));
    assertThat(response().complete()).isTrue();
  }

  @Test
  void clientThatLeavesDoesNotMakeTheAnswerIncomplete() throws LdapProtocolException {
    Operation search = search(Limit.forClient(0));
    search.sink().respond(received(ENTRY));
    search.abandon();
    channel.runPendingTasks();
    assertThat(response().complete()).isTrue();
    assertThat(response().done()).isNull();
  }

  @Test
  void secondAttemptBeginsEmpty() throws LdapProtocolException {
    Operation search = search(Limit.firstEntries(1));
    search.sink().respond(received(ENTRY));
    search.sink().respond(received(ENTRY));
    assertThat(search.beginAgain()).isTrue();
    search.sink().respond(received(ENTRY));
    search.sink().complete(received(DONE));
    assertThat(response().entries()).hasSize(1);
    assertThat(response().complete()).isTrue();
  }

  @Test
  void refusalIsReported() throws LdapProtocolException {
    Operation search = search(Limit.FINAL_RESPONSE);
    search.sink().reject(Rejection.UPSTREAM_LOST);
    search.sink().reject(Rejection.UPSTREAM_LOST);
    assertThat(response().refusal()).isEqualTo(Rejection.UPSTREAM_LOST);
    assertThat(response().code()).isNegative();
  }
}
