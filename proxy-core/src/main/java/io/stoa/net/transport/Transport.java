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
 * How sockets are driven: epoll where the system has it, the JDK's selector elsewhere. Immutable.
 */
public enum Transport {
  /** Linux epoll. */
  EPOLL,
  /** The JDK's selector. */
  NIO;

  private static final long END_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** The best that this system has. */
  public static Transport best() {
    return Epoll.isAvailable() ? EPOLL : NIO;
  }

  /** Whether options of epoll sockets may be set. */
  public boolean isEpoll() {
    return this == EPOLL;
  }

  /** Makes event loops. */
  public EventLoopGroup eventLoops(int threads, String name) {
    IoHandlerFactory handlers = isEpoll() ? EpollLoops.factory() : NioIoHandler.newFactory();
    return new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory(name), handlers);
  }

  /**
   * Ends event loops with everything that is connected on them, and waits for that.
   *
   * <p>A loop that is told to end while it runs tasks may find nothing left to do, and end without
   * closing its channels; their TLS would never be released. The hook gives it one more round.
   */
  public static void end(EventLoopGroup loops) {
    for (EventExecutor loop : loops) {
      ((SingleThreadEventExecutor) loop).addShutdownHook(() -> {});
    }
    loops.shutdownGracefully(1, END_NANOS, TimeUnit.NANOSECONDS).awaitUninterruptibly();
  }

  /** Makes sockets that connect. */
  public ChannelFactory<SocketChannel> clientChannels() {
    return isEpoll() ? EpollSocketChannel::new : NioSocketChannel::new;
  }

  /** Makes sockets of the file system that connect. */
  public ChannelFactory<Channel> clientDomainChannels() {
    return isEpoll() ? EpollDomainSocketChannel::new : NioDomainSocketChannel::new;
  }

  /** The address of a socket of the file system, in the form that its channels take. */
  public SocketAddress domainAddress(String path) {
    return isEpoll() ? new DomainSocketAddress(path) : UnixDomainSocketAddress.of(path);
  }

  /** Makes sockets that accept. */
  public ChannelFactory<ServerChannel> serverChannels() {
    return isEpoll() ? EpollServerSocketChannel::new : NioServerSocketChannel::new;
  }

  /** Makes sockets of the file system that accept. */
  public ChannelFactory<ServerChannel> serverDomainChannels() {
    return isEpoll() ? EpollServerDomainSocketChannel::new : NioServerDomainSocketChannel::new;
  }
}
