// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing.retry;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.operation.Operation;
import io.stoa.operation.ResponseSink;
import io.stoa.testing.Answers;
import io.stoa.testing.ManualLoop;
import io.stoa.testing.RawRequest;
import io.stoa.testing.RecordedResponse;
import io.stoa.testing.Requests;
import io.stoa.testing.Responses;
import io.stoa.testing.TestSession;
import io.stoa.upstream.server.Backend;
import io.stoa.upstream.server.BackendTerms;
import io.stoa.upstream.server.ServerAddress;
import java.time.Duration;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What is held of an answer, and who judges a refusal, where servers come and go. */
class ReplayTest {
  private static final int FEW = 4;
  private static final int MOST_ENTRIES = 1;

  private final Servers servers = new Servers();
  private final Replay replay =
      new Replay(
          servers,
          () -> new ReplayLimits(Duration.ofHours(1), false, MOST_ENTRIES, 10_000, 100_000));
  private final TestSession client = new TestSession(new ManualLoop());
  private RecordedResponse sink;

  /** To which nothing is sent in fact. */
  private static final class Servers implements Replay.OperationSender {
    private boolean single;
    private int sent;

    @Override
    public void send(Operation operation, Backend avoid) {
      sent++;
    }

    @Override
    public boolean hasOtherServer(Operation operation) {
      return false;
    }

    @Override
    public boolean sendHedge(Operation operation, Backend first, Supplier<Operation> twin) {
      return false;
    }

    @Override
    public boolean isSingleServer() {
      return single;
    }
  }

  private static Backend server(String host) {
    BackendTerms terms = new BackendTerms(true, false, 1, 1, 1, Duration.ZERO, FEW);
    return new Backend(new ServerAddress(host, 389), terms);
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
    replay.onSend(search, server("a"), null);
    for (int i = 0; i <= MOST_ENTRIES; i++) {
      search.sink().respond(entry());
    }
    assertThat(sink.parts()).isEqualTo(MOST_ENTRIES + 1);
    assertThat(search.beginAgain()).isTrue();
    search.sink().respond(entry());
    assertThat(sink.parts()).isEqualTo(MOST_ENTRIES + 1);
    search.sink().complete(message(Responses.searchDone(0)));
    assertThat(sink.parts()).isEqualTo(MOST_ENTRIES + 2);
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
}
