// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.listener;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollChannelOption;
import io.stoa.net.transport.DescribedException;
import io.stoa.net.transport.FailureText;
import io.stoa.net.transport.Transport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sockets on which clients are accepted.
 *
 * <p>Threading: thread-safe once they are open.
 */
public final class Listeners {
  private static final Logger LOG = LoggerFactory.getLogger(Listeners.class);
  private static final int BACKLOG = 4096;

  /** Milliseconds for which the kernel retransmits to a vanished client: 60,000. */
  private static final int USER_TIMEOUT_MILLIS = 60_000;

  private final Transport transport;
  private final EventLoopGroup group;
  private final int writeBuffer;
  private final InheritedSockets inherited;
  private final List<Open> open = new ArrayList<>();

  private record Open(
      ListenerConfig config,
      Channel channel,
      @Nullable SocketFile file,
      Acceptance acceptance,
      boolean inherited) {}

  /**
   * Creates an instance without open sockets.
   *
   * @param writeBuffer octets that may wait for a client before it counts as slow
   * @param inherited sockets that need no bind
   */
  public Listeners(
      Transport transport, EventLoopGroup group, int writeBuffer, InheritedSockets inherited) {
    this.transport = transport;
    this.group = group;
    this.writeBuffer = writeBuffer;
    this.inherited = inherited;
  }

  /**
   * Opens all sockets. Clients can connect, but are not accepted before {@link #accept}.
   *
   * @param children creates the first handler for connections of a listener
   * @throws IOException if an address cannot be bound; the message names it
   */
  public void listen(AccessConfig access, Function<ListenerConfig, ChannelHandler> children)
      throws IOException {
    for (ListenerConfig listener : access.listeners()) {
      try {
        open.add(open(listener, access.socketMode(), children.apply(listener)));
      } catch (IOException e) {
        throw new DescribedException("cannot listen on " + listener + ": " + FailureText.of(e), e);
      }
    }
  }

  private Open open(ListenerConfig listener, int mode, ChannelHandler child) throws IOException {
    Acceptance acceptance = new Acceptance();
    InheritedSocket socket = inherited.of(listener);
    if (socket != null) {
      return take(socket, listener, child, acceptance);
    }
    if (listener.isTcp()) {
      Channel channel =
          bound(
              tcp(child)
                  .channelFactory(transport.serverChannels())
                  .handler(acceptance)
                  .bind(listener.host(), listener.port()),
              FailureText::ofPort);
      int port = ((InetSocketAddress) channel.localAddress()).getPort();
      return new Open(listener.at(port), channel, null, acceptance, false);
    }
    SocketFile file = new SocketFile(Path.of(listener.host()));
    ServerBootstrap domain = domain(child).handler(acceptance);
    Channel channel = bound(domain.bind(transport.domainAddress(listener.host())), FailureText::of);
    file.onBound(mode);
    return new Open(listener, channel, file, acceptance, false);
  }

  /** Listens on an inherited socket. Its file belongs to the service manager. */
  private Open take(
      InheritedSocket socket, ListenerConfig listener, ChannelHandler child, Acceptance acceptance)
      throws IOException {
    ServerBootstrap bootstrap = listener.isTcp() ? tcp(child) : any(child);
    Channel channel =
        bound(
            bootstrap
                .channelFactory(transport.inheritedChannels(socket.descriptor(), listener.isTcp()))
                .handler(acceptance)
                .register(),
            FailureText::of);
    LOG.info("{} is in use", socket);
    return new Open(listener, channel, null, acceptance, true);
  }

  private static Channel bound(ChannelFuture attempt, Function<Throwable, String> text)
      throws IOException {
    attempt.awaitUninterruptibly();
    if (!attempt.isSuccess()) {
      throw new DescribedException(text.apply(attempt.cause()), attempt.cause());
    }
    return attempt.channel();
  }

  private ServerBootstrap tcp(ChannelHandler child) {
    ServerBootstrap bootstrap =
        any(child)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.SO_KEEPALIVE, true);
    if (transport.isEpoll()) {
      bootstrap.childOption(EpollChannelOption.TCP_USER_TIMEOUT, USER_TIMEOUT_MILLIS);
    }
    return bootstrap;
  }

  private ServerBootstrap domain(ChannelHandler child) {
    return any(child).channelFactory(transport.serverDomainChannels());
  }

  private ServerBootstrap any(ChannelHandler child) {
    return new ServerBootstrap()
        .group(group)
        .option(ChannelOption.SO_BACKLOG, BACKLOG)
        .option(ChannelOption.AUTO_READ, false)
        .childOption(
            ChannelOption.WRITE_BUFFER_WATER_MARK,
            new WriteBufferWaterMark(writeBuffer / 2, writeBuffer))
        .childHandler(child);
  }

  /** Begins to accept clients. */
  public void accept() {
    open.forEach(listener -> listener.channel().config().setAutoRead(true));
  }

  /** Returns the open listeners, with the ports that the system has chosen. */
  public List<ListenerConfig> opened() {
    return open.stream().map(Open::config).toList();
  }

  /** Returns the number of connections accepted by each listener. */
  public List<Long> accepted() {
    return open.stream().map(listener -> listener.acceptance().accepted()).toList();
  }

  /** Returns the addresses of all TCP listeners. */
  public List<InetSocketAddress> addresses() {
    return open.stream()
        .filter(listener -> listener.config().isTcp())
        .map(listener -> (InetSocketAddress) listener.channel().localAddress())
        .toList();
  }

  /**
   * Closes all sockets, and removes the files of local ones. Clients of inherited sockets wait in
   * their queues for another process.
   */
  public void close() {
    for (Open listener : open) {
      listener.acceptance().end();
      if (listener.inherited()) {
        Transport.closeInherited(listener.channel());
      } else {
        listener.channel().close().awaitUninterruptibly();
        remove(listener);
      }
    }
  }

  private static void remove(Open listener) {
    SocketFile file = listener.file();
    try {
      if (file != null) {
        file.remove();
      }
    } catch (IOException e) {
      LOG.warn("socket file of {} could not be removed: {}", listener.config(), FailureText.of(e));
    }
  }
}
