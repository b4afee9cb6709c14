// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.systemd;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.stoa.net.transport.DescribedException;
import io.stoa.net.transport.FailureText;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The datagram socket of sd_notify(3), with a thread of its own. Threading: confined to its loop,
 * except open and close.
 */
final class NotifySocket implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NotifySocket.class);

  private final EventLoopGroup group;
  private final Channel channel;
  private boolean failed;

  private NotifySocket(EventLoopGroup group, Channel channel) {
    this.group = group;
    this.channel = channel;
  }

  /**
   * Connects to the socket of systemd.
   *
   * @param address a path, or {@code @name} for an abstract socket
   * @throws IOException if the socket cannot be used; the message says why
   */
  static NotifySocket open(String address) throws IOException {
    if (!address.startsWith("/") && !address.startsWith("@")) {
      throw new IOException("neither a path nor the name of an abstract socket");
    }
    if (!Epoll.isAvailable()) {
      throw new IOException("epoll is not available");
    }
    EventLoopGroup group =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("stoa-systemd", true), EpollIoHandler.newFactory());
    String path = address.startsWith("@") ? '\0' + address.substring(1) : address;
    ChannelFuture connected =
        new Bootstrap()
            .group(group)
            .channel(EpollDomainDatagramChannel.class)
            .option(ChannelOption.AUTO_READ, false)
            .handler(new ChannelInboundHandlerAdapter())
            .connect(new DomainSocketAddress(path))
            .awaitUninterruptibly();
    if (!connected.isSuccess()) {
      end(group);
      Throwable cause = connected.cause();
      boolean missing = cause instanceof FileNotFoundException;
      throw new DescribedException(missing ? "no such socket" : FailureText.of(cause), cause);
    }
    return new NotifySocket(group, connected.channel());
  }

  /** Returns the loop that sends. */
  EventLoop loop() {
    return channel.eventLoop();
  }

  /** Sends a message. While systemd reads nothing, it is dropped: the next one says the same. */
  void send(String message) {
    if (channel.isWritable()) {
      channel
          .writeAndFlush(Unpooled.copiedBuffer(message, StandardCharsets.UTF_8))
          .addListener(sent -> onSent(sent.cause()));
    }
  }

  private void onSent(@Nullable Throwable cause) {
    if (cause != null && !failed) {
      LOG.warn("systemd not notified: {}", FailureText.of(cause));
    }
    failed = cause != null;
  }

  /** Closes the socket. Returns when its thread has ended. */
  @Override
  public void close() {
    end(group);
  }

  private static void end(EventLoopGroup group) {
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
  }
}
