// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.identity;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

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
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Stoa binds with passwords that clients have left: one that may be wrong is tried once, and one
 * that is right, or a server that does not answer, holds up nobody.
 */
class BindCoalescerIT {
  private static final String X = People.dn(1);
  private static final int CLIENTS = 10;
  private static final int UNAVAILABLE = 52;
  private static final int INVALID_CREDENTIALS = 49;
  private static final int UNWILLING = 53;
  private static final int MAX_ATTEMPTS = 4;
  private static final int AFTER_THE_BIND = 2;
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final RawRequest READ = search(X).baseScope().request();
  private static final RawRequest BUSY = search("cn=busy").baseScope().request();

  /** Needs a connection of the client's own. */
  private static final RawRequest UNKNOWN = Requests.extended("1.2.3.4.5");

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private ScriptedUpstream upstream;
  private RunningProxy proxy;
  private final List<RawLdapClient> clients = new ArrayList<>();

  @BeforeEach
  void start() {
    upstream = ScriptedUpstream.start();
  }

  @AfterEach
  void stop() {
    clients.forEach(RawLdapClient::close);
    try {
      proxy.close();
    } finally {
      upstream.close();
    }
  }

  private void startProxy(int... more) {
    proxy = setup(more).start().awaitUp();
  }

  private ProxySetup setup(int... more) {
    int[] ports = new int[more.length + 1];
    ports[0] = upstream.port();
    System.arraycopy(more, 0, ports, 1, more.length);
    return ProxySetup.before(ports).cachesOff().upstream("connectTimeout", LONG);
  }

  private RawLdapClient bound() {
    RawLdapClient client = proxy.client().bind(X, People.PASSWORD);
    clients.add(client);
    return client;
  }

  private static boolean isBind(Received request) {
    return request.is(Received.BIND) && request.message().mentions(X);
  }

  private int binds() {
    return upstream.received(BindCoalescerIT::isBind).size();
  }

  private int connections() {
    return proxy.status().backends().get(0).connections();
  }

  private void loseConnections(ScriptedUpstream... servers) {
    for (ScriptedUpstream server : servers) {
      server.dropConnections();
    }
    Await.until(
        "no connection is left",
        () -> proxy.status().backends().stream().allMatch(one -> one.connections() == 0));
  }

  // Who waits for whom

  @Test
  void aSilentServerDoesNotBlockRebindsElsewhere() {
    try (ScriptedUpstream healthy = ScriptedUpstream.start()) {
      startProxy(healthy.port());
      RawLdapClient writer = bound();
      RawLdapClient reader = bound();
      loseConnections(upstream, healthy);
      final int before = binds();
      upstream.when(BindCoalescerIT::isBind, Answers.silence());
      Held busy = upstream.hold(request -> request.isSearchFor("cn=busy"));
      RawLdapClient anonymous = proxy.client();
      clients.add(anonymous);
      anonymous.send(BUSY);
      busy.awaitArrival();
      writer.send(Requests.replace(X, "description", "new"));
      upstream.awaitReceived(before + 1, BindCoalescerIT::isBind);
      assertThat(reader.code(READ)).isZero();
    }
  }

  /** They are on all event loops. */
  @Test
  void operationsWaitingForASilentServerMoveElsewhere() {
    try (ScriptedUpstream healthy = ScriptedUpstream.start()) {
      ProxySetup setup = setup(healthy.port()).upstream("connectTimeout", Duration.ofSeconds(2));
      proxy = setup.start().awaitUp();
      for (int i = 0; i < CLIENTS; i++) {
        bound();
      }
      loseConnections(upstream, healthy);
      final int before = binds();
      upstream.when(BindCoalescerIT::isBind, Answers.silence());
      clients.forEach(client -> client.send(READ));
      clients.forEach(client -> assertThat(code(client)).isZero());
      assertThat(binds()).isEqualTo(before + 1);
    }
  }

  /** All own connections are bound at once, as soon as one was. */
  @Test
  void anAcceptedPasswordIsUsedForAllRebindsAtOnce() {
    startProxy();
    for (int i = 0; i < CLIENTS; i++) {
      bound();
    }
    final int before = binds();
    Held first = allAskForOwnConnections();
    ConcurrentLinkedQueue<Runnable> others = new ConcurrentLinkedQueue<>();
    upstream.when(
        BindCoalescerIT::isBind,
        (request, link) -> others.add(() -> Answers.success().to(request, link)));
    assertThat(binds()).isEqualTo(before + 1);
    first.answer(Answers.success());
    upstream.awaitReceived(before + CLIENTS, BindCoalescerIT::isBind);
    Await.until("all but the first are held", () -> others.size() == CLIENTS - 1);
    others.forEach(Runnable::run);
    clients.forEach(client -> assertThat(code(client)).isZero());
    assertThat(binds()).isEqualTo(before + CLIENTS);
  }

