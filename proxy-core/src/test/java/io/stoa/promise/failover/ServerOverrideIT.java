// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.failover;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.operation.event.ClientChoice;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Records;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.upstream.balancing.ServerSpec;
import io.stoa.upstream.connect.UpstreamTransport;
import io.stoa.upstream.connection.ConnectionStatus;
import io.stoa.upstream.server.BackendState;
import io.stoa.upstream.server.BackendStatus;
import io.stoa.upstream.server.ServerAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Servers are drained, resumed, weighed and reconnected while clients work, who notice nothing. */
class ServerOverrideIT {
  private static final RawRequest FIND =
      search("ou=people,dc=example,dc=com").filter("(uid=anna)").request();
  private static final RawRequest CHANGE = Requests.replace("uid=0,dc=example", "sn", "new");
  private static final RawRequest OWN = Requests.extended("1.3.6.1.4.1.4203.1.11.99");
  private static final int CLIENTS = 6;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private ScriptedUpstream first;
  private ScriptedUpstream second;

  @BeforeEach
  void start() {
    first = server();
    second = server();
  }

  private static ScriptedUpstream server() {
    ScriptedUpstream server = ScriptedUpstream.start();
    server.when(request -> request.is(Received.MODIFY), Answers.success());
    server.when(ServerOverrideIT::isFind, Answers.entries(Answers.person("anna", "here")));
    server.when(request -> request.is(Received.BIND), Answers.success());
    return server;
  }

  private static boolean isFind(Received request) {
    return request.isSearchFor("anna");
  }

  @AfterEach
  void stop() {
    first.close();
    second.close();
  }

  private static ServerSpec spec(
      ScriptedUpstream server, boolean primary, int weight, boolean drained, String reconnect) {
    ServerAddress address = new ServerAddress("127.0.0.1", server.port());
    return new ServerSpec(address, primary, weight, 1, List.of(), drained, reconnect);
  }

  private ServerSpec first(boolean drained) {
    return spec(first, true, 1, drained, "");
  }

  private ServerSpec second(boolean primary) {
    return spec(second, primary, 1, false, "");
  }

  private ProxySetup setup(boolean secondIsPrimary) {
    return ProxySetup.before(first.port(), second.port())
        .cachesOff()
        .upstream("writeCoherence", Duration.ZERO)
        .upstream("servers", List.of(first(false), second(secondIsPrimary)));
  }

  private static RunningProxy started(ProxySetup setup) {
    RunningProxy proxy = setup.start();
    awaitStates(proxy, BackendState.UP, BackendState.UP);
    return proxy;
  }

  private static void awaitStates(RunningProxy proxy, BackendState... states) {
    Await.until(
        List.of(states).toString(),
        () ->
            proxy.status().backends().stream()
                .map(backend -> backend.state())
                .toList()
                .equals(List.of(states)));
  }

  /** Clients that bind, read and write without a pause, and what went wrong with them. */
  private static final class Load implements AutoCloseable {
    private final ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    private final AtomicBoolean ended = new AtomicBoolean();
    private final AtomicInteger done = new AtomicInteger();
    private final List<String> failures = new CopyOnWriteArrayList<>();
    private final List<CompletableFuture<Void>> clients;

    Load(RunningProxy proxy) {
      clients =
          Stream.iterate(0, i -> i + 1)
              .limit(CLIENTS)
              .map(i -> CompletableFuture.runAsync(() -> work(proxy, i), threads))
              .toList();
    }

    private void work(RunningProxy proxy, int number) {
      RawRequest bind = Requests.bind("uid=" + number + ",dc=example,dc=com", "secret");
      try (RawLdapClient client = proxy.client()) {
        while (!ended.get()) {
          for (RawRequest request : List.of(bind, FIND, FIND, CHANGE, FIND)) {
            List<RawMessage> answer = client.call(request);
            if (RawLdapClient.last(answer).resultCode() != 0) {
              failures.add(answer.toString());
            }
            done.incrementAndGet();
          }
        }
      }
    }

    void more(int operations) {
      int before = done.get();
      Await.until(
          operations + " more", () -> done.get() - before >= operations || !failures.isEmpty());
      assertThat(failures).isEmpty();
    }

    @Override
    public void close() {
      ended.set(true);
      clients.forEach(CompletableFuture::join);
      threads.shutdown();
    }
  }

