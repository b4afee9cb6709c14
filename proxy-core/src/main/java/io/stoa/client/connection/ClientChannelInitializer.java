// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.stoa.client.listener.Listener;
import io.stoa.client.listener.ListenerConfig.Protocol;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.ProtocolError;
import io.stoa.net.codec.HandlerNames;
import io.stoa.net.codec.LdapFrameDecoder;
import io.stoa.net.proxyprotocol.ProxyHeaderDecoder;
import io.stoa.operation.Rejection;
import io.stoa.operation.event.ClientEvent;
import io.stoa.operation.event.ClientTimeout;
import java.net.InetSocketAddress;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Builds the pipeline of a client connection. Received octets pass the handlers in this order:
 * PROXY header, TLS, frame decoder, client.
 *
 * <p>Threading: thread-safe.
 */
final class ClientChannelInitializer extends ChannelInitializer<Channel> {
  private final FrontendConfig config;
  private final Listener listener;
  private final Function<EventLoop, SessionRegistry> loops;

  ClientChannelInitializer(
      FrontendConfig config, Listener listener, Function<EventLoop, SessionRegistry> loops) {
    this.config = config;
    this.listener = listener;
    this.loops = loops;
  }

  @Override
  protected void initChannel(Channel channel) {
    SessionRegistry loop = loops.apply(channel.eventLoop());
    LdapFrameDecoder frames = new LdapFrameDecoder(config.limits().frameBeforeBind());
    ClientConnection client =
        new ClientConnection(channel, frames, loop.context(), config, listener);
    channel.pipeline().addLast(HandlerNames.FRAME_DECODER, frames);
    channel.pipeline().addLast(HandlerNames.CLIENT_TLS, client.clientTls());
    channel.pipeline().addLast(HandlerNames.CONNECTION, client);
    if (listener.kind() == Protocol.LDAPS) {
      client.clientTls().begin();
    }
    boolean headerDue = ProxyHeaderDecoder.isDue(channel, listener.loadBalancers());
    if (headerDue) {
      ProxyHeaderDecoder.expect(
          channel, config.limits().requestTimeout(), new Header(client, config));
    }
    loop.add(client, !headerDue);
    if (!headerDue) {
      admit(client, config);
    }
  }

  /** Counts a client with its network, and refuses it at the limit. */
  private static void admit(ClientConnection client, FrontendConfig config) {
    Octets network = client.network();
    if (!client.isOpen() || network.length() == 0) {
      return;
    }
    if (config.quotas().admitConnection(network)) {
      client.channel().closeFuture().addListener(closed -> config.quotas().onClosed(network));
    } else {
      config.counters().events().increment(ClientEvent.CONNECTION_REFUSED);
      client.end(Rejection.NETWORK_LIMIT);
    }
  }

  /**
   * Applies a load balancer's PROXY header to a client.
   *
   * <p>Threading: event loop.
   */
  private record Header(ClientConnection client, FrontendConfig config)
      implements ProxyHeaderDecoder.HeaderListener {
    @Override
    public void onHeader(@Nullable InetSocketAddress address) {
      if (address != null) {
        client.clientTls().setForwarded(address);
        admit(client, config);
      }
    }

    @Override
    public void onMissing() {
      client.endWithProtocolError(ProtocolError.BAD_PROXY_HEADER);
    }

    @Override
    public void onTimeout() {
      if (client.isOpen()) {
        config.counters().timeouts().increment(ClientTimeout.REQUEST);
        client.disconnect(Rejection.NO_PROGRESS);
      }
    }
  }
}
