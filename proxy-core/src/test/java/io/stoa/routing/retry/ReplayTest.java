// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing.retry;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.stoa.ldap.protocol.DecodeLimits;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.operation.ClientSession;
import io.stoa.operation.InternalSession;
import io.stoa.operation.InternalSink;
import io.stoa.operation.LargeMessage;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.operation.ResponseSink;
import io.stoa.testing.Answers;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.Responses;
import io.stoa.upstream.server.Backend;
import io.stoa.upstream.server.BackendTerms;
import io.stoa.upstream.server.ServerAddress;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
  private final List<LdapMessage> shown = new ArrayList<>();

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

  /** What comes behind: it could begin again, as long as the answer has no end. */
  private final class Shown extends InternalSink {
    Shown(Operation operation) {
      super(operation);
    }

    @Override
    public void respond(LdapMessage response) {
      shown.add(response);
    }

    @Override
    public void complete(LdapMessage response) {
      shown.add(response);
      end();
    }

    @Override
    public void complete(byte[] op) {
      end();
    }

    @Override
    public void complete(LargeMessage response) {
      end();
    }

    @Override
    public void reject(Rejection reason) {
      end();
    }

    @Override
    public void abandoned() {
      end();
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

  /** A client's, which differs here from Stoa itself in no more than that. */
  private Operation search() throws LdapProtocolException {
    InternalSession itself = new InternalSession(ImmediateEventExecutor.INSTANCE);
    ClientSession client =
        (ClientSession)
            Proxy.newProxyInstance(
                ReplayTest.class.getClassLoader(),
                new Class<?>[] {ClientSession.class},
                (self, method, args) -> method.invoke(itself, args));
    return new Operation(
        client,
        message(Requests.search("ou=many").request()),
        new RequestDecoder(DecodeLimits.DEFAULTS),
        System.nanoTime(),
        Shown::new);
  }

  /** What streamed to somebody who holds it, too, has reached no client. */
  @Test
  void aRestartedAnswerIsBufferedAnew() throws LdapProtocolException {
    Operation search = search();
    replay.onSend(search, server("a"), null);
    for (int i = 0; i <= MOST_ENTRIES; i++) {
      search.sink().respond(entry());
    }
    assertThat(shown).hasSize(MOST_ENTRIES + 1);
    assertThat(search.beginAgain()).isTrue();
    shown.clear();
    search.sink().respond(entry());
    assertThat(shown).isEmpty();
    search.sink().complete(message(Responses.searchDone(0)));
    assertThat(shown).hasSize(2);
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
    assertThat(shown).hasSize(2);
    assertThat(servers.sent).isZero();
  }
}
