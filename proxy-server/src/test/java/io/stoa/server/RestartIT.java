// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPConnectionPool;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import io.stoa.client.listener.ListenerConfig;
import io.stoa.client.listener.ListenerConfig.Protocol;
import io.stoa.testing.Await;
import io.stoa.testing.InMemoryDirectory;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Restarts under load, with sockets that outlive the process. No connection is refused. Operations
 * fail only on connections that have got a Notice of Disconnection.
 */
class RestartIT {
  private static final int RESTARTS = 20;
  private static final int PEOPLE = 20;
  private static final long PACE_NANOS = 5_000_000;

  @TempDir Path directory;

  private final List<String> failures = new CopyOnWriteArrayList<>();
  private final List<Client> clients = new ArrayList<>();
  private final AtomicInteger written = new AtomicInteger();
  private InMemoryDirectory upstream;
  private SocketHolder holder;

  @BeforeEach
  void start() throws IOException {
    upstream = InMemoryDirectory.start(PEOPLE);
    holder = SocketHolder.open(directory, command());
    configure(holder.port());
  }

  @AfterEach
  void stop() throws InterruptedException {
    for (Client client : clients) {
      client.end();
    }
    holder.close();
    upstream.close();
  }

  private List<String> command() {
    return CommandProcess.command("run", "--config", file().toString());
  }

  private Path file() {
    return directory.resolve("stoa.yaml");
  }

  private void configure(int port) throws IOException {
    String format =
        """
        listen: ['127.0.0.1:%d', '%s']
        management: {listen: '127.0.0.1:%d'}
        upstream:
          servers: ['ldap://127.0.0.1:%d']
        """;
    ListenerConfig local = new ListenerConfig(Protocol.LDAPI, holder.socketFile().toString(), 0);
    Files.writeString(
        file(), format.formatted(port, local, holder.managementPort(), upstream.port()));
  }

  private SocketHolder.Started startReady() throws IOException {
    SocketHolder.Started stoa = holder.start();
    stoa.await("INFO .*: ready$");
    return stoa;
  }

  /** The new Stoa accepts before the old one drains. */
  @Test
  void overlappingRestartsRefuseNoClient() throws Exception {
    SocketHolder.Started old = startReady();
    load();
    for (int i = 0; i < RESTARTS; i++) {
      SocketHolder.Started next = startReady();
      more();
      endsWithoutAFailure(old);
      more();
      old = next;
    }
    finish(old);
  }

  /** Clients wait in the queue of the socket until the next Stoa accepts. */
  @Test
  void restartsWithAPauseRefuseNoClient() throws Exception {
    SocketHolder.Started stoa = startReady();
    load();
    for (int i = 0; i < 2; i++) {
      more();
      endsWithoutAFailure(stoa);
      stoa = startReady();
    }
    finish(stoa);
  }

  private void endsWithoutAFailure(SocketHolder.Started stoa) throws IOException {
    stoa.terminate();
    assertThat(holder.awaitExit(stoa)).isZero();
    assertThat(stoa.output())
        .containsPattern("drained: client connections ended when idle=[1-9]\\d*, .*Timeout=0")
        .doesNotContain("ERROR");
    assertThat(failures).isEmpty();
  }

  private void finish(SocketHolder.Started stoa) throws Exception {
    more();
    localSocketAccepts();
    managementAnswers();
    for (Client client : clients) {
      client.end();
    }
    stoa.terminate();
    assertThat(holder.awaitExit(stoa)).isZero();
    localSocketAccepts();
    assertThat(failures).isEmpty();
    assertThat(clients)
        .filteredOn(client -> client.work instanceof KeptConnection)
        .hasSize(2)
        .allMatch(client -> client.told.get() > 0);
    for (int i = 0; i < written.get(); i++) {
      String[] values = upstream.server().getEntry(target(i)).getAttributeValues("description");
      assertThat(values).contains(value(i));
    }
  }

  private static String target(int number) {
    return InMemoryDirectory.person(number % PEOPLE);
  }

  private static String value(int number) {
    return "value " + number;
  }

