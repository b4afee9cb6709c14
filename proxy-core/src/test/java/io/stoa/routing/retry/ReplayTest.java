// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing.retry;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.operation.Operation;
import io.stoa.operation.ReadSource;
import io.stoa.operation.ResponseSink;
import io.stoa.testing.Answers;
import io.stoa.testing.ManualLoop;
import io.stoa.testing.RawRequest;
import io.stoa.testing.RecordedResponse;
import io.stoa.testing.Requests;
import io.stoa.testing.Responses;
import io.stoa.testing.TestSession;
import io.stoa.upstream.server.Backend;
import io.stoa.upstream.server.BackendConfig;
import io.stoa.upstream.server.ServerAddress;
import java.time.Duration;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What is held of an answer, and who judges a refusal, where servers come and go. */
class ReplayTest {
  private static final int FEW = 4;
  private static final int MAX_ENTRIES = 1;

  /** Answers after which the latency of a server is known. */
  private static final int LATENCIES = 16;

  private final Servers servers = new Servers();
  private final Replay replay =
      new Replay(
          servers,
          () -> new ReplayLimits(Duration.ofHours(1), false, MAX_ENTRIES, 10_000, 100_000));
  private final ManualLoop loop = new ManualLoop();
  private final TestSession client = new TestSession(loop);
  private RecordedResponse sink;

  /** To which nothing is sent in fact. */
  private static final class Servers implements Replay.OperationSender {
    private boolean single;
    private boolean other;
    private int sent;
    private Backend second;
    private Operation hedge;

    @Override
    public void send(Operation operation, Backend avoid) {
      sent++;
    }

    @Override
    public boolean hasOtherServer(Operation operation) {
      return other;
    }

    @Override
    public boolean sendHedge(Operation operation, Backend first, Supplier<Operation> twin) {
      if (second == null) {
        return false;
      }
      hedge = twin.get();
      hedge.addSource(source(second));
      return true;
    }

    @Override
    public boolean isSingleServer() {
      return single;
    }
  }

  private static Backend server(String host) {
    BackendConfig config = new BackendConfig(true, false, 1, 1, 1, Duration.ZERO, FEW);
    return new Backend(new ServerAddress(host, 389), config);
  }

  private static LdapMessage message(RawRequest written) throws LdapProtocolException {
    return LdapMessage.parse(Unpooled.wrappedBuffer(written.encode(1)));
  }

  private static LdapMessage entry() throws LdapProtocolException {
    return message(Responses.entry(Answers.person("anna", "x")));
  }

  private Operation search() {
    Operation search = client.operation(Requests.search("ou=many").request());
    sink = client.lastResponse();
    return search;
  }

  /** What streamed to somebody who holds it, too, has reached no client. */
  @Test
  void aRestartedAnswerIsBufferedAnew() throws LdapProtocolException {
    Operation search = search();
    sink.hold();
    replay.onSend(search, server("a"), null);
    for (int i = 0; i <= MAX_ENTRIES; i++) {
      search.sink().respond(entry());
    }
    assertThat(sink.parts()).isEqualTo(MAX_ENTRIES + 1);
    assertThat(search.beginAgain()).isTrue();
    search.sink().respond(entry());
    assertThat(sink.parts()).isEqualTo(MAX_ENTRIES + 1);
    search.sink().complete(message(Responses.searchDone(0)));
    assertThat(sink.parts()).isEqualTo(MAX_ENTRIES + 2);
  }

  @Test
  void aFinalRefusalOfTheOnlyServerIsReportedOnce() throws LdapProtocolException {
    servers.single = true;
    Backend server = server("a");
    boolean again = true;
    while (again) { // as long as any may be asked again
      Operation search = search();
      ResponseSink sink = search.sink();
      again = replay.onRefusedBySingle(search, server);
      assertThat(search.sink() == sink).isEqualTo(!again);
    }
    assertThat(servers.sent).isPositive();
  }

  /** That the one before it might show what is too old is nothing to the last one. */
  @Test
  void theLastServersAnswerIsAccepted() throws LdapProtocolException {
    Operation search = search();
    replay.onSend(search, server("gone"), part -> true);
    servers.single = true;
    replay.onSend(search, server("left"), null);
    search.sink().respond(entry());
    search.sink().complete(message(Responses.searchDone(0)));
    assertThat(sink.parts()).isOne();
    assertThat(sink.outcome()).isEqualTo("0");
    assertThat(servers.sent).isZero();
  }

  /** Its position would otherwise count for the answer of another server. */
  @Test
  void aServerWhoseAnswerIsDiscardedIsNoSource() {
    servers.other = true;
    Backend lost = server("lost");
    Operation search = search();
    replay.onSend(search, lost, null);
    search.addSource(source(lost));
    search.countSending();
    replay.onUnanswered(search, lost);
    assertThat(servers.sent).isOne();
    assertThat(search.sources()).isEmpty();
    Backend busy = server("busy");
    replay.onSend(search, busy, null);
    search.addSource(source(busy));
    assertThat(((ReplaySink) search.sink()).retryAfterRefusal()).isTrue();
    assertThat(search.sources()).isEmpty();
  }

