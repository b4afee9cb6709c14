// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollDomainDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.DomainDatagramPacket;
import io.netty.channel.unix.DomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** The socket of sd_notify(3) as systemd holds it. Thread-safe. */
public final class NotifyReceiver implements AutoCloseable {
  private final String address;
  private final List<String> messages = new CopyOnWriteArrayList<>();
  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());

  private NotifyReceiver(String address) {
    this.address = address;
    String path = address.startsWith("@") ? '\0' + address.substring(1) : address;
    new Bootstrap()
        .group(group)
        .channel(EpollDomainDatagramChannel.class)
        .handler(new Handler())
        .bind(new DomainSocketAddress(path))
        .syncUninterruptibly();
  }

  /** Binds to a path, or to {@code @name}. */
  public static NotifyReceiver at(String address) {
    return new NotifyReceiver(address);
  }

  /** The value for {@code NOTIFY_SOCKET}. */
  public String address() {
    return address;
  }

  /** All messages so far, in their order. */
  public List<String> messages() {
    return List.copyOf(messages);
  }

  /** The number of messages that contain this line. */
  public long count(String line) {
    return messages.stream().filter(one -> one.lines().anyMatch(line::equals)).count();
  }

  /** Waits until a message contains this line. */
  public void await(String line) {
    awaitMore(line, 0);
  }

  /** Waits until more messages than these contain this line. */
  public void awaitMore(String line, long before) {
    Await.until("systemd is told " + line, () -> count(line) > before);
  }

  @Override
  public void close() {
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  private final class Handler extends SimpleChannelInboundHandler<DomainDatagramPacket> {
    @Override
    protected void channelRead0(ChannelHandlerContext context, DomainDatagramPacket packet) {
      messages.add(packet.content().toString(StandardCharsets.UTF_8));
    }
  }
}