  @Test
  void noOperationFailsDuringAdministrativeChanges() {
    try (RunningProxy proxy = started(setup(true));
        Load load = new Load(proxy)) {
      for (int round = 0; round < 3; round++) {
        load.more(60);
        assertThat(proxy.proxy().applyServers(List.of(first(true))))
            .containsExactly("ldap://127.0.0.1:" + first.port() + " is drained");
        load.more(60);
        Await.until("the probe's is left", () -> first.openConnections() <= 1);
        int known = ofClients(first);
        load.more(60);
        assertThat(ofClients(first)).isEqualTo(known);
        proxy.proxy().applyServers(List.of(first(false)));
        awaitStates(proxy, BackendState.UP, BackendState.UP);
        Await.until("it is used", () -> ofClients(first) > known + 20);
        load.more(60);
        proxy
            .proxy()
            .applyServers(
                List.of(spec(first, true, 3, false, ""), spec(second, true, 1, false, "" + round)));
        load.more(60);
        proxy.proxy().applyServers(List.of(first(false)));
      }
      assertThat(proxy.status().backends()).allMatch(backend -> backend.connectionsLost() == 0);
    }
  }

  @Test
  void operationsOnADrainedServerEndThere() {
    try (RunningProxy proxy = started(setup(true));
        RawLdapClient client = proxy.client().bind("uid=x,dc=example,dc=com", "secret")) {
      proxy.proxy().applyServers(List.of(spec(second, true, 1, true, "")));
      Held held = first.hold(ServerOverrideIT::isFind);
      final int asked = client.send(FIND);
      held.awaitArrival();
      proxy.proxy().applyServers(List.of(first(true), second(true)));
      awaitStates(proxy, BackendState.DRAINED, BackendState.UP);
      assertThat(client.code(FIND)).isZero();
      assertThat(first.openConnections()).isGreaterThan(1);
      held.answer(Answers.success());
      assertThat(RawLdapClient.last(client.await(asked)).resultCode()).isZero();
      Await.until("the probe's is left", () -> first.openConnections() <= 1);
    }
  }

  @ParameterizedTest
  @EnumSource
  void operationsOnADrainedHungServerAreRetriedElsewhere(When drained) {
    ProxySetup setup = setup(true).upstream("attemptTimeout", Duration.ofMillis(600));
    try (RunningProxy proxy = started(setup);
        RawLdapClient client = proxy.client().bind("uid=x,dc=example,dc=com", "secret")) {
      proxy.proxy().applyServers(List.of(spec(second, true, 1, true, "")));
      Held held = first.hold(ServerOverrideIT::isFind);
      final int asked = client.send(FIND);
      held.awaitArrival();
      first.always(Answers.silence());
      if (drained == When.WHEN_SUSPECT) {
        awaitStates(proxy, BackendState.SUSPECT, BackendState.DRAINED);
      }
      proxy.proxy().applyServers(List.of(first(true), second(true)));
      awaitStates(proxy, BackendState.DRAINED, BackendState.UP);
      assertThat(RawLdapClient.last(client.await(asked)).resultCode()).isZero();
      assertThat(proxy.status().backends().get(0).state()).isEqualTo(BackendState.DRAINED);
      assertThat(second.received(ServerOverrideIT::isFind)).hasSize(1);
    }
  }

  /** When the server that hangs is drained. */
  private enum When {
    BEFORE_DETECTION,
    WHEN_SUSPECT
  }

  @Test
  void aSlowSearchIsLeftAloneOnADrainedServer() {
    ProxySetup setup = setup(true).upstream("attemptTimeout", Duration.ofMillis(100));
    try (RunningProxy proxy = started(setup);
        RawLdapClient client = proxy.client().bind("uid=x,dc=example,dc=com", "secret")) {
      proxy.proxy().applyServers(List.of(spec(second, true, 1, true, "")));
      Held held = first.hold(ServerOverrideIT::isFind);
      final int asked = client.send(FIND);
      held.awaitArrival();
      proxy.proxy().applyServers(List.of(first(true), second(true)));
      awaitStates(proxy, BackendState.DRAINED, BackendState.UP);
      int probes = first.received(request -> request.is(Received.SEARCH)).size();
      first.awaitReceived(probes + 2, request -> request.is(Received.SEARCH));
      held.answer(Answers.success());
      assertThat(RawLdapClient.last(client.await(asked)).resultCode()).isZero();
      assertThat(second.received(ServerOverrideIT::isFind)).isEmpty();
    }
  }

  @Test
  void writesAreRefusedUntilADrainedPrimaryIsResumed() {
    try (RunningProxy proxy = started(setup(false));
        RawLdapClient client = proxy.client()) {
      assertThat(proxy.proxy().applyServers(List.of(first(true))))
          .contains("no primary in use: writes are answered unavailable until one is resumed");
      assertThat(client.code(CHANGE)).isEqualTo(52);
      assertThat(client.code(FIND)).isZero();
      proxy.proxy().applyServers(List.of(first(false)));
      awaitStates(proxy, BackendState.UP, BackendState.UP);
      assertThat(client.code(CHANGE)).isZero();
    }
  }

