// SPDX-License-Identifier: Apache-2.0
package io.stoa.frontend;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import io.netty.util.concurrent.PromiseCombiner;
import io.stoa.codec.Transport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;

/** Accepts clients on all listeners and hands them to the event loops in turn. Thread-safe. */
public final class Frontend {
  private static final int BACKLOG = 4096;

  /** How long the system keeps trying to get octets through to a client that is gone. */
  private static final int USER_TIMEOUT_MILLIS = 60_000;

  private final Map<EventExecutor, LoopClients> loops = new HashMap<>();
  private final List<Channel> listeners = new ArrayList<>();
  private final AtomicInteger total = new AtomicInteger();

  /**
   * Makes a frontend that does not listen yet.
   *
   * @param contexts makes what the clients of a loop share
   */
  public Frontend(
      EventLoopGroup group, FrontendConfig config, Function<EventLoop, LoopContext> contexts) {
    for (EventExecutor executor : group) {
      EventLoop loop = (EventLoop) executor;
      loops.put(loop, new LoopClients(loop, contexts.apply(loop), config, total));
    }
  }

  /**
   * Begins to accept clients.
   *
   * @throws IOException if an address cannot be listened on; it is named
   */
  public void listen(
      Transport transport, EventLoopGroup group, FrontendConfig config, List<ListenerConfig> on)
      throws IOException {
    ServerBootstrap bootstrap = bootstrap(transport, group, config);
    for (ListenerConfig listener : on) {
      ChannelFuture bound = bootstrap.bind(listener.host(), listener.port()).awaitUninterruptibly();
      if (!bound.isSuccess()) {
        String address = listener.host() + ":" + listener.port();
        throw new IOException(
            "cannot listen on " + address + ": " + bound.cause().getMessage(), bound.cause());
      }
      listeners.add(bound.channel());
    }
  }

  private ServerBootstrap bootstrap(
      Transport transport, EventLoopGroup group, FrontendConfig config) {
    int high = config.limits().writeBuffer();
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(group)
            .channelFactory(transport.serverChannels())
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.SO_KEEPALIVE, true)
            .childOption(
                ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(high / 2, high))
            .childHandler(new ClientChannelInitializer(config, this::clients));
    if (transport.isEpoll()) {
      bootstrap.childOption(EpollChannelOption.TCP_USER_TIMEOUT, USER_TIMEOUT_MILLIS);
    }
    return bootstrap;
  }

  private LoopClients clients(EventLoop loop) {
    LoopClients clients = loops.get(loop);
    if (clients == null) {
      throw new IllegalStateException("a client on a loop of another group");
    }
    return clients;
  }

  /** The addresses on which clients are accepted. */
  public List<InetSocketAddress> addresses() {
    return listeners.stream().map(channel -> (InetSocketAddress) channel.localAddress()).toList();
  }

  /** Client connections open now. */
  public int connections() {
    return total.get();
  }

  /** Connections with an unfinished request, or one that waits its turn. */
  public int readWaiters() {
    return loops.values().stream().mapToInt(clients -> clients.waiters().reading()).sum();
  }

  /** Connections with octets that wait to be taken. */
  public int writeWaiters() {
    return loops.values().stream().mapToInt(clients -> clients.waiters().writing()).sum();
  }

  /** Operations in flight. */
  public int operationsInFlight() {
    return loops.values().stream().mapToInt(clients -> clients.waiters().operations()).sum();
  }

  /**
   * Accepts no more clients; those there are go when they are answered.
   *
   * @return done when all have gone
   */
  public Future<Void> drain() {
    listeners.forEach(channel -> channel.close().awaitUninterruptibly());
    Promise<Void> gone = GlobalEventExecutor.INSTANCE.newPromise();
    PromiseCombiner each = new PromiseCombiner(GlobalEventExecutor.INSTANCE);
    onEachLoop(LoopClients::drain);
    GlobalEventExecutor.INSTANCE.execute(
        () -> {
          loops.values().forEach(clients -> each.add(clients.gone()));
          each.finish(gone);
        });
    return gone;
  }

  /** Ends all connections. */
  public void close() {
    listeners.forEach(channel -> channel.close().awaitUninterruptibly());
    onEachLoop(LoopClients::close);
  }

  private void onEachLoop(Consumer<LoopClients> action) {
    loops.forEach(
        (loop, clients) -> loop.submit(() -> action.accept(clients)).awaitUninterruptibly());
  }
}