  /** Its file is still there, and the holder of the socket takes connections. */
  private void localSocketAccepts() throws IOException {
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.connect(UnixDomainSocketAddress.of(holder.socketFile()));
      assertThat(channel.isConnected()).isTrue();
    }
  }

  private void managementAnswers() throws Exception {
    assertThat(
            HttpExchange.get(
                    new InetSocketAddress(
                        InetAddress.getLoopbackAddress(), holder.managementPort()),
                    "/readyz")
                .status())
        .isEqualTo(200);
  }

  // Errors of the configuration

  @Test
  void aSocketWithoutAListenerEndsTheStart() throws IOException {
    configure(0);
    SocketHolder.Started stoa = holder.start();
    assertThat(holder.awaitExit(stoa)).isEqualTo(ExitCode.CONFIGURATION.code());
    assertThat(stoa.output())
        .contains(
            "LISTEN_FDS: inherited socket 127.0.0.1:"
                + holder.port()
                + " (descriptor 3, clients) belongs to no listener; add the address to listen");
  }

  @Test
  void aSocketInBlockingModeEndsTheStart() throws IOException {
    Path other = Files.createDirectory(directory.resolve("blocking"));
    try (SocketHolder blocking = SocketHolder.openBlocking(other, command())) {
      SocketHolder.Started stoa = blocking.start();
      assertThat(blocking.awaitExit(stoa)).isEqualTo(ExitCode.CONFIGURATION.code());
      assertThat(stoa.output()).contains("is in blocking mode; set NonBlocking=true");
    }
  }

  // Clients

  private void load() {
    InetSocketAddress address =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), holder.port());
    clients.add(new Client("search", new KeptConnection(address, this::searchAgain, done -> {})));
    clients.add(new Client("write", new KeptConnection(address, this::writeNext, written::set)));
    clients.add(new Client("login", new Login(address)));
    clients.add(new Client("pool", new Pool(holder.port())));
    more();
  }

  /** Waits until each client has done more. */
  private void more() {
    List<Integer> before = clients.stream().map(client -> client.done.get()).toList();
    Await.until(
        "each client does more",
        () -> {
          boolean all = true;
          for (int i = 0; i < clients.size(); i++) {
            all &= clients.get(i).done.get() >= before.get(i) + 5;
          }
          return all || !failures.isEmpty();
        });
    assertThat(failures).isEmpty();
  }

  private RawRequest searchAgain(int number) {
    return search(InMemoryDirectory.PEOPLE).filter("(uid=user." + number % PEOPLE + ")").request();
  }

  /** Fails if it is sent again after it has taken effect. */
  private RawRequest writeNext(int number) {
    return Requests.modify(
        target(number), new Modification(ModificationType.ADD, "description", value(number)));
  }

  /** One round of a client; false if its connection was told to end. */
  private interface Work {
    boolean round(int number);

    default void end() {}
  }

  /** One thread that does its work again until its end. */
  private final class Client {
    private final AtomicInteger done = new AtomicInteger();
    private final AtomicInteger told = new AtomicInteger();
    private final String name;
    private final Work work;
    private final Thread thread;
    private volatile boolean ended;

    Client(String name, Work work) {
      this.name = name;
      this.work = work;
      thread = new Thread(this::run, "restart-client-" + name);
      thread.start();
    }

    private void run() {
      try {
        while (!ended) {
          if (work.round(done.get())) {
            done.incrementAndGet();
          } else {
            told.incrementAndGet();
          }
          LockSupport.parkNanos(PACE_NANOS);
        }
      } catch (RuntimeException | AssertionError e) {
        failures.add(name + ": " + e);
      } finally {
        work.end();
      }
    }

    void end() throws InterruptedException {
      ended = true;
      thread.join();
    }
  }

  /**
   * Sends a request and returns its result code; empty if the client got a Notice of Disconnection
   * instead. Anything else is a failure.
   */
  private static Optional<Integer> code(RawLdapClient client, RawRequest request) {
    try {
      client.send(request);
    } catch (UncheckedIOException closed) {
      // The notice is read below.
    }
    Optional<RawMessage> message = client.next();
    while (message.isPresent() && message.get().messageId() != 0 && !message.get().isFinal()) {
      message = client.next();
    }
    RawMessage last =
        message.orElseThrow(() -> new AssertionError("connection closed without a notice"));
    return last.messageId() == 0 ? Optional.empty() : Optional.of(last.resultCode());
  }

  private static boolean isSuccess(Optional<Integer> code) {
    code.ifPresent(one -> assertThat(one).isZero());
    return code.isPresent();
  }

  private static RawRequest bind(int number) {
    return Requests.bind(
        InMemoryDirectory.person(1 + number % (PEOPLE - 1)), InMemoryDirectory.PASSWORD);
  }

  /** Binds once, and connects and binds again only when told to end. */
  private static final class KeptConnection implements Work {
    private final InetSocketAddress address;
    private final IntFunction<RawRequest> requests;
    private final IntConsumer onDone;
    private RawLdapClient client;

    KeptConnection(
        InetSocketAddress address, IntFunction<RawRequest> requests, IntConsumer onDone) {
      this.address = address;
      this.requests = requests;
      this.onDone = onDone;
    }

    @Override
    public boolean round(int number) {
      if (client == null) {
        client = RawLdapClient.connect(address);
        RawRequest administrator =
            Requests.bind(InMemoryDirectory.ROOT_DN, InMemoryDirectory.ROOT_PASSWORD);
        if (!isSuccess(code(client, administrator))) {
          end();
          return false;
        }
      }
      boolean success = isSuccess(code(client, requests.apply(number)));
      if (success) {
        onDone.accept(number + 1);
      } else {
        end();
      }
      return success;
    }

    @Override
    public void end() {
      if (client != null) {
        client.close();
        client = null;
      }
    }
  }

  /** Connects, binds, searches and leaves, as a login does. */
  private final class Login implements Work {
    private final InetSocketAddress address;

    Login(InetSocketAddress address) {
      this.address = address;
    }

    @Override
    public boolean round(int number) {
      try (RawLdapClient client = RawLdapClient.connect(address)) {
        boolean success =
            isSuccess(code(client, bind(number))) && isSuccess(code(client, searchAgain(number)));
        if (success) {
          client.send(Requests.unbind());
        }
        return success;
      }
    }
  }

  /**
   * A pool of the LDAP SDK, which tries once more on a new connection. Seldom the second attempt
   * gets the news of the first one's notice, since both share the queue of the request object.
   */
  private static final class Pool implements Work {
    private static final int CONNECTIONS = 4;

    private final LDAPConnectionPool pool;

    Pool(int port) {
      try {
        pool =
            new LDAPConnectionPool(
                new LDAPConnection(
                    "127.0.0.1", port, InMemoryDirectory.person(1), InMemoryDirectory.PASSWORD),
                CONNECTIONS);
        pool.setRetryFailedOperationsDueToInvalidConnections(true);
      } catch (LDAPException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public boolean round(int number) {
      try {
        String name = InMemoryDirectory.person(number % PEOPLE);
        assertThat(pool.getEntry(name, "cn")).isNotNull();
        assertThat(pool.compare(name, "objectClass", "inetOrgPerson").compareMatched()).isTrue();
        return true;
      } catch (LDAPException e) {
        assertThat(e.getExceptionMessage()).contains("the proxy is shutting down");
        return false;
      }
    }

    @Override
    public void end() {
      pool.close();
    }
  }
}