  /** A drained server may go down and come back; that does not put it into use. */
  @Test
  void aDrainedServerStaysDrained() {
    try (RunningProxy proxy = started(setup(true));
        RawLdapClient client = proxy.client()) {
      proxy.proxy().applyServers(List.of(first(true)));
      first.goDown();
      for (int i = 0; i < 20; i++) {
        assertThat(client.code(CHANGE)).isZero();
      }
      first.comeBack();
      awaitStates(proxy, BackendState.DRAINED, BackendState.UP);
    }
  }

  @Test
  void aNewReconnectTextRenewsAllConnections() {
    try (RunningProxy proxy = started(setup(true));
        RawLdapClient client = proxy.client().bind("uid=x,dc=example,dc=com", "secret")) {
      proxy.proxy().applyServers(List.of(spec(second, true, 1, true, "")));
      assertThat(client.code(FIND)).isZero();
      final int connection = lastFind(first);
      proxy.proxy().applyServers(List.of(spec(first, true, 1, false, "today")));
      Await.until(
          "the connection is another",
          () -> client.code(FIND) == 0 && lastFind(first) != connection);
      assertThat(proxy.status().backends().get(0).connectionsLost()).isZero();
    }
  }

  // Single connections

  private static List<ConnectionStatus> connections(RunningProxy proxy) {
    return proxy.proxy().adminCommands().connections(ClientChoice.ALL).join();
  }

  private static boolean end(RunningProxy proxy, long number) {
    return proxy.proxy().adminCommands().close(number).join();
  }

  @Test
  void noOperationFailsWhileConnectionsAreClosed() {
    try (RunningProxy proxy = started(setup(true));
        Load load = new Load(proxy)) {
      for (int round = 0; round < 3; round++) {
        load.more(60);
        List<Long> closed = connections(proxy).stream().map(ConnectionStatus::number).toList();
        assertThat(closed).isNotEmpty().doesNotHaveDuplicates();
        closed.forEach(number -> end(proxy, number));
        Await.until(
            "they have ended",
            () -> connections(proxy).stream().noneMatch(one -> closed.contains(one.number())));
      }
      load.more(60);
      assertThat(proxy.status().backends()).allMatch(backend -> backend.connectionsLost() == 0);
    }
  }

  @Test
  void operationsOnAClosingConnectionEndThere() {
    try (RunningProxy proxy = started(setup(true));
        RawLdapClient client = proxy.client().bind("uid=x,dc=example,dc=com", "secret")) {
      proxy.proxy().applyServers(List.of(spec(second, true, 1, true, "")));
      Held held = first.hold(ServerOverrideIT::isFind);
      final int asked = client.send(FIND);
      final int connection = held.awaitArrival().connection();
      ConnectionStatus busy =
          connections(proxy).stream().filter(one -> one.pending() == 1).findFirst().orElseThrow();
      assertThat(busy.identity()).isEqualTo("uid=x,dc=example,dc=com");
      assertThat(busy.type() + " " + busy.state()).isEqualTo("regular active");
      assertThat(end(proxy, busy.number())).isTrue();
      assertThat(client.code(FIND)).isZero();
      assertThat(lastFind(first)).isNotEqualTo(connection);
      assertThat(connections(proxy))
          .filteredOn(one -> one.number() == busy.number())
          .extracting(ConnectionStatus::state)
          .containsExactly("closing");
      held.answer(Answers.success());
      assertThat(RawLdapClient.last(client.await(asked)).resultCode()).isZero();
      Await.until(
          "it has ended",
          () -> connections(proxy).stream().noneMatch(one -> one.number() == busy.number()));
      assertThat(end(proxy, busy.number())).isFalse();
      assertThat(proxy.status().backends()).allMatch(backend -> backend.connectionsLost() == 0);
    }
  }

  /** Where passwords are not kept nobody could bind another as the client. */
  @Test
  void aBindingConnectionIsNotClosed() {
    try (RunningProxy proxy = started(setup(true).upstream("keepPasswords", false));
        RawLdapClient client = proxy.client()) {
      proxy.proxy().applyServers(List.of(spec(second, true, 1, true, "")));
      Held held = first.hold(request -> request.is(Received.BIND));
      final int bind = client.send(Requests.bind("uid=x,dc=example,dc=com", "secret"));
      held.awaitArrival();
      ConnectionStatus busy =
          connections(proxy).stream().filter(one -> one.pending() == 1).findFirst().orElseThrow();
      assertThat(busy.type()).isEqualTo("bind");
      assertThat(end(proxy, busy.number())).isTrue();
      held.answer(Answers.success());
      assertThat(RawLdapClient.last(client.await(bind)).resultCode()).isZero();
      assertThat(client.code(FIND)).isZero();
      assertThat(client.code(CHANGE)).isZero();
      assertThat(connections(proxy))
          .filteredOn(one -> one.number() == busy.number())
          .extracting(one -> one.type() + " " + one.state() + " " + one.identity())
          .containsExactly("regular closing uid=x,dc=example,dc=com");
    }
  }

