// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.writes;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

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
import io.stoa.upstream.balancing.ServerSpec;
import io.stoa.upstream.pool.ReplayConfig.UnknownOutcome;
import io.stoa.upstream.server.ServerAddress;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A write is sent once, and whoever asked for it is told what is known of it, and no more. */
class UnknownOutcomeIT {
  private static final int OTHER = 80;
  private static final int RACES = 300;
  private static final RawRequest SLOW = search("ou=slow").request();
  private static final RawRequest CHANGE = change(0);

  @RegisterExtension final ExpectedLog log = new ExpectedLog();
  @RegisterExtension final ScriptedUpstream first = ScriptedUpstream.start();
  @RegisterExtension final ScriptedUpstream second = ScriptedUpstream.start();

  private static RawRequest change(int number) {
    return Requests.replace("uid=" + number + ",dc=example", "sn", "new");
  }

  private static boolean isChange(Received request) {
    return request.is(Received.MODIFY);
  }

  private static boolean isSlow(Received request) {
    return request.isSearchFor("ou=slow");
  }

  private static ServerSpec primary(ScriptedUpstream server) {
    return new ServerSpec(new ServerAddress("127.0.0.1", server.port()), true, 1, 1);
  }

  /** Before two servers, both of which take writes: the first one does as long as it can. */
  private ProxySetup setup() {
    return ProxySetup.before(first.port(), second.port())
        .cachesOff()
        .upstream("servers", List.of(primary(first), primary(second)));
  }

  private static RunningProxy started(ProxySetup setup) {
    return setup.start().awaitUp();
  }

  private int changes() {
    return first.received(UnknownOutcomeIT::isChange).size()
        + second.received(UnknownOutcomeIT::isChange).size();
  }

  static Stream<Answer> deaths() {
    Answer nonsense = (request, link) -> link.send(request.messageId(), Responses.searchDone(0));
    return Stream.of(Answers.close(), Answers.noticeOfDisconnection(52), nonsense);
  }

  @ParameterizedTest
  @MethodSource("deaths")
  void aWriteThatWasSentIsNotRepeated(Answer death) {
    first.when(UnknownOutcomeIT::isChange, death);
    try (RunningProxy proxy = started(setup());
        RawLdapClient client = proxy.client()) {
      List<RawMessage> answer = client.call(CHANGE);
      assertThat(answer.get(0).resultCode()).isEqualTo(OTHER);
      assertThat(answer.get(0).mentions("outcome unknown: ")).isTrue();
      assertThat(changes()).isEqualTo(1);
    }
  }

  @Test
  void aWriteAtAHungServerEndsAtTheDeadline() {
    first.when(UnknownOutcomeIT::isChange, Answers.silence());
    try (RunningProxy proxy = started(setup().operationTimeout(Duration.ofMillis(800)));
        RawLdapClient client = proxy.client()) {
      List<RawMessage> answer = client.call(CHANGE);
      assertThat(answer.get(0).resultCode()).isEqualTo(OTHER);
      assertThat(answer.get(0).mentions("did not answer in time")).isTrue();
      assertThat(changes()).isEqualTo(1);
    }
  }

  @Test
  void theClientIsDisconnectedIfConfigured() {
    first.when(UnknownOutcomeIT::isChange, Answers.close());
    ProxySetup setup = setup().replay("unknownOutcome", UnknownOutcome.DISCONNECT);
    try (RunningProxy proxy = started(setup);
        RawLdapClient client = proxy.client();
        RawLdapClient other = proxy.client()) {
      client.send(CHANGE);
      assertThat(client.drain()).isEmpty();
      assertThat(changes()).isEqualTo(1);
      assertThat(other.code(Requests.bind("", ""))).isZero();
    }
  }

  /** It waits for a place on a connection, which ends before there is one. */
  @Test
  void aQueuedWriteGoesToTheNextPrimary() {
    Held held = first.hold(UnknownOutcomeIT::isSlow);
    second.when(UnknownOutcomeIT::isSlow, Answers.success());
    ProxySetup setup =
        setup().upstream("maxInFlightPerConnection", 1).upstream("maxConnections", 1);
    try (RunningProxy proxy = started(setup);
        RawLdapClient client = proxy.client()) {
      int slow = occupy(client, held);
      int change = client.send(CHANGE);
      Await.until("it waits", () -> proxy.status().queued() == 1);
      first.goDown();
      assertThat(RawLdapClient.last(client.await(change)).resultCode()).isZero();
      assertThat(RawLdapClient.last(client.await(slow)).resultCode()).isZero();
      assertThat(first.received(UnknownOutcomeIT::isChange)).isEmpty();
      assertThat(second.received(UnknownOutcomeIT::isChange)).hasSize(1);
    }
  }

  /** Has the one connection to the first server busy, and none to the other. */
  private int occupy(RawLdapClient client, Held held) {
    int id = 0;
    for (int sent = 1; !held.hasArrived(); sent++) {
      id = client.send(SLOW);
      int elsewhere = sent;
      Await.until(
          "it has arrived",
          () -> held.hasArrived() || second.received(UnknownOutcomeIT::isSlow).size() == elsewhere);
    }
    return id;
  }

  /**
   * Servers end their connections just when writes come: each write has its true result, and then
   * it came to one server once, or nobody knows, and then it did not come twice.
   */
  @Test
  void aWriteThatRacesWithADisconnectIsNeverSentTwice() throws InterruptedException {
    int known = 0;
    try (RunningProxy proxy = started(setup().upstream("writeCoherence", Duration.ZERO));
        RawLdapClient client = proxy.client()) {
      for (int i = 0; i < RACES; i++) {
        Thread accident = new Thread(first::dropConnections);
        accident.start();
        int code = client.code(change(i));
        accident.join();
        known += assertTrue(code, i);
      }
    }
    assertThat(known).isPositive();
  }

  private int assertTrue(int code, int number) {
    String name = "uid=" + number + ",";
    int times =
        Stream.of(first, second)
            .mapToInt(
                server ->
                    server
                        .received(request -> isChange(request) && request.message().mentions(name))
                        .size())
            .sum();
    assertThat(code).isIn(0, OTHER);
    assertThat(times).isBetween(code == 0 ? 1 : 0, 1);
    return code == 0 ? 1 : 0;
  }

  /** Nobody knows, so nothing that was read before is right any more. */
  @Test
  void aWriteOfUnknownOutcomeInvalidates() {
    first.when(UnknownOutcomeIT::isChange, Answers.close());
    for (ScriptedUpstream server : List.of(first, second)) {
      server.when(UnknownOutcomeIT::isSlow, Answers.entries(Answers.person("anna", "here")));
    }
    try (RunningProxy proxy = started(setup().cache("enabled", true).maxAge(Duration.ofHours(1)));
        RawLdapClient client = proxy.client()) {
      client.call(SLOW);
      client.call(SLOW);
      assertThat(proxy.cache().filterHits()).isEqualTo(1);
      assertThat(client.code(CHANGE)).isEqualTo(OTHER);
      client.call(SLOW);
      assertThat(proxy.cache().filterHits()).isEqualTo(1);
    }
  }
}
