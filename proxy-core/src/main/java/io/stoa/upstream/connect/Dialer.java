// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connect;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollChannelOption;
import io.stoa.net.codec.HandlerNames;
import io.stoa.net.codec.LdapFrameDecoder;
import io.stoa.net.proxyprotocol.ProxyHeaderEncoder;
import io.stoa.net.tls.TlsContext;
import io.stoa.net.transport.DescribedException;
import io.stoa.net.transport.NameResolver;
import io.stoa.net.transport.Transport;
import io.stoa.upstream.server.ServerAddress;
import io.stoa.upstream.server.ServerAddress.Scheme;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Opens the connections of one event loop to directory servers.
 *
 * <p>Threading: event loop.
 */
public final class Dialer {
  /** Time for which the kernel retransmits to a lost server, by TCP_USER_TIMEOUT: 30 s. */
  private static final int USER_TIMEOUT_MILLIS = 30_000;

  /** Size above which a message is passed on as it arrives: 1 MiB. */
  private static final int MAX_COLLECTED = 1024 * 1024;

  /**
   * Largest LDAPMessage accepted before a connection is ready: 16 KiB. Until then the peer may be
   * anyone.
   */
  private static final int MAX_BEFORE_TLS = 16 * 1024;

  /**
   * Unsent octets above which a connection gets no further request: 256 KiB. A default anonymous
   * client's largest request has that size. At half of it the connection takes requests again.
   */
  private static final int MAX_UNSENT = 256 * 1024;

  private final EventLoop loop;
  private final Transport transport;
  private final @Nullable TlsContext tls;
  private final DialSettings settings;
  private final Bootstrap tcp;
  private final Bootstrap domain;

  /**
   * Creates the dialer of one loop.
   *
   * @param tls TLS context; null if no server uses TLS
   */
  public Dialer(
      EventLoop loop, Transport transport, @Nullable TlsContext tls, DialSettings settings) {
    this.loop = loop;
    this.transport = transport;
    this.tls = tls;
    this.settings = settings;
    Bootstrap any =
        new Bootstrap()
            .group(loop)
            .resolver(NameResolver.SYSTEM)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) settings.timeout.toMillis())
            .option(
                ChannelOption.WRITE_BUFFER_WATER_MARK,
                new WriteBufferWaterMark(MAX_UNSENT / 2, MAX_UNSENT))
            .handler(new Frames());
    this.domain = any.clone().channelFactory(transport.clientDomainChannels());
    this.tcp =
        any.channelFactory(transport.clientChannels())
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.SO_KEEPALIVE, true);
    if (transport.isEpoll()) {
      tcp.option(EpollChannelOption.TCP_USER_TIMEOUT, USER_TIMEOUT_MILLIS);
    }
  }

  /**
   * Settings of all connections.
   *
   * <p>Threading: immutable.
   *
   * @param transport protection of the connections
   * @param timeout time-out for opening a connection, TLS included
   * @param maxResponse largest LDAPMessage of a server, in octets
   */
  public record DialSettings(UpstreamTransport transport, Duration timeout, int maxResponse) {}

  /** Sets up the pipeline of each connection. */
  private static final class Frames extends ChannelInitializer<Channel> {
    @Override
    protected void initChannel(Channel channel) {
      LdapFrameDecoder frames = new LdapFrameDecoder(MAX_BEFORE_TLS, MAX_COLLECTED);
      channel
          .pipeline()
          .addLast(HandlerNames.FRAME_DECODER, frames)
          .addLast(new ConnectPhaseHandler());
    }
  }

  /** Receives the result of a connection attempt, on the event loop. */
  public interface DialListener {
    /**
     * Called for each attempt with its channel, which may be closed to cancel. Others may follow.
     */
    default void onAttempt(Channel channel) {}

    /** Called when LDAP can start. The caller's pipeline handlers see what is read first. */
    void onConnected(Channel channel);

    /**
     * Called after a failure. An {@code IOException} concerns the server, any other one Stoa
     * itself.
     */
    void onFailed(Throwable cause);
  }

  /**
   * Opens channels to servers: a dialer, or what stands for one in a test.
   *
   * <p>Threading: event loop.
   */
  public interface ChannelOpener {
    /** Connects to a server, as {@link Dialer#dial} does. */
    void dial(ServerAddress server, @Nullable InetSocketAddress client, DialListener outcome);
  }

  /**
   * Connects to a server.
   *
   * @param client address of the only client that the connection will serve; null if it will serve
   *     many or none
   */
  public void dial(ServerAddress server, @Nullable InetSocketAddress client, DialListener outcome) {
    if (server.isDomain()) {
      loop.execute(
          () -> outcome.onFailed(new DescribedException("DNS has no server for the domain")));
      return;
    }
    long began = System.nanoTime();
    connect(
        server,
        new DialListener() {
          @Override
          public void onAttempt(Channel channel) {
            outcome.onAttempt(channel);
          }

          @Override
          public void onConnected(Channel channel) {
            channel.pipeline().remove(ConnectPhaseHandler.class);
            Duration remaining = settings.timeout.minusNanos(System.nanoTime() - began);
            announce(channel, client);
            secure(channel, server, remaining, new Ready(outcome));
          }

          @Override
          public void onFailed(Throwable cause) {
            outcome.onFailed(cause);
          }
        });
  }

  private void connect(ServerAddress server, DialListener outcome) {
    if (server.scheme() == Scheme.LDAPI) {
      ChannelFuture attempt = domain.connect(transport.domainAddress(server.host()));
      AddressAttempts.report(loop, attempt, outcome, outcome);
    } else {
      InetSocketAddress host = InetSocketAddress.createUnresolved(server.host(), server.port());
      new AddressAttempts(loop, tcp, settings.timeout, outcome).connect(host, NameResolver.SYSTEM);
    }
  }

  private void announce(Channel channel, @Nullable InetSocketAddress client) {
    if (settings.transport.proxyProtocol()
        && channel.remoteAddress() instanceof InetSocketAddress server) {
      ProxyHeaderEncoder.write(channel, client, server);
      channel.flush();
    }
  }

  private void secure(
      Channel channel, ServerAddress server, Duration remaining, DialListener outcome) {
    if (!settings.transport.encrypts(server)) {
      outcome.onConnected(channel);
    } else {
      TlsContext context = Objects.requireNonNull(tls, "TLS is not configured");
      DialListener secured =
          showsCertificate() ? withAnonymousRebind(server, remaining, channel, outcome) : outcome;
      new TlsHandshake(server, context, remaining, channel, secured)
          .begin(settings.transport.usesStartTls(server));
    }
  }

  /** True if servers see a certificate of Stoa. */
  private boolean showsCertificate() {
    return settings.transport.tls().certificate() != null;
  }

  private DialListener withAnonymousRebind(
      ServerAddress server, Duration remaining, Channel channel, DialListener outcome) {
    return new AnonymousRebind(
        settings.transport.closedMessage(server), remaining, channel, outcome);
  }

  /**
   * Raises the limit of the message size. The peer is the configured server, which may send large
   * responses.
   */
  private final class Ready implements DialListener {
    private final DialListener next;

    Ready(DialListener next) {
      this.next = next;
    }

    @Override
    public void onConnected(Channel channel) {
      channel.pipeline().get(LdapFrameDecoder.class).setMaxFrameSize(settings.maxResponse);
      next.onConnected(channel);
    }

    @Override
    public void onFailed(Throwable cause) {
      next.onFailed(cause);
    }
  }
}
