// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollChannelOption;
import io.stoa.backend.Backend;
import io.stoa.backend.ServerAddress;
import io.stoa.codec.FlushQueue;
import io.stoa.codec.HandlerNames;
import io.stoa.codec.LdapFrameDecoder;
import io.stoa.codec.Transport;
import java.io.IOException;

/** Makes connections to servers on one event loop. Event-loop confined. */
final class Connector {
  /** How long the system keeps trying to get octets through to a server that is gone. */
  private static final int USER_TIMEOUT_MILLIS = 30_000;

  private final Bootstrap bootstrap;
  private final FlushQueue flushes;

  Connector(EventLoop loop, Transport transport, FlushQueue flushes, UpstreamConfig config) {
    this.flushes = flushes;
    this.bootstrap =
        new Bootstrap()
            .group(loop)
            .channelFactory(transport.clientChannels())
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.SO_KEEPALIVE, true)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) config.connectTimeout().toMillis())
            .handler(new Frames(config.maxResponse()));
    if (transport.isEpoll()) {
      bootstrap.option(EpollChannelOption.TCP_USER_TIMEOUT, USER_TIMEOUT_MILLIS);
    }
  }

  /** What a connection needs before it belongs to anybody. */
  private static final class Frames extends ChannelInitializer<Channel> {
    private final int maxResponse;

    Frames(int maxResponse) {
      this.maxResponse = maxResponse;
    }

    @Override
    protected void initChannel(Channel channel) {
      channel.pipeline().addLast(HandlerNames.FRAME_DECODER, new LdapFrameDecoder(maxResponse));
    }
  }

  /** Hears whether a connection was made; on the event loop. */
  interface Outcome {
    /** It was made, and is the owner's. */
    void connected(UpstreamConnection connection);

    /**
     * It was not; the right to it is still to be given back.
     *
     * @param ours whether it was for a lack of Stoa's own, and says nothing of the server
     */
    void failed(Throwable cause, boolean ours);
  }

  /** Connects to a server, for which the right to a connection has been taken. */
  void connect(Backend backend, UpstreamConnection.Owner owner, Outcome outcome) {
    ServerAddress address = backend.address();
    bootstrap
        .connect(address.host(), address.port())
        .addListener(
            (ChannelFuture attempt) -> {
              if (attempt.isSuccess()) {
                outcome.connected(attach(attempt.channel(), backend, owner));
              } else {
                // Without a channel (no file descriptor is left) the future is not the loop's.
                bootstrap.config().group().next().execute(() -> fail(outcome, attempt.cause()));
              }
            });
  }

  private static void fail(Outcome outcome, Throwable cause) {
    outcome.failed(cause, !(cause instanceof IOException));
  }

  private UpstreamConnection attach(
      Channel channel, Backend backend, UpstreamConnection.Owner owner) {
    UpstreamConnection connection = new UpstreamConnection(backend, channel, flushes, owner);
    channel.pipeline().addLast(HandlerNames.CONNECTION, connection);
    return connection;
  }
}
