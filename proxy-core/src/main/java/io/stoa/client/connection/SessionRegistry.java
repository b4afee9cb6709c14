// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.stoa.net.peer.ClientNetwork;
import io.stoa.net.transport.GuardedTask;
import io.stoa.net.transport.LoopTurns;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Rejection;
import io.stoa.operation.event.ClientChoice;
import io.stoa.operation.event.ClientEvent;
import io.stoa.operation.event.ClientStatus;
import io.stoa.operation.event.ClientTimeout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * The clients of one event loop, and the periodic check for time-outs.
 *
 * <p>Threading: event loop; the counts are thread-safe.
 */
final class SessionRegistry {
  private static final long TICK_MILLIS = 500;

  /**
   * Minimum nanoseconds between two counts, for each client: 1,000. A count takes about 100, so
   * that counts take at most a tenth of the loop's time.
   */
  private static final long NANOS_EACH = 1_000;

  private final EventLoopContext context;
  private final FrontendConfig config;
  private final EventLoop loop;
  private final ClientConnectionLimit limit;
  private final RequestMemory memory;
  private final AtomicLong numbers;
  private final Set<ClientConnection> clients = new HashSet<>();
  private final IdleClients idle;
  private volatile Waiters waiters = new Waiters(0, 0, 0, 0);
  private final Promise<Void> gone;
  private boolean draining;
  private long surveyed = System.nanoTime();

  /**
   * Objects that all loops share.
   *
   * <p>Threading: immutable; its parts are thread-safe.
   *
   * @param config settings of all client connections
   * @param limit counts the clients of all loops
   * @param memory limits the memory of their requests
   * @param numbers assigns a number to each client
   */
  record Shared(
      FrontendConfig config,
      ClientConnectionLimit limit,
      RequestMemory memory,
      AtomicLong numbers) {}

  /**
   * Creates the empty registry of a loop.
   *
   * @param shared objects that all loops share
   */
  SessionRegistry(EventLoop loop, EventLoopContext context, Shared shared) {
    this.numbers = shared.numbers;
    this.context = context;
    this.config = shared.config;
    this.loop = loop;
    this.limit = shared.limit;
    this.idle = shared.limit.idle(clients);
    this.memory = shared.memory;
    this.gone = loop.newPromise();
    loop.scheduleWithFixedDelay(
        new GuardedTask("time-outs of clients", this::tick),
        TICK_MILLIS,
        TICK_MILLIS,
        TimeUnit.MILLISECONDS);
  }

  /**
   * Counts of one loop's connections.
   *
   * <p>Threading: immutable.
   *
   * @param reading connections with an unfinished or waiting request
   * @param writing connections with octets that the client has not taken
   * @param operations operations in flight
   * @param full connections with the maximum of operations in flight
   */
  record Waiters(int reading, int writing, int operations, int full) {}

  EventLoopContext context() {
    return context;
  }

  /**
   * Adds a client, or refuses it at the limit of connections.
   *
   * @param announced true if its address is known, since no load balancer's header is expected
   */
  void add(ClientConnection client, boolean announced) {
    if (draining) {
      config.counters().events().increment(ClientEvent.CONNECTION_REFUSED);
    }
    if (draining) {
      client.disconnect(Rejection.SHUTTING_DOWN);
    } else if (!limit.admit(client.peer(), this)) {
      client.disconnect(Rejection.TOO_MANY_CONNECTIONS);
    } else {
      clients.add(client);
      client.stalls().setNumber(numbers.incrementAndGet());
      client.reportMemoryTo(memory.track(client));
      if (announced) {
        client.announce();
      }
      client.channel().closeFuture().addListener(closed -> remove(client));
    }
  }

  /** Ends an idle connection without a bind to make room; returns false if there is none. */
  boolean giveWay() {
    ClientConnection client = idle.next();
    if (client != null) {
      limit.onEvicted();
      client.end(Rejection.EVICTED);
    }
    return client != null;
  }

  /** Returns the estimated number of clients that could be ended. Thread-safe. */
  int idle() {
    return idle.size();
  }

  /** Returns the number of idle clients by network, as of the last search. Thread-safe. */
  Map<ClientNetwork, Long> networks() {
    return idle.networks();
  }

  /**
   * Ends an idle connection on this event loop soon; returns false if there seems to be none.
   * Thread-safe.
   */
  boolean giveWaySoon() {
    boolean some = idle.take();
    if (some) {
      loop.execute(this::giveWay);
    }
    return some;
  }

