// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.listener;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.timeout.IdleStateHandler;
import io.stoa.net.codec.Relay;
import io.stoa.net.peer.Network;
import io.stoa.net.proxyprotocol.ProxyHeaderDecoder;
import io.stoa.net.transport.FailureText;
import io.stoa.net.transport.LogLimit;
import io.stoa.net.transport.NameResolver;
import io.stoa.net.transport.Transport;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Connects clients to a directory server without reading their octets. TLS is end-to-end, and so
 * are channel binding and the client's certificate. Nothing is cached.
 *
 * <p>Threading: thread-safe.
 */
public final class TlsPassthrough extends ChannelInitializer<Channel> {
  private static final LogLimit LOG = new LogLimit(LoggerFactory.getLogger(TlsPassthrough.class));

  private final Transport transport;
  private final TunnelSettings settings;

  /** Creates the first handler of a listener's connections. */
  public TlsPassthrough(Transport transport, TunnelSettings settings) {
    this.transport = transport;
    this.settings = settings;
  }

  /**
   * Settings for passthrough connections.
   *
   * <p>Threading: immutable.
   *
   * @param target host and port of the server for the next connection; null if no server is
   *     available
   * @param greeting writes the octets that a server receives first; takes the server's connection,
   *     and the client's address or null
   * @param guests admits clients, and registers all connections
   * @param loadBalancers networks whose connections begin with a PROXY header
   * @param writeBuffer octets that may wait for one end before reading from the other pauses
   * @param connectTimeout maximum time until the server accepts
   * @param requestTimeout maximum time until a PROXY header is complete, and then until the first
   *     octet
   * @param writeTimeout maximum time for which one end may take none of its pending octets
   * @param idleTimeout maximum time without traffic; zero means no limit
   */
  public record TunnelSettings(
      Supplier<@Nullable InetSocketAddress> target,
      BiConsumer<Channel, @Nullable InetSocketAddress> greeting,
      PassthroughConnections guests,
      List<Network> loadBalancers,
      int writeBuffer,
      Duration connectTimeout,
      Duration requestTimeout,
      Duration writeTimeout,
      Duration idleTimeout) {}

  /**
   * Admits and registers passthrough connections.
   *
   * <p>Threading: thread-safe.
   */
  public interface PassthroughConnections {
    /**
     * Returns true if one more client may be served. The client counts until its connection is
     * closed.
     */
    boolean admit(Channel client);

    /** Called when a connection to a server was made for a client. */
    void onConnected(Channel server);
  }

  @Override
  protected void initChannel(Channel client) {
    if (!settings.guests().admit(client)) {
      client.close();
      return;
    }
    PendingClient pending = new PendingClient(client, watch(client));
    if (ProxyHeaderDecoder.isDue(client, settings.loadBalancers())) {
      ProxyHeaderDecoder.expect(client, settings.requestTimeout(), pending);
    } else {
      pending.onHeader(null);
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

  private Bootstrap bootstrap(EventLoop loop) {
    int buffer = settings.writeBuffer();
    return new Bootstrap()
        .group(loop)
        .channelFactory(transport.clientChannels())
        .resolver(NameResolver.SYSTEM)
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) settings.connectTimeout().toMillis())
        .option(ChannelOption.AUTO_READ, false)
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.SO_KEEPALIVE, true)
        .option(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(buffer / 2, buffer))
        .handler(new ChannelInboundHandlerAdapter());
  }

  /**
   * One client, until the relay begins.
   *
   * <p>Threading: event loop.
   */
  private final class PendingClient implements ProxyHeaderDecoder.HeaderListener {
    private final Channel client;
    private final Relay relay;

    PendingClient(Channel client, Relay relay) {
      this.client = client;
      this.relay = relay;
    }

    /**
     * Waits for the client's first octet before connecting to the server. A silent client then
     * costs the server nothing: in TLS the client sends first.
     */
    @Override
    public void onHeader(@Nullable InetSocketAddress clientAddress) {
      long millis = settings.requestTimeout().toMillis();
      Future<?> silent =
          client.eventLoop().schedule(() -> client.close(), millis, TimeUnit.MILLISECONDS);
      client.closeFuture().addListener(closed -> silent.cancel(false));
      relay.onFirst(
          () -> {
            silent.cancel(false);
            connect(clientAddress);
          });
    }

    /**
     * Connects to the server. Until the server has accepted, the client's octets wait in the
     * kernel.
     */
    private void connect(@Nullable InetSocketAddress clientAddress) {
      client.config().setAutoRead(false);
      InetSocketAddress target = settings.target().get();
      if (target == null) {
        LOG.info("passthrough connection refused: no server is available");
        client.close();
        return;
      }
      InetSocketAddress address =
          clientAddress == null && client.remoteAddress() instanceof InetSocketAddress inet
              ? inet
              : clientAddress;
      bootstrap(client.eventLoop())
          .connect(target)
          .addListener((ChannelFuture attempt) -> onConnected(attempt, address));
    }

    private void onConnected(ChannelFuture attempt, @Nullable InetSocketAddress address) {
      if (!attempt.isSuccess()) {
        LOG.info("passthrough connection failed: {}", FailureText.of(attempt.cause()));
        client.close();
      } else if (client.isActive()) {
        join(attempt.channel(), address);
      } else {
        attempt.channel().close();
      }
    }

    private void join(Channel server, @Nullable InetSocketAddress address) {
      settings.guests().onConnected(server);
      settings.greeting().accept(server, address);
      relay.join(client, server);
      watch(server).join(server, client);
    }

    @Override
    public void onMissing() {
      LOG.info("client {} disconnected: no PROXY protocol header", client.remoteAddress());
      client.close();
    }

    @Override
    public void onTimeout() {
      onMissing();
    }
  }
}
