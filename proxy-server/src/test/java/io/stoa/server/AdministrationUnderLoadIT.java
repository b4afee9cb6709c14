// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static io.stoa.testing.Requests.search;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.operation.event.ClientChoice;
import io.stoa.operation.event.ClientStatus;
import io.stoa.server.admin.auth.PasswordHash;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.Held;
import io.stoa.testing.People;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.ReplicatedSlapd;
import io.stoa.testing.Requests;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.SlapdConfig;
import io.stoa.upstream.server.BackendState;
import io.stoa.upstream.server.BackendStatus;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the administrator has done while clients work. */
class AdministrationUnderLoadIT {
  private static final RawRequest FIND = search("dc=example,dc=com").filter("(uid=anna)").request();
  private static final RawRequest CHANGE =
      Requests.replace("uid=anna,dc=example,dc=com", "sn", "new");

  @TempDir Path folder;

  private static String server(int number) {
    return "cn=server "
        + number
        + ",cn=tier 1,cn=Backend Tiers,cn=Load Balancer,cn=Backends,cn=Monitor";
  }

  private static long number(AdministeredServer stoa, RawLdapClient client) throws Exception {
    return stoa.server().proxy().survey(ClientChoice.ALL).get().stream()
        .filter(status -> status.peer().endpoint() != null)
        .filter(status -> status.peer().endpoint().getPort() == client.port())
        .mapToLong(ClientStatus::number)
        .findFirst()
        .orElseThrow();
  }

  /** A write that was sent is followed to its end: what was stored before it is not shown. */
  @Test
  void aClientIsDisconnectedDuringAWrite() throws Exception {
    try (ScriptedUpstream upstream = ScriptedUpstream.start();
        AdministeredServer stoa =
            AdministeredServer.start(folder, "cache: {maxAge: 1h}", upstream.port());
        RawLdapClient writer = stoa.client();
        RawLdapClient reader = stoa.client()) {
      upstream.when(
          request -> request.isSearchFor("anna"), Answers.entries(Answers.person("anna", "here")));
      Held held = upstream.hold(request -> request.is(Received.MODIFY));
      writer.send(CHANGE);
      held.awaitArrival();
      stoa.act(
          "cn=Connection " + number(stoa, writer) + ",cn=Connections,cn=Monitor", "disconnect");
      assertThat(writer.closesWithin(Duration.ofSeconds(10))).isTrue();
      assertThat(reader.code(FIND)).isZero();
      long ended = stoa.cache().invalidations();
      held.answer(Answers.success());
      Await.until("the caches hear of it", () -> stoa.cache().invalidations() > ended);
      assertThat(reader.code(FIND)).isZero();
      assertThat(upstream.received(request -> request.isSearchFor("anna"))).hasSize(2);
    }
  }

  /** As SIGTERM: what is under way is answered, and the process ends well. */
  @Test
  void shutdownWaitsForOperationsInFlight() throws Exception {
    String hash = PasswordHash.of("secret".getBytes(UTF_8)).print();
    try (ScriptedUpstream upstream = ScriptedUpstream.start()) {
      Path file =
          Files.writeString(
              folder.resolve("stoa.yaml"),
              """
              listen: ['127.0.0.1:0']
              management: {listen: none}
              upstream:
                servers: ['ldap://127.0.0.1:%d']
              admin: {passwordHash: '%s'}
              """
                  .formatted(upstream.port(), hash));
      Held held = upstream.hold(request -> request.is(Received.MODIFY));
      try (CommandProcess process = CommandProcess.start("run", "--config", file.toString())) {
        int port = Integer.parseInt(process.await("listening on 127\\.0\\.0\\.1:(\\d+)").group(1));
        process.await("INFO .*: ready$");
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        try (RawLdapClient client = RawLdapClient.connect(address);
            RawLdapClient administrator =
                RawLdapClient.connect(address).bind("cn=admin,cn=configuration", "secret")) {
          int change = client.send(CHANGE);
          held.awaitArrival();
          assertThat(
                  administrator.code(
                      AdministeredServer.request(AdministeredServer.STOA, "shutdown")))
              .isZero();
          assertThat(administrator.closesWithin(Duration.ofSeconds(10))).isTrue();
          assertThat(process.handle().isAlive()).isTrue();
          held.answer(Answers.success());
          assertThat(RawLdapClient.last(client.await(change)).resultCode()).isZero();
          process.handle().onExit().get(30, TimeUnit.SECONDS);
          assertThat(process.output()).contains("shutdown: ", "shut down");
        }
      }
    }
  }

