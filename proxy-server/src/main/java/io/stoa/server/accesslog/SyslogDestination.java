// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.accesslog;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollDomainDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.stoa.server.accesslog.LogTarget.Syslog;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Lines as syslog messages (RFC 5424): one datagram each by UDP (RFC 5426) or a local socket, or
 * with octet counting by TCP (RFC 6587).
 *
 * <p>Threading: confined to the thread of one log.
 */
final class SyslogDestination implements LogDestination {
  /** Facility local4, as slapd uses, and severity info. */
  private static final int PRIORITY = 20 * 8 + 6;

  private static final long CONNECT_MILLIS = 2_000;
  private static final long WRITE_MILLIS = 5_000;

  /** Octets of a message over which a datagram is cut: 8,192. */
  private static final int MAX_DATAGRAM = 8_192;

  private final Syslog target;
  private final EventLoopGroup group;
  private final byte[] header;
  private @Nullable Channel channel;

  /**
   * Creates the destination; the first write connects.
   *
   * @param host name of this host for the receiver
   * @param log name of the log, which becomes the MSGID
   */
  SyslogDestination(Syslog target, String host, String log) {
    this.target = target;
    DefaultThreadFactory threads = new DefaultThreadFactory("stoa-syslog", true);
    this.group =
        new MultiThreadIoEventLoopGroup(
            1, threads, target.isLocal() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
    String fields = " " + host + " stoa " + ProcessHandle.current().pid() + " " + log + " - ";
    this.header = fields.getBytes(StandardCharsets.US_ASCII);
  }

  @Override
  public void write(byte[] octets, int length) throws IOException {
    Channel open = channel == null || !channel.isActive() ? connect() : channel;
    byte[] start = start();
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    ChannelFuture last = null;
    int from = 0;
    for (int index = 0; index < length; index++) {
      if (octets[index] == '\n') {
        last = open.write(message(start, octets, from, index));
        last.addListener(written -> failure.compareAndSet(null, written.cause()));
        from = index + 1;
      }
    }
    open.flush();
    await(last, WRITE_MILLIS);
    Throwable lost = failure.get();
    if (lost != null) {
      throw new IOException(target.text(), lost);
    }
  }

  private byte[] start() {
    String time = Instant.now().truncatedTo(ChronoUnit.MICROS).toString();
    return ("<" + PRIORITY + ">1 " + time).getBytes(StandardCharsets.US_ASCII);
  }

  private ByteBuf message(byte[] start, byte[] octets, int from, int to) {
    int envelope = start.length + header.length;
    int room = target.isDatagram() ? MAX_DATAGRAM - envelope : Integer.MAX_VALUE;
    int line = Math.min(to - from, room);
    ByteBuf message = Unpooled.buffer(envelope + line + 10);
    if (!target.isDatagram()) {
      String count = envelope + line + " ";
      message.writeCharSequence(count, StandardCharsets.US_ASCII);
    }
    return message.writeBytes(start).writeBytes(header).writeBytes(octets, from, line);
  }

  private Channel connect() throws IOException {
    Bootstrap bootstrap = new Bootstrap().group(group).handler(new ChannelInboundHandlerAdapter());
    SocketAddress address;
    if (target.isLocal()) {
      bootstrap.channel(EpollDomainDatagramChannel.class);
      address = new DomainSocketAddress(target.host());
    } else {
      bootstrap.channel(target.isDatagram() ? NioDatagramChannel.class : NioSocketChannel.class);
      address = new InetSocketAddress(target.host(), target.port());
    }
    ChannelFuture connected = bootstrap.connect(address);
    await(connected, CONNECT_MILLIS);
    channel = connected.channel();
    return connected.channel();
  }

  private void await(@Nullable ChannelFuture future, long millis) throws IOException {
    if (future == null) {
      return;
    }
    boolean done;
    try {
      done = future.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
    if (!done || !future.isSuccess()) {
      future.channel().close();
      channel = null;
      throw done ? new IOException(target.text(), future.cause()) : timeout();
    }
  }

  private IOException timeout() {
    return new IOException(target.text() + " takes no messages");
  }

  @Override
  public String toString() {
    return target.text();
  }

  @Override
  public void close() {
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }
}
