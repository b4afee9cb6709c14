// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.management;

import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.stoa.net.tls.TlsContext;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Sets up a management connection, within limits of size, number and time. Threading: event loop.
 */
final class ManagementInitializer extends ChannelInitializer<SocketChannel> {
  private static final int MAX_CONNECTIONS = 100;
  private static final int MAX_BODY = 8 * 1024;
  private static final long DEADLINE_SECONDS = 30;

  private static final Duration HANDSHAKE = Duration.ofSeconds(10);

  private final ManagementProtection protection;
  private final ManagementSource source;
  private final Metrics metrics;
  private final ChannelGroup connections;

  ManagementInitializer(
      ManagementProtection protection,
      ManagementSource source,
      Metrics metrics,
      ChannelGroup connections) {
    this.protection = protection;
    this.source = source;
    this.metrics = metrics;
    this.connections = connections;
  }

  @Override
  protected void initChannel(SocketChannel channel) {
    if (connections.size() >= MAX_CONNECTIONS) {
      channel.close();
      return;
    }
    connections.add(channel);
    TlsContext tls = protection.tls();
    if (tls != null) {
      channel.pipeline().addLast(tls.accept(channel.alloc(), HANDSHAKE));
    }
    channel
        .pipeline()
        .addLast(new HttpServerCodec())
        .addLast(new BoundedRequests())
        .addLast(new ManagementHandler(protection.token(), source, metrics));
    channel.eventLoop().schedule(() -> channel.close(), DEADLINE_SECONDS, TimeUnit.SECONDS);
  }

  /**
   * Closes the connection of a request that is too large, instead of waiting for the next request.
   */
  private static final class BoundedRequests extends HttpObjectAggregator {
    BoundedRequests() {
      super(MAX_BODY);
    }

    @Override
    protected void handleOversizedMessage(ChannelHandlerContext ctx, HttpMessage oversized) {
      ctx.writeAndFlush(ManagementHandler.tooLarge()).addListener(ChannelFutureListener.CLOSE);
    }
  }
}