  /** Servers come and go, get new connections and other weights, and no operation fails. */
  @Test
  void noOperationFailsDuringAdministration() throws Exception {
    try (ReplicatedSlapd servers =
            ReplicatedSlapd.start(
                SlapdConfig.stock(), People.SUFFIX, People.ACCESS, People.tree(50), 2);
        AdministeredServer stoa =
            AdministeredServer.start(folder, "cache: {enabled: false}", servers.ports())) {
      Await.until("all are up", () -> up(stoa) == 3);
      try (Load load = new Load(stoa)) {
        for (int round = 0; round < 3; round++) {
          for (int replica = 2; replica <= 3; replica++) {
            stoa.act(server(replica), "drain");
            long before = operations(stoa, replica);
            load.awaitMoreOperations();
            assertThat(operations(stoa, replica) - before).as("drained").isZero();
            stoa.act(server(replica), "resume");
            Await.until("it is back", () -> up(stoa) == 3);
            stoa.act(server(replica), "weight " + (round + 2));
            stoa.act(server(replica), "reconnect");
            load.awaitMoreOperations();
          }
          stoa.act(server(1), "reconnect");
        }
        assertThat(load.failures).isEmpty();
      }
      assertThat(stoa.server().proxy().status().backends().get(2).fullWeight()).isEqualTo(4);
    }
  }

  private static long up(AdministeredServer stoa) {
    return stoa.server().proxy().status().backends().stream()
        .filter(backend -> backend.state() == BackendState.UP)
        .count();
  }

  /** What is under way when a server is drained ends there. */
  private static long operations(AdministeredServer stoa, int number) {
    stoa.server()
        .proxy()
        .adminCommands()
        .connections(ClientChoice.ALL)
        .join(); // each loop knows of it
    Await.until("nothing is under way", () -> backend(stoa, number).outstanding() == 0);
    return backend(stoa, number).operations();
  }

  private static BackendStatus backend(AdministeredServer stoa, int number) {
    return stoa.server().proxy().status().backends().get(number - 1);
  }

  /** Clients that bind, read and write without a pause, and what went wrong with them. */
  private static final class Load implements AutoCloseable {
    private static final int CLIENTS = 4;

    private final ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    private final AtomicBoolean ended = new AtomicBoolean();
    private final AtomicInteger done = new AtomicInteger();
    private final List<String> failures = new CopyOnWriteArrayList<>();
    private final List<Future<?>> clients = new ArrayList<>();

    Load(AdministeredServer stoa) {
      for (int i = 0; i < CLIENTS; i++) {
        int number = i;
        clients.add(threads.submit(() -> work(stoa, number)));
      }
    }

    private void work(AdministeredServer stoa, int number) {
      String dn = People.dn(number);
      List<RawRequest> requests =
          List.of(
              Requests.bind(dn, People.PASSWORD),
              search(dn).baseScope().request(),
              People.find(number + 9),
              Requests.compare(dn, "uid", People.user(number)));
      try (RawLdapClient client = stoa.client()) {
        while (!ended.get()) {
          for (RawRequest request : requests) {
            int code = RawLdapClient.last(client.call(request)).resultCode();
            if (code != 0 && code != 6) {
              failures.add(number + ": " + code);
            }
            done.incrementAndGet();
          }
        }
      }
    }

    /** Waits until much more has been done. */
    void awaitMoreOperations() {
      int before = done.get();
      Await.until("the load goes on", () -> done.get() - before > 200 || !failures.isEmpty());
    }

    @Override
    public void close() throws Exception {
      ended.set(true);
      for (Future<?> client : clients) {
        client.get(1, TimeUnit.MINUTES);
      }
      threads.shutdownNow();
    }
  }
}
