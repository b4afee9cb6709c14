// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy;

import io.netty.channel.Channel;
import io.stoa.client.connection.ClientLimits;
import io.stoa.client.connection.Frontend;
import io.stoa.client.listener.TlsPassthrough;
import io.stoa.net.proxyprotocol.ProxyHeaderEncoder;
import io.stoa.net.tls.TlsConfig;
import io.stoa.net.tls.TlsContext;
import io.stoa.net.tls.TlsContexts;
import io.stoa.net.tls.TlsException;
import io.stoa.net.transport.Transport;
import io.stoa.upstream.balancing.ServerGroup;
import io.stoa.upstream.server.Backend;
import io.stoa.upstream.server.ServerAddress;
import io.stoa.upstream.server.ServerAddress.Scheme;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Opens the listeners of a proxy.
 *
 * <p>Threading: immutable.
 */
final class ClientAccess {
  private final ProxyConfig config;
  private final Transport transport;
  private final ServerGroup group;
  private final TlsContexts tls;

  ClientAccess(ProxyConfig config, Transport transport, ServerGroup group, TlsContexts tls) {
    this.config = config;
    this.transport = transport;
    this.group = group;
    this.tls = tls;
  }

  void open(Frontend frontend) throws IOException {
    frontend.listen(config.access(), clientTls(), this::passThrough);
  }

  /** Returns the TLS context for clients; null if no certificate is configured. */
  private @Nullable TlsContext clientTls() throws TlsException {
    TlsConfig tlsConfig = config.access().tls();
    return tlsConfig == null || tlsConfig.certificate() == null ? null : tls.server(tlsConfig);
  }

  private TlsPassthrough passThrough(TlsPassthrough.PassthroughConnections connections) {
    ClientLimits limits = config.limits();
    return new TlsPassthrough(
        transport,
        new TlsPassthrough.TunnelSettings(
            this::target,
            this::writeProxyHeader,
            connections,
            config.access().proxyProtocol(),
            limits.writeBuffer(),
            config.upstream().connectTimeout(),
            limits.requestTimeout(),
            limits.writeTimeout(),
            limits.idleTimeout()));
  }

  /** Writes the PROXY protocol header to a server, if servers expect one. */
  private void writeProxyHeader(Channel server, @Nullable InetSocketAddress client) {
    if (config.upstream().transport().proxyProtocol()
        && server.remoteAddress() instanceof InetSocketAddress address) {
      ProxyHeaderEncoder.write(server, client, address);
    }
  }

  /**
   * Returns the server for TLS passthrough: the first that speaks TLS and is up. The order prefers
   * the primary, since passed-through operations may be writes. If none is up, returns the first
   * usable one, or else the first, since health checks are periodic. Never returns a drained one;
   * null if there is none.
   */
  private @Nullable InetSocketAddress target() {
    List<Backend> able =
        group.backends().stream().filter(ClientAccess::isPassthroughTarget).toList();
    Backend best = first(able, Backend::isUp);
    best = best == null ? first(able, Backend::isUsable) : best;
    best = best == null ? first(able, any -> true) : best;
    return best == null
        ? null
        : InetSocketAddress.createUnresolved(best.address().host(), best.address().port());
  }

  private static @Nullable Backend first(List<Backend> servers, Predicate<Backend> eligible) {
    return servers.stream().filter(eligible).findFirst().orElse(null);
  }

  /**
   * True if the server can be a target. A DNS domain without known servers cannot be connected to.
   */
  private static boolean isPassthroughTarget(Backend backend) {
    ServerAddress address = backend.address();
    return address.scheme() == Scheme.LDAPS && !address.isDomain() && !backend.health().isDrained();
  }
}