  @Test
  void operationsOfConnectionsAddUpToTheirServers() {
    try (RunningProxy proxy = started(setup(true));
        RawLdapClient client = proxy.client().bind("uid=x,dc=example,dc=com", "secret")) {
      final long before = operationsOfClosedConnections(proxy);
      for (int i = 0; i < 10; i++) {
        assertThat(client.code(FIND)).isZero();
        assertThat(client.code(CHANGE)).isZero();
      }
      Await.until("all is told of", () -> operationsOfClosedConnections(proxy) == before);
      assertThat(connections(proxy)).allMatch(one -> one.failed() == 0);
      for (BackendStatus server : proxy.status().backends()) {
        Await.until(
            "each is told of", () -> connections(proxy, server.address()) == server.living());
      }
    }
  }

  /** What servers were asked, but for what connections tell of that are there. */
  private static long operationsOfClosedConnections(RunningProxy proxy) {
    long operations = proxy.status().backends().stream().mapToLong(BackendStatus::operations).sum();
    return operations - connections(proxy).stream().mapToLong(ConnectionStatus::completed).sum();
  }

  private static long connections(RunningProxy proxy, ServerAddress server) {
    return connections(proxy).stream().filter(one -> one.server().equals(server)).count();
  }

  @Test
  void aSampleListsOneConnectionPerServer() {
    try (RunningProxy proxy = started(setup(true));
        Load load = new Load(proxy)) {
      load.more(60);
      CompletableFuture<List<ConnectionStatus>> some =
          proxy.proxy().adminCommands().connections(ClientChoice.EXAMPLE);
      assertThat(some.join().stream().map(ConnectionStatus::server).distinct()).hasSize(2);
      assertThat(proxy.proxy().adminCommands().connections(ClientChoice.NONE).join()).isEmpty();
    }
  }

  private static int ofClients(ScriptedUpstream server) {
    return server.received(r -> r.is(Received.BIND) || r.is(Received.MODIFY) || isFind(r)).size();
  }

  private static int lastFind(ScriptedUpstream server) {
    List<Received> finds = server.received(ServerOverrideIT::isFind);
    return finds.get(finds.size() - 1).connection();
  }

  @Test
  void connectionsAreRenewedBeforeMaxAge() {
    UpstreamTransport young =
        Records.with(UpstreamTransport.DEFAULTS, "maxAge", Duration.ofMillis(300));
    try (RunningProxy proxy = started(setup(true).upstream("transport", young));
        RawLdapClient client = proxy.client().bind("uid=x,dc=example,dc=com", "secret")) {
      proxy.proxy().applyServers(List.of(spec(second, true, 1, true, "")));
      List<Integer> used = new ArrayList<>();
      Await.until(
          "three connections, one after the other",
          () -> {
            assertThat(client.code(FIND)).isZero();
            used.add(lastFind(first));
            return used.stream().distinct().count() >= 3;
          });
      assertThat(proxy.status().backends().get(0).connectionsLost()).isZero();
    }
  }

  /** What was moved to another server comes back: shared connections at once, others when idle. */
  @Test
  void clientsComeBackToAServerThatReturns() {
    first.when(request -> request.is(Received.EXTENDED), Answers.result(53));
    second.when(request -> request.is(Received.EXTENDED), Answers.result(53));
    try (RunningProxy proxy = started(setup(true));
        RawLdapClient shared = proxy.client().bind("uid=x,dc=example,dc=com", "secret");
        RawLdapClient pinned = proxy.client().bind("uid=y,dc=example,dc=com", "secret")) {
      first.goDown();
      Await.until("it is down", () -> proxy.status().backends().get(0).state() != BackendState.UP);
      assertThat(shared.code(FIND)).isZero();
      assertThat(pinned.code(OWN)).isEqualTo(53);
      final int own = second.received(r -> r.is(Received.EXTENDED)).get(0).connection();
      first.comeBack();
      awaitStates(proxy, BackendState.UP, BackendState.UP);
      int known = first.received(ServerOverrideIT::isFind).size();
      Await.until(
          "reads come back",
          () -> shared.code(FIND) == 0 && first.received(ServerOverrideIT::isFind).size() > known);
      Await.until("the client's own connection is ended when it has been idle", () -> ended(own));
      assertThat(pinned.code(OWN)).isEqualTo(53);
      assertThat(first.received(request -> request.is(Received.EXTENDED))).hasSize(1);
    }
  }

  private boolean ended(int connection) {
    return second.received().stream()
        .anyMatch(request -> request.is(Received.UNBIND) && request.connection() == connection);
  }
}