  private void remove(ClientConnection client) {
    clients.remove(client);
    limit.onClosed();
    checkGone();
  }

  private void checkGone() {
    if (draining && clients.isEmpty()) {
      gone.trySuccess(null);
    }
  }

  /** Returns a future that is done when the last client has gone after {@link #drain}. */
  Future<Void> gone() {
    return gone;
  }

  /**
   * Checks and counts all clients in a single pass: with many clients, each access misses the
   * processor's cache.
   */
  private void tick() {
    long now = System.nanoTime();
    Map<ClientConnection, ClientTimeout> late = new LinkedHashMap<>();
    Count count = new Count();
    for (ClientConnection client : clients) {
      ClientTimeout timeout = client.stalls().check(now);
      if (timeout != null) {
        late.put(client, timeout);
      }
      client.stalls().reportOctets();
      count.add(client);
    }
    waiters = count.done();
    limit.report();
    config.quotas().report();
    memory.report();
    late.forEach(ClientConnection::onTimeout);
  }

  /**
   * Refreshes the counts unless they are recent, and lists clients. For 10,000 clients, counts are
   * recent for 10 ms. The loop does the work in turns.
   *
   * @param choice the clients to list
   */
  CompletableFuture<List<ClientStatus>> survey(ClientChoice choice) {
    long now = System.nanoTime();
    boolean due = now - surveyed > NANOS_EACH * clients.size();
    if (!due && choice.none()) {
      return CompletableFuture.completedFuture(List.of());
    }
    List<ClientConnection> connections = List.copyOf(clients);
    if (!due) {
      return statusOf(select(connections, choice));
    }
    surveyed = now;
    return recount(connections).thenCompose(counted -> statusOf(select(connections, choice)));
  }

  private CompletableFuture<Void> recount(List<ClientConnection> connections) {
    Count count = new Count();
    return LoopTurns.forEach(
            loop,
            connections,
            client -> {
              client.stalls().reportOctets();
              count.add(client);
            })
        .thenRun(() -> waiters = count.done());
  }

  private CompletableFuture<List<ClientStatus>> statusOf(List<ClientConnection> chosen) {
    List<ClientStatus> statuses = new ArrayList<>();
    return LoopTurns.forEach(loop, chosen, client -> statuses.add(client.stalls().status()))
        .thenApply(done -> statuses);
  }

  private static List<ClientConnection> select(
      List<ClientConnection> connections, ClientChoice choice) {
    Long number = choice.number();
    if (choice.none() || number == null) {
      return choice.none() ? List.of() : connections;
    }
    Stream<ClientConnection> selected =
        number < 0
            ? Stream.empty()
            : connections.stream().filter(client -> client.stalls().isNumber(number));
    return Stream.concat(selected, connections.stream().limit(1)).distinct().toList();
  }

  /** Returns all clients. */
  List<ClientSession> sessions() {
    return List.copyOf(clients);
  }

  /** Ends the connection of the client with that number; false if there is none. */
  boolean disconnect(long number) {
    for (ClientConnection client : List.copyOf(clients)) {
      if (client.stalls().isNumber(number)) {
        client.disconnect(Rejection.DISCONNECTED);
        return true;
      }
    }
    return false;
  }

  /** Returns the last counts. Thread-safe. */
  Waiters waiters() {
    return waiters;
  }

  /** Refuses new clients, and ends the others when their operations are answered. */
  void drain() {
    draining = true;
    List.copyOf(clients).forEach(ClientConnection::drain);
    checkGone();
  }

  /** Ends all connections now. */
  void close() {
    draining = true;
    List.copyOf(clients).forEach(client -> client.end(Rejection.SHUTTING_DOWN));
  }

  /**
   * Adds up the counts.
   *
   * <p>Threading: event loop.
   */
  private final class Count {
    private int reading;
    private int writing;
    private int operations;
    private int full;
    private int unbound;

    void add(ClientConnection client) {
      int inFlight = client.operations().size();
      reading += client.hasWaitingRequests() ? 1 : 0;
      writing += client.outbound().isCongested() ? 1 : 0;
      operations += inFlight;
      full += inFlight >= config.limits().operationsInFlight() ? 1 : 0;
      unbound += client.stalls().mayGiveWay() ? 1 : 0;
    }

    Waiters done() {
      idle.estimate(unbound);
      return new Waiters(reading, writing, operations, full);
    }
  }
}