  /** The first bind that this takes, once all connections are there. */
  private Held allAskForOwnConnections() {
    int there = connections();
    Held first = upstream.hold(BindCoalescerIT::isBind);
    clients.forEach(client -> client.send(UNKNOWN));
    first.awaitArrival();
    Await.until("all connections are there", () -> connections() == there + CLIENTS);
    return first;
  }

  private static int code(RawLdapClient client) {
    return RawLdapClient.last(client.await(AFTER_THE_BIND)).resultCode();
  }

  @Test
  void aPasswordThatWasRefusedIsNotTriedForOtherConnections() {
    startProxy();
    for (int i = 0; i < CLIENTS; i++) {
      bound();
    }
    final int before = binds();
    Held first = allAskForOwnConnections();
    upstream.when(BindCoalescerIT::isBind, Answers.result(INVALID_CREDENTIALS));
    first.answer(Answers.result(INVALID_CREDENTIALS));
    for (RawLdapClient client : clients) {
      assertThat(code(client)).isEqualTo(UNWILLING);
      assertThat(client.code(READ)).as("where it has bound").isZero();
    }
    assertThat(binds()).isEqualTo(before + 1);
  }

  /** Whoever has a wrong password does not profit from one who has the right one. */
  @Test
  void anAcceptedPasswordProvesNoOtherPassword() {
    startProxy();
    for (int i = 0; i < CLIENTS; i++) {
      clients.add(proxy.client().bind(X, i % 2 == 0 ? "right" : "wrong"));
    }
    upstream.when(BindCoalescerIT::isWrong, Answers.result(INVALID_CREDENTIALS));
    final int before = upstream.received(BindCoalescerIT::isWrong).size();
    Held first = allAskForOwnConnections();
    boolean wrong = isWrong(first.awaitArrival());
    first.answer(wrong ? Answers.result(INVALID_CREDENTIALS) : Answers.success());
    for (int i = 0; i < CLIENTS; i += 2) {
      assertThat(code(clients.get(i))).isZero();
      assertThat(code(clients.get(i + 1))).isEqualTo(UNWILLING);
    }
    assertThat(upstream.received(BindCoalescerIT::isWrong)).hasSize(before + 1);
  }

  private static boolean isWrong(Received request) {
    return isBind(request) && request.message().mentions("wrong");
  }

  @Test
  void aRebindWithoutAWaitingClientIsGivenUp() {
    startProxy();
    RawLdapClient first = bound();
    RawLdapClient leaving = bound();
    final int before = binds();
    Held bind = upstream.hold(BindCoalescerIT::isBind);
    int id = first.send(UNKNOWN);
    bind.awaitArrival();
    int there = connections();
    leaving.send(UNKNOWN);
    Await.until("its connection is there", () -> connections() == there + 1);
    leaving.close();
    Await.until("its connection has gone", () -> connections() == there);
    bind.answer(Answers.success());
    assertThat(RawLdapClient.last(first.await(id)).resultCode()).isZero();
    assertThat(binds()).isEqualTo(before + 1);
  }

  // What a server says

  /** It is the server that fails: nobody is disconnected, and nothing is asked for ever. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 11, 80})
  void aServerErrorDoesNotProveAPasswordWrong(int code) {
    startProxy();
    RawLdapClient client = bound();
    loseConnections(upstream);
    final int before = binds();
    upstream.when(BindCoalescerIT::isBind, Answers.result(code));
    assertThat(client.code(READ)).isEqualTo(UNAVAILABLE);
    assertThat(binds() - before).isBetween(1, MAX_ATTEMPTS);
    upstream.when(BindCoalescerIT::isBind, Answers.success());
    assertThat(client.code(READ)).isZero();
  }

  @Test
  void operationsMoveElsewhereIfTheServerCannotBind() {
    try (ScriptedUpstream healthy = ScriptedUpstream.start()) {
      startProxy(healthy.port());
      RawLdapClient client = bound();
      loseConnections(upstream, healthy);
      upstream.when(BindCoalescerIT::isBind, Answers.result(80));
      assertThat(client.code(READ)).isZero();
      assertThat(healthy.received(request -> request.isSearchFor(X))).hasSize(1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {7, 8, 13, 19, 32, 34, 48, 49, 50, 53})
  void aRefusedPasswordOrAccountDisconnectsTheClient(int code) {
    startProxy();
    RawLdapClient client = bound();
    loseConnections(upstream);
    upstream.when(BindCoalescerIT::isBind, Answers.result(code));
    client.send(READ);
    List<RawMessage> told = client.drain();
    assertThat(told).hasSize(1);
    assertThat(told.get(0).messageId()).isZero();
    assertThat(told.get(0).resultCode()).isEqualTo(UNAVAILABLE);
  }
}