  /** Sends a search that is hedged, and returns it; the hedge is in {@link Servers#hedge}. */
  private Operation hedged(Backend first, Backend second) throws LdapProtocolException {
    Replay hedging =
        new Replay(
            servers, () -> new ReplayLimits(Duration.ofHours(1), true, 100, 10_000, 100_000));
    for (int i = 0; i < LATENCIES; i++) {
      Operation fast = search();
      hedging.onSend(fast, first, null);
      fast.sink().complete(message(Responses.searchDone(0)));
    }
    Operation search = search();
    hedging.onSend(search, first, null);
    search.addSource(source(first));
    servers.second = second;
    loop.pass(Duration.ofSeconds(1));
    assertThat(servers.hedge).isNotNull();
    assertThat(search.sources()).containsExactly(source(first), source(second));
    return search;
  }

  @Test
  void theServerOfAHedgeThatLosesIsNoSource() throws LdapProtocolException {
    Backend first = server("first");
    Operation search = hedged(first, server("second"));
    search.sink().respond(entry());
    assertThat(search.sources()).containsExactly(source(first), source(servers.second));
    search.sink().complete(message(Responses.searchDone(0)));
    assertThat(sink.outcome()).isEqualTo("0");
    assertThat(search.sources()).containsExactly(source(first));
  }

  @Test
  void theFirstServerIsNoSourceIfTheHedgeWins() throws LdapProtocolException {
    Operation search = hedged(server("first"), server("second"));
    servers.hedge.sink().complete(message(Responses.searchDone(0)));
    assertThat(sink.outcome()).isEqualTo("0");
    assertThat(search.sources()).containsExactly(source(servers.second));
  }

  private static ReadSource source(Backend server) {
    return new ReadSource(server, Position.NONE, 0, 0);
  }

  /**
   * Lets servers lose an operation until it is not sent again, and returns the times it was sent.
   */
  private int lose(Operation operation) {
    Backend server = server("a");
    int attempts = 0;
    do {
      attempts++;
      operation.countSending();
      replay.onUnanswered(operation, server);
    } while (servers.sent == attempts);
    return attempts;
  }

  private Operation operation(RawRequest request) throws LdapProtocolException {
    Operation operation = client.operation(request);
    operation.request();
    sink = client.lastResponse();
    return operation;
  }

  @Test
  void aReadIsSentFourTimesAtMost() {
    assertThat(lose(search())).isEqualTo(4);
    assertThat(sink.outcome()).isEqualTo("UPSTREAM_LOST");
  }

  @Test
  void aBindIsSentTwiceAtMost() throws LdapProtocolException {
    assertThat(lose(operation(Requests.bind("cn=a", "secret")))).isEqualTo(2);
  }

  @Test
  void aWriteIsSentOnce() throws LdapProtocolException {
    assertThat(lose(operation(Requests.delete("cn=a")))).isEqualTo(1);
    assertThat(sink.outcome()).isEqualTo("UPSTREAM_LOST");
  }

  @Test
  void anUnknownExtendedOperationIsSentOnce() throws LdapProtocolException {
    assertThat(lose(operation(Requests.extended("1.2.3.4")))).isEqualTo(1);
  }

  @Test
  void aCancelIsSentOnce() throws LdapProtocolException {
    byte[] value = {0x30, 3, 2, 1, 9};
    assertThat(lose(operation(Requests.extended("1.3.6.1.1.8", value)))).isEqualTo(1);
    assertThat(sink.outcome()).isEqualTo("CANNOT_CANCEL");
  }

  @Test
  void aWriteThatNoServerHasReceivedIsSentAgain() throws LdapProtocolException {
    replay.onUnanswered(operation(Requests.delete("cn=a")), server("a"));
    assertThat(servers.sent).isOne();
  }

  @Test
  void aReadThatHasReachedTheClientInPartIsCut() throws LdapProtocolException {
    Operation search = search();
    search.countSending();
    search.sink().respond(entry());
    replay.onUnanswered(search, server("a"));
    assertThat(sink.outcome()).isEqualTo("RESULT_CUT");
    assertThat(servers.sent).isZero();
  }

  /** Returns the number of reads of which another server is asked after a refusal. */
  private int refuse(int reads, boolean answered) throws LdapProtocolException {
    servers.other = true;
    for (int i = 0; i < reads; i++) {
      Operation search = search();
      replay.onSend(search, server("a"), null);
      search.sink().complete(message(Responses.searchDone(51)));
      if (answered && !search.hasEnded()) {
        search.sink().complete(message(Responses.searchDone(0)));
      }
    }
    return servers.sent;
  }

  @Test
  void retriesAfterRefusalsOfAllServersAreAFifthOfTheReadsAndAHundred()
      throws LdapProtocolException {
    assertThat(refuse(1_000, false)).isBetween(100 + 200 - 1, 100 + 200);
  }

  @Test
  void retriesThatAnotherServerAnswersAreNotLimited() throws LdapProtocolException {
    assertThat(refuse(1_000, true)).isEqualTo(1_000);
  }
}
