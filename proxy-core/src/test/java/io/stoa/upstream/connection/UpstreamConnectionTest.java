// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connection;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Answers;
import io.stoa.testing.MemoryServers;
import io.stoa.testing.RawRequest;
import io.stoa.testing.RecordedResponse;
import io.stoa.testing.Requests;
import io.stoa.testing.Responses;
import io.stoa.testing.TestSession;
import io.stoa.testing.UpstreamBench;
import io.stoa.upstream.pool.UpstreamPools;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One connection to a server: its responses, abandoned operations, and its end. */
class UpstreamConnectionTest {
  private static final RawRequest SEARCH = Requests.search("dc=x").request();
  private static final RawRequest WRITE = Requests.delete("dc=x");
  private static final String ANNA = "cn=anna,dc=x";
  private static final int UNKNOWN_ID = 0x7ffffff0;

  private final UpstreamBench bench = new UpstreamBench(1);
  private final UpstreamPools pools = bench.pools();
  private final TestSession client = bench.client();

  @AfterEach
  void close() {
    bench.close();
  }

  private MemoryServers.Server server() {
    return bench.server(1);
  }

  private RecordedResponse send(RawRequest request) {
    RecordedResponse response =
        client.send(request, operation -> pools.send(operation, bench.backend(1)));
    server().requests();
    return response;
  }

  private int newestId() {
    return server().requests().get(server().requests().size() - 1).message().messageId();
  }

  @Test
  void responsesReachTheirOperationsInAnyOrder() {
    RecordedResponse first = send(SEARCH);
    RecordedResponse second = send(WRITE);
    server().answerNewest(50);
    assertThat(first.outcome()).isEqualTo(RecordedResponse.OPEN);
    assertThat(second.outcome()).isEqualTo("50");
    server().answer(0);
    assertThat(first.outcome()).isEqualTo("0");
  }

  @Test
  void entriesReachTheirOperation() {
    RecordedResponse response = send(SEARCH);
    send(SEARCH);
    server().part(Responses.entry(Answers.person("anna", "x")));
    assertThat(response.parts()).isOne();
  }

  @Test
  void noMessageIdIsUsedTwiceAtATime() {
    for (int i = 0; i < 10; i++) {
      send(SEARCH);
    }
    assertThat(server().requests().stream().map(one -> one.message().messageId()))
        .doesNotHaveDuplicates();
  }

  @Test
  void aResponseWithAnUnknownMessageIdIsIgnored() {
    RecordedResponse response = send(SEARCH);
    server().send(1, Responses.searchDone(0).encode(UNKNOWN_ID));
    assertThat(response.outcome()).isEqualTo(RecordedResponse.OPEN);
    assertThat(server().open()).isOne();
  }

  @Test
  void aResponseOfAnotherKindEndsTheConnection() {
    RecordedResponse response = send(SEARCH);
    server().send(1, Responses.result(0x4a, 0).encode(newestId()));
    assertThat(response.outcome()).isEqualTo("UPSTREAM_BROKEN");
    assertThat(server().open()).isZero();
  }

  /** A bind that has succeeded at the server must not lend its identity to another client. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aBindResponseThatIsTooLargeToBeCollectedEndsTheConnection(boolean sasl) {
    server().askBinds();
    RawRequest bind = sasl ? Requests.saslBind("PLAIN", "anna") : Requests.bind(ANNA, "secret");
    RecordedResponse response =
        client.send(
            bind,
            operation -> {
              if (sasl) {
                pools.openSasl(operation, bench.backend(1));
              } else {
                pools.bind(operation, bench.backend(1));
              }
            });
    RawRequest large = Responses.saslStep(0, "x".repeat(MemoryServers.COLLECTED));
    server().send(1, large.encode(newestId()));
    assertThat(response.outcome()).isEqualTo("UPSTREAM_BROKEN");
    assertThat(server().open()).isZero();
    assertThat(pools.saslBoundTo(client)).isNull();
    assertThat(pools.canServe(client.named(ANNA), bench.backend(1))).isFalse();
  }

  @Test
  void octetsThatAreNotLdapEndTheConnection() {
    RecordedResponse response = send(SEARCH);
    server().send(1, "HTTP/1.1 400 Bad Request\r\n".getBytes(UTF_8));
    assertThat(response.outcome()).isEqualTo("UPSTREAM_LOST");
    assertThat(server().open()).isZero();
  }

  @Test
  void anAbandonedReadIsAbandonedAtTheServer() {
    send(SEARCH);
    client.abandon(1);
    assertThat(server().abandoned()).isOne();
    assertThat(bench.backend(1).outstanding()).isZero();
  }

  @Test
  void anAbandonedWriteIsNotAbandonedAtTheServer() {
    send(WRITE);
    client.abandon(1);
    assertThat(server().abandoned()).isZero();
    assertThat(bench.backend(1).outstanding()).isOne();
  }

  @Test
  void aLateResponseToAnAbandonedReadIsIgnored() {
    send(SEARCH);
    client.abandon(1);
    server().answer(0);
    assertThat(client.ends()).containsExactly("1 abandoned");
    assertThat(server().open()).isOne();
  }

  @Test
  void aConnectionWithANoticeOfDisconnectionGetsNoFurtherOperations() {
    RecordedResponse before = send(SEARCH);
    server().send(1, Responses.noticeOfDisconnection(52).encode(0));
    send(SEARCH);
    assertThat(server().requests().get(server().requests().size() - 1).connection()).isEqualTo(2);
    assertThat(before.outcome()).isEqualTo(RecordedResponse.OPEN);
  }

  @Test
  void theEndOfAConnectionLeavesAWriteWithoutAKnownResult() {
    RecordedResponse response = send(WRITE);
    server().close(1);
    assertThat(response.outcome()).isEqualTo("UPSTREAM_LOST");
    assertThat(bench.backend(1).outstanding()).isZero();
  }

  @Test
  void aConnectionThatEndsWithinAResponseLeavesNothingBehind() {
    RecordedResponse response = send(SEARCH);
    byte[] entry = Responses.entry(Answers.person("anna", "x")).encode(newestId());
    server().send(1, Arrays.copyOf(entry, entry.length / 2));
    server().close(1);
    assertThat(response.parts()).isZero();
    assertThat(response.outcome()).isEqualTo("UPSTREAM_LOST");
  }
}
