// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.concurrent.TimeUnit;

/**
 * The socket implementation: epoll where the system has it, otherwise the selector of the JDK.
 *
 * <p>Threading: immutable.
 */
public enum Transport {
  /** Linux epoll. */
  EPOLL,
  /** The JDK's selector. */
  NIO;

  private static final long END_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Returns the best implementation that this system has. */
  public static Transport best() {
    return Epoll.isAvailable() ? EPOLL : NIO;
  }

  /** True if options of epoll sockets may be set. */
  public boolean isEpoll() {
    return this == EPOLL;
  }

  /** Creates event loops. */
  public EventLoopGroup eventLoops(int threads, String name) {
    IoHandlerFactory handlers = isEpoll() ? EpollLoops.factory() : NioIoHandler.newFactory();
    return new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory(name), handlers);
  }

  /**
   * Shuts down event loops with all their connections, and waits until they have ended.
   *
   * <p>A loop that is asked to end while it runs tasks may find nothing left to do. Then its
   * channels would stay open, and their TLS would never be released. The hook gives it one more
   * round.
   */
  public static void shutDown(EventLoopGroup loops) {
    for (EventExecutor loop : loops) {
      ((SingleThreadEventExecutor) loop).addShutdownHook(() -> {});
    }
    loops.shutdownGracefully(1, END_NANOS, TimeUnit.NANOSECONDS).awaitUninterruptibly();
  }

  /** Returns a factory of TCP sockets that connect. */
  public ChannelFactory<SocketChannel> clientChannels() {
    return isEpoll() ? EpollSocketChannel::new : NioSocketChannel::new;
  }

  /** Returns a factory of Unix sockets that connect. */
  public ChannelFactory<Channel> clientDomainChannels() {
    return isEpoll() ? EpollDomainSocketChannel::new : NioDomainSocketChannel::new;
  }

  /** Returns the address of a Unix socket, in the form that its channels take. */
  public SocketAddress domainAddress(String path) {
    return isEpoll() ? new DomainSocketAddress(path) : UnixDomainSocketAddress.of(path);
  }

  /** Returns a factory of TCP sockets that accept. */
  public ChannelFactory<ServerChannel> serverChannels() {
    return isEpoll() ? EpollServerSocketChannel::new : NioServerSocketChannel::new;
  }

  /** Returns a factory of Unix sockets that accept. */
  public ChannelFactory<ServerChannel> serverDomainChannels() {
    return isEpoll() ? EpollServerDomainSocketChannel::new : NioServerDomainSocketChannel::new;
  }
}
