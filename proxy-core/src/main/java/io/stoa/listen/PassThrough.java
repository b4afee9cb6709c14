// SPDX-License-Identifier: Apache-2.0
package io.stoa.listen;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.timeout.IdleStateHandler;
import io.stoa.codec.LogLimit;
import io.stoa.codec.Transport;
import io.stoa.origin.Network;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Connects clients to a directory server without looking at what they say: TLS goes from end to end
 * with all that depends on it, such as channel binding and the client's own certificate. Nothing is
 * cached. Thread-safe.
 */
public final class PassThrough extends ChannelInitializer<Channel> {
  private static final LogLimit LOG = new LogLimit(LoggerFactory.getLogger(PassThrough.class));

  private final Transport transport;
  private final Settings settings;

  /** Makes the first handler of a listener's connections. */
  public PassThrough(Transport transport, Settings settings) {
    this.transport = transport;
    this.settings = settings;
  }

  /**
   * What connections that are passed on are held to. Immutable.
   *
   * @param target where the next connection goes, as host and port
   * @param guests counts the clients, and knows all connections
   * @param loadBalancers networks whose connections begin with a PROXY header
   * @param writeBuffer octets that may wait for one end before the other is not read any more
   * @param connectTimeout how long the server may take to accept
   * @param requestTimeout how long a PROXY header may take to come
   * @param writeTimeout how long one end may take none of what waits for it
   * @param idleTimeout how long a connection may be silent; zero: for ever
   */
  public record Settings(
      Supplier<InetSocketAddress> target,
      Guests guests,
      List<Network> loadBalancers,
      int writeBuffer,
      Duration connectTimeout,
      Duration requestTimeout,
      Duration writeTimeout,
      Duration idleTimeout) {}

  /** Knows the connections that are passed on. Thread-safe. */
  public interface Guests {
    /** Whether one more client may be served; it is counted until its connection is closed. */
    boolean admit(Channel client);

    /** A connection to a server was made for a client. */
    void connected(Channel server);
  }

  @Override
  protected void initChannel(Channel client) {
    if (!settings.guests().admit(client)) {
      client.close();
      return;
    }
    Relay relay = watch(client);
    if (ProxyHeader.isDue(client, settings.loadBalancers())) {
      ProxyHeader.expect(client, settings.requestTimeout(), new AfterHeader(client, relay));
    } else {
      connect(client, relay);
    }
  }

  private Relay watch(Channel channel) {
    channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
    long write = settings.writeTimeout().toMillis();
    long idle = settings.idleTimeout().toMillis();
    Relay relay = new Relay();
    channel
        .pipeline()
        .addLast(new IdleStateHandler(true, 0, write, idle, TimeUnit.MILLISECONDS), relay);
    return relay;
  }

  private final class AfterHeader implements ProxyHeader.Outcome {
    private final Channel client;
    private final Relay relay;

    AfterHeader(Channel client, Relay relay) {
      this.client = client;
      this.relay = relay;
    }

    @Override
    public void from(@Nullable InetSocketAddress address) {
      connect(client, relay);
    }

    @Override
    public void missing() {
      LOG.info("client {} disconnected: no PROXY protocol header", client.remoteAddress());
      client.close();
    }

    @Override
    public void late() {
      missing();
    }
  }

  /** Until the server has accepted, the client's octets wait in the system. */
  private void connect(Channel client, Relay relay) {
    client.config().setAutoRead(false);
    int buffer = settings.writeBuffer();
    new Bootstrap()
        .group(client.eventLoop())
        .channelFactory(transport.clientChannels())
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) settings.connectTimeout().toMillis())
        .option(ChannelOption.AUTO_READ, false)
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.SO_KEEPALIVE, true)
        .option(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(buffer / 2, buffer))
        .handler(new ChannelInboundHandlerAdapter())
        .connect(settings.target().get())
        .addListener((ChannelFuture attempt) -> connected(client, relay, attempt));
  }

  private void connected(Channel client, Relay relay, ChannelFuture attempt) {
    Channel server = attempt.channel();
    if (!attempt.isSuccess()) {
      LOG.info("a passthrough connection cannot be made: {}", String.valueOf(attempt.cause()));
      client.close();
    } else if (client.isActive()) {
      settings.guests().connected(server);
      relay.join(client, server);
      watch(server).join(server, client);
    } else {
      server.close();
    }
  }
}
