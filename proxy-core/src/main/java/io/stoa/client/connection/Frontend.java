// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import io.netty.util.concurrent.PromiseCombiner;
import io.stoa.client.listener.AccessConfig;
import io.stoa.client.listener.InheritedSockets;
import io.stoa.client.listener.Listener;
import io.stoa.client.listener.ListenerConfig;
import io.stoa.client.listener.ListenerConfig.Protocol;
import io.stoa.client.listener.Listeners;
import io.stoa.client.listener.TlsPassthrough;
import io.stoa.net.tls.TlsContext;
import io.stoa.net.transport.Transport;
import io.stoa.operation.ClientSession;
import io.stoa.operation.event.ClientChoice;
import io.stoa.operation.event.ClientEvent;
import io.stoa.operation.event.ClientStatus;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Accepts clients on all listeners, and distributes them over the event loops.
 *
 * <p>Threading: thread-safe.
 */
public final class Frontend {
  /** Milliseconds from the last accepted client to the end of idle connections: 250. */
  private static final long LAST_REQUESTS_MILLIS = 250;

  private final Map<EventExecutor, SessionRegistry> loops = new HashMap<>();
  private final FrontendConfig config;
  private final Listeners listeners;

  /** Passthrough connections, to clients and to servers. */
  private final ChannelGroup passthrough = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);

  private final ClientConnectionLimit limit;
  private final RequestMemory memory;

  /**
   * Creates a frontend that does not listen yet.
   *
   * @param inherited sockets of listeners that need no bind
   * @param contexts creates the shared objects of a loop's clients
   */
  public Frontend(
      Transport transport,
      EventLoopGroup group,
      FrontendConfig config,
      InheritedSockets inherited,
      Function<EventLoop, EventLoopContext> contexts) {
    this.config = config;
    this.listeners = new Listeners(transport, group, config.limits().writeBuffer(), inherited);
    this.limit = new ClientConnectionLimit(config);
    this.memory = new RequestMemory(() -> config.limits().effectiveRequestMemory());
    SessionRegistry.Shared shared =
        new SessionRegistry.Shared(config, limit, memory, new AtomicLong());
    for (EventExecutor executor : group) {
      EventLoop loop = (EventLoop) executor;
      loops.put(loop, new SessionRegistry(loop, contexts.apply(loop), shared));
    }
    limit.setLoops(loops.values());
  }

  /**
   * Opens all listeners. No client is accepted before {@link #accept}.
   *
   * @param tls creates the TLS handlers of clients; null without TLS
   * @param passthrough creates the handler of passthrough connections
   * @throws IOException if an address cannot be bound; the message names it
   */
  public void listen(
      AccessConfig access,
      @Nullable TlsContext tls,
      Function<TlsPassthrough.PassthroughConnections, TlsPassthrough> passthrough)
      throws IOException {
    listeners.listen(
        access,
        listener -> {
          if (listener.kind() == Protocol.PASSTHROUGH) {
            return passthrough.apply(new PassthroughRegistry());
          }
          Listener openListener =
              new Listener(listener, tls, access.requireTls(), access.proxyProtocol());
          return new ClientChannelInitializer(config, openListener, this::clients);
        });
  }

  /** Begins to accept clients. */
  public void accept() {
    listeners.accept();
  }

  /**
   * Admits passthrough connections, which count as clients.
   *
   * <p>Threading: thread-safe.
   */
  private final class PassthroughRegistry implements TlsPassthrough.PassthroughConnections {
    @Override
    public boolean admit(Channel client) {
      if (!limit.admit()) {
        return false;
      }
      passthrough.add(client);
      config.counters().events().increment(ClientEvent.PASSED_THROUGH);
      client.closeFuture().addListener(closed -> limit.onClosed());
      return true;
    }

    @Override
    public void onConnected(Channel server) {
      passthrough.add(server);
    }
  }

  private SessionRegistry clients(EventLoop loop) {
    SessionRegistry clients = loops.get(loop);
    if (clients == null) {
      throw new IllegalStateException("a client on a loop of another group");
    }
    return clients;
  }

  /** Returns the TCP addresses on which clients are accepted. */
  public List<InetSocketAddress> addresses() {
    return listeners.addresses();
  }

  /** Returns all listeners, with the ports that the system has chosen. */
  public List<ListenerConfig> listeners() {
    return listeners.opened();
  }

  /**
   * Returns the number of connections accepted by each listener, including those that were refused
   * later.
   */
  public List<Long> accepted() {
    return listeners.accepted();
  }

  /** Returns the number of client connections open now. */
  public int connections() {
    return limit.open();
  }

  /** Returns the octets of unanswered requests. */
  public long requestMemory() {
    return memory.octets();
  }

  /** Returns the number of connections with an unfinished or waiting request. */
  public int readWaiters() {
    return loops.values().stream().mapToInt(clients -> clients.waiters().reading()).sum();
  }

  /** Returns the number of connections with octets that the client has not taken. */
  public int writeWaiters() {
    return loops.values().stream().mapToInt(clients -> clients.waiters().writing()).sum();
  }

  /** Returns the number of connections with the maximum of operations in flight. */
  public int full() {
    return loops.values().stream().mapToInt(clients -> clients.waiters().full()).sum();
  }

  /** Returns the number of operations in flight. */
  public int operationsInFlight() {
    return loops.values().stream().mapToInt(clients -> clients.waiters().operations()).sum();
  }

  /**
   * Refreshes the counts that are otherwise updated periodically, and lists clients.
   *
   * @param choice the clients to list
   * @return the chosen clients, without passthrough connections; for a single number, also an
   *     example from each loop
   */
  public CompletableFuture<List<ClientStatus>> survey(ClientChoice choice) {
    return ofEachLoop(clients -> clients.survey(choice))
        .thenApply(each -> each.stream().flatMap(List::stream).toList());
  }

  /** Returns the clients of an event loop. Called on that loop. */
  public List<ClientSession> sessions(EventLoop loop) {
    return clients(loop).sessions();
  }

  /** Ends the connection of the client with that number; false if there is none. */
  public CompletableFuture<Boolean> disconnect(long number) {
    return ofEachLoop(clients -> CompletableFuture.completedFuture(clients.disconnect(number)))
        .thenApply(each -> each.contains(true));
  }

  private <T> CompletableFuture<List<T>> ofEachLoop(
      Function<SessionRegistry, CompletableFuture<T>> request) {
    List<CompletableFuture<T>> answers = new ArrayList<>();
    loops.forEach(
        (loop, clients) ->
            answers.add(
                CompletableFuture.supplyAsync(() -> request.apply(clients), loop)
                    .thenCompose(Function.identity())));
    return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
        .thenApply(done -> answers.stream().map(CompletableFuture::join).toList());
  }

  /**
   * Accepts no more clients. A moment later, existing connections end when their operations are
   * answered. Clients that were accepted last can send their first requests until then.
   *
   * @return done when the last client has gone
   */
  public Future<Void> drain() {
    listeners.close();
    Promise<Void> drained = GlobalEventExecutor.INSTANCE.newPromise();
    GlobalEventExecutor.INSTANCE.schedule(
        () -> drainLoops(drained),
        limit.open() == 0 ? 0 : LAST_REQUESTS_MILLIS,
        TimeUnit.MILLISECONDS);
    return drained;
  }

  private void drainLoops(Promise<Void> drained) {
    PromiseCombiner combiner = new PromiseCombiner(GlobalEventExecutor.INSTANCE);
    loops.forEach((loop, clients) -> loop.execute(clients::drain));
    loops.values().forEach(clients -> combiner.add(clients.gone()));
    combiner.finish(drained);
  }

  /** Ends all connections. */
  public void close() {
    listeners.close();
    onEachLoop(SessionRegistry::close);
    passthrough.close().awaitUninterruptibly();
  }

  private void onEachLoop(Consumer<SessionRegistry> action) {
    loops.forEach(
        (loop, clients) -> loop.submit(() -> action.accept(clients)).awaitUninterruptibly());
  }
}
