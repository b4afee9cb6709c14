// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.writes;

import static io.stoa.testing.RawLdapClient.last;
import static io.stoa.testing.Requests.replace;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoa.replication.ReplicationConfig;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.Received;
import io.stoa.testing.Records;
import io.stoa.testing.Requests;
import io.stoa.testing.Responses;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.write.WindowConfig;
import io.stoa.write.WindowConfig.Batch;
import io.stoa.write.WindowStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Writes that go upstream in transactions. The directory is a scripted one: slapd 2.5.13 does them,
 * but ends with a segmentation fault now and then when it does anything else at the same time.
 */
class TransactionsIT {
  private static final String NAME = "all";
  private static final int WRITERS = 10;
  private static final int LOOPS = 2;
  private static final int NO_SUCH_OBJECT = 32;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();
  @RegisterExtension final ScriptedUpstream upstream = ScriptedUpstream.start();

  private final List<RawLdapClient> clients = new ArrayList<>();
  private RunningProxy proxy;

  @BeforeEach
  void start() {
    upstream.when(
        TransactionsIT::isStart,
        (request, link) -> link.send(request.messageId(), Responses.extendedValue("t7")));
    WindowConfig window =
        new WindowConfig(NAME, null, null, Duration.ofSeconds(10), 1000, Batch.TRANSACTIONS, false);
    proxy = ProxySetup.before(upstream.port()).windows(window).start().awaitUp();
    for (int i = 0; i < WRITERS; i++) {
      clients.add(proxy.client().bind(People.ROOT, "secret"));
    }
  }

  @AfterEach
  void stop() {
    clients.forEach(RawLdapClient::close);
    proxy.close();
  }

  private static boolean isStart(Received request) {
    return request.is(Received.EXTENDED) && request.message().mentions("1.3.6.1.1.21.1");
  }

  private static boolean isEnd(Received request) {
    return request.is(Received.EXTENDED) && request.message().mentions("1.3.6.1.1.21.3");
  }

  private static boolean isTogether(Received request) {
    return request.is(Received.MODIFY) && request.message().mentions("1.3.6.1.1.21.2");
  }

  private static boolean isSingle(Received request) {
    return request.is(Received.MODIFY) && !isTogether(request);
  }

  private WindowStatus window() {
    return proxy.proxy().windows().status().get(0);
  }

