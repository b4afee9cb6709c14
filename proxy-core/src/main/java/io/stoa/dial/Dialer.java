// SPDX-License-Identifier: Apache-2.0
package io.stoa.dial;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollChannelOption;
import io.stoa.backend.ServerAddress;
import io.stoa.backend.ServerAddress.Scheme;
import io.stoa.codec.HandlerNames;
import io.stoa.codec.LdapFrameDecoder;
import io.stoa.codec.Transport;
import java.time.Duration;

/** Makes the connections of one event loop to directory servers. Event-loop confined. */
public final class Dialer {
  /** How long the system keeps trying to get octets through to a server that is gone. */
  private static final int USER_TIMEOUT_MILLIS = 30_000;

  /** A larger message is passed on as it arrives. */
  private static final int MOST_COLLECTED = 1024 * 1024;

  private final EventLoop loop;
  private final Transport transport;
  private final Bootstrap tcp;
  private final Bootstrap domain;

  /**
   * Makes the dialer of a loop.
   *
   * @param timeout how long a connection may take to be made
   * @param maxResponse largest LDAPMessage of a server, in octets
   */
  public Dialer(EventLoop loop, Transport transport, Duration timeout, int maxResponse) {
    this.loop = loop;
    this.transport = transport;
    Bootstrap any =
        new Bootstrap()
            .group(loop)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) timeout.toMillis())
            .handler(new Frames(maxResponse));
    this.domain = any.clone().channelFactory(transport.clientDomainChannels());
    this.tcp =
        any.channelFactory(transport.clientChannels())
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.SO_KEEPALIVE, true);
    if (transport.isEpoll()) {
      tcp.option(EpollChannelOption.TCP_USER_TIMEOUT, USER_TIMEOUT_MILLIS);
    }
  }

  /** What every connection needs, whoever it belongs to. */
  private static final class Frames extends ChannelInitializer<Channel> {
    private final int maxResponse;

    Frames(int maxResponse) {
      this.maxResponse = maxResponse;
    }

    @Override
    protected void initChannel(Channel channel) {
      channel
          .pipeline()
          .addLast(HandlerNames.FRAME_DECODER, new LdapFrameDecoder(maxResponse, MOST_COLLECTED));
    }
  }

  /** Hears whether a connection was made; on the event loop. */
  public interface Outcome {
    /** LDAP may be spoken on it. What it reads first is what the caller puts into its pipeline. */
    void connected(Channel channel);

    /** It was not. An {@code IOException} tells of the server, anything else of Stoa itself. */
    void failed(Throwable cause);
  }

  /** Connects to a server. */
  public void dial(ServerAddress server, Outcome outcome) {
    connect(server)
        .addListener(
            (ChannelFuture attempt) -> {
              if (attempt.isSuccess()) {
                outcome.connected(attempt.channel());
              } else {
                // Without a channel (no file descriptor is left) the future is not the loop's.
                loop.execute(() -> outcome.failed(attempt.cause()));
              }
            });
  }

  private ChannelFuture connect(ServerAddress server) {
    return server.scheme() == Scheme.LDAPI
        ? domain.connect(transport.domainAddress(server.host()))
        : tcp.connect(server.host(), server.port());
  }
}
