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
    return new MultiThreadIoEventLoopGroup(threads, EventLoopThread.factory(name), handlers);
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

  /**
   * Returns a factory of the channel of an inherited listening socket, which needs no bind.
   *
   * @param descriptor file descriptor of the socket
   * @param tcp true for a TCP socket, false for a Unix socket
   */
  public ChannelFactory<ServerChannel> inheritedChannels(int descriptor, boolean tcp) {
    return tcp
        ? () -> new EpollServerSocketChannel(descriptor)
        : () -> new EpollServerDomainSocketChannel(descriptor);
  }

  /**
   * Closes the process's own descriptor of an inherited listening socket. Other processes accept
   * from it as before, since nothing shuts the socket down. The epoll set must lose the descriptor
   * first: close(2) does not remove it while another process holds the socket (epoll(7), question
   * 6).
   */
  public static void closeInherited(Channel listener) {
    listener.config().setAutoRead(false);
    listener.deregister().awaitUninterruptibly();
    listener.close().awaitUninterruptibly();
  }

  /** Returns a factory of Unix sockets that accept. */
  public ChannelFactory<ServerChannel> serverDomainChannels() {
    return isEpoll() ? EpollServerDomainSocketChannel::new : NioServerDomainSocketChannel::new;
  }
}