  private List<Integer> send() {
    List<Integer> sent = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      sent.add(clients.get(i).send(replace(People.dn(i), "title", "x")));
    }
    return sent;
  }

  private void flush(int count) {
    Await.until("all wait", () -> window().waiting() == count);
    proxy.proxy().windows().flush(NAME);
  }

  private void assertAnswered(List<Integer> sent, int code) {
    for (int i = 0; i < WRITERS; i++) {
      assertThat(last(clients.get(i).await(sent.get(i))).resultCode()).isEqualTo(code);
    }
  }

  @Test
  void writesOfOneIdentityShareATransaction() {
    for (int round = 1; round <= 3; round++) {
      List<Integer> sent = send();
      flush(WRITERS);
      assertAnswered(sent, 0);
      assertThat(window().transactional()).isEqualTo((long) round * WRITERS);
    }
    assertThat(upstream.received(TransactionsIT::isSingle)).isEmpty();
    assertThat(upstream.received(TransactionsIT::isTogether))
        .hasSize(3 * WRITERS)
        .allMatch(request -> request.message().mentions("t7"))
        .allMatch(request -> request.identity().equals(People.ROOT));
    assertThat(window().aborted()).isZero();
    assertOneAfterTheOther();
  }

  /** None begins before the one before has ended, whatever loops they are of. */
  private void assertOneAfterTheOther() {
    int open = 0;
    for (Received request : upstream.received()) {
      open += isStart(request) ? 1 : 0;
      open -= isEnd(request) ? 1 : 0;
      assertThat(open).isBetween(0, 1);
    }
  }

  @Test
  void anAbortedTransactionIsRepeatedAsSingleWrites() {
    upstream.when(TransactionsIT::isEnd, Answers.result(NO_SUCH_OBJECT));
    upstream.when(
        request -> isSingle(request) && request.message().mentions("nobody"),
        Answers.result(NO_SUCH_OBJECT));
    List<Integer> sent = send();
    int bad = clients.get(0).send(replace("uid=nobody," + People.PEOPLE, "title", "x"));
    flush(WRITERS + 1);
    assertThat(last(clients.get(0).await(bad)).resultCode()).isEqualTo(NO_SUCH_OBJECT);
    assertAnswered(sent, 0);
    assertThat(upstream.received(TransactionsIT::isSingle)).hasSize(WRITERS + 1);
    assertThat(window().transactional()).isZero();
    assertThat(window().aborted()).isPositive();
  }

  @Test
  void aRefusedWriteAbortsTheTransaction() {
    upstream.when(
        request -> isTogether(request) && request.message().mentions("user.1,"),
        Answers.result(53));
    List<Integer> sent = send();
    flush(WRITERS);
    assertAnswered(sent, 0);
    assertThat(window().aborted()).isOne();
    assertThat(upstream.received(TransactionsIT::isSingle))
        .hasSize(WRITERS - (int) window().transactional());
    assertOneAfterTheOther();
  }

  /** The connection that a transaction is on is lost before its end: none of it was done. */
  @Test
  void aTransactionLostBeforeItsEndIsRepeatedAsSingleWrites() {
    Held write = upstream.hold(TransactionsIT::isTogether);
    List<Integer> sent = send();
    flush(WRITERS);
    write.answer(Answers.close());
    assertAnswered(sent, 0);
    assertThat(window().aborted()).isPositive();
  }

  /** What the directory has been told to commit it may have committed. */
  @Test
  void aTransactionLostAtItsEndHasAnUnknownOutcome() {
    Held end = upstream.hold(TransactionsIT::isEnd);
    List<Integer> sent = send();
    flush(WRITERS);
    end.awaitArrival();
    long unknown = upstream.received(TransactionsIT::isTogether).size();
    upstream.dropConnections();
    int found = 0;
    for (int i = 0; i < WRITERS; i++) {
      int code = last(clients.get(i).await(sent.get(i))).resultCode();
      assertThat(code).isIn(0, 80);
      found += code == 80 ? 1 : 0;
    }
    assertThat(found).isEqualTo((int) unknown);
  }

  @Test
  void writesAreSingleIfTransactionsAreUnsupported() {
    upstream.when(TransactionsIT::isStart, Answers.result(2));
    for (int round = 0; round < 3; round++) {
      List<Integer> sent = send();
      flush(WRITERS);
      assertAnswered(sent, 0);
    }
    assertThat(upstream.received(TransactionsIT::isSingle)).hasSize(3 * WRITERS);
    assertThat(upstream.received(TransactionsIT::isStart)).hasSizeLessThanOrEqualTo(LOOPS);
  }

  @Test
  void aWriteThatWaitsLongForTheLockIsSentSingly() {
    Held first = upstream.hold(TransactionsIT::isStart);
    List<Integer> sent = send();
    flush(WRITERS);
    first.awaitArrival();
    upstream.awaitReceived(1, TransactionsIT::isSingle);
    assertThat(upstream.received(TransactionsIT::isStart)).hasSize(1);
    first.answer((request, link) -> link.send(request.messageId(), Responses.extendedValue("t7")));
    assertAnswered(sent, 0);
    assertThat(upstream.received(TransactionsIT::isTogether)).isNotEmpty();
    assertOneAfterTheOther();
  }

  @Test
  void writesOfOneEntryKeepTheirOrder() {
    RawLdapClient client = clients.get(0);
    List<Integer> sent = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      sent.add(client.send(replace(People.dn(1), "title", "v" + i)));
    }
    int other = client.send(Requests.replace(People.dn(2), "title", "w"));
    flush(11);
    sent.forEach(id -> assertThat(last(client.await(id)).resultCode()).isZero());
    assertThat(last(client.await(other)).resultCode()).isZero();
    List<Received> writes = upstream.received(request -> request.is(Received.MODIFY));
    List<String> values =
        writes.stream()
            .filter(request -> request.message().mentions("user.1,"))
            .map(TransactionsIT::value)
            .toList();
    assertThat(values).containsExactly("v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9");
  }

  /** One transaction is of several connections: what it has done each of them would have to see. */
  @Test
  void transactionsAreRefusedInConnectionScope() {
    ReplicationConfig alone =
        Records.with(
            ReplicationConfig.DEFAULTS, "session", ReplicationConfig.SessionScope.CONNECTION);
    WindowConfig window =
        new WindowConfig(NAME, null, null, Duration.ofSeconds(1), 10, Batch.TRANSACTIONS, false);
    ProxySetup setup = ProxySetup.before(upstream.port()).upstream("replication", alone);
    assertThatThrownBy(setup.windows(window)::config)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("session must be identity or proxy");
  }

  private static String value(Received modify) {
    return modify
        .message()
        .decoded()
        .getModifyRequestProtocolOp()
        .getModifications()
        .get(0)
        .getValues()[0];
  }
}
