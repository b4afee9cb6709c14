// SPDX-License-Identifier: Apache-2.0
package io.stoa;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.stoa.backend.Backend;
import io.stoa.backend.ServerAddress;
import io.stoa.backend.ServerAddress.Scheme;
import io.stoa.codec.TlsConfig;
import io.stoa.codec.TlsContext;
import io.stoa.codec.TlsContexts;
import io.stoa.codec.TlsException;
import io.stoa.codec.Transport;
import io.stoa.dial.ProxyHeader;
import io.stoa.frontend.ClientLimits;
import io.stoa.frontend.Frontend;
import io.stoa.listen.PassThrough;
import io.stoa.tier.Branch;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Opens the listeners of a proxy with what stands behind them. Immutable. */
final class ClientAccess {
  private final ProxyConfig config;
  private final Transport transport;
  private final Branch branch;
  private final TlsContexts tls;

  ClientAccess(ProxyConfig config, Transport transport, Branch branch, TlsContexts tls) {
    this.config = config;
    this.transport = transport;
    this.branch = branch;
    this.tls = tls;
  }

  void open(Frontend frontend) throws IOException {
    frontend.listen(config.access(), server(), this::passThrough);
  }

  /** What takes TLS connections; null if no certificate is configured. */
  private @Nullable TlsContext server() throws TlsException {
    TlsConfig own = config.access().tls();
    return own == null || own.certificate() == null ? null : tls.server(own);
  }

  private PassThrough passThrough(PassThrough.Guests guests) {
    ClientLimits limits = config.limits();
    return new PassThrough(
        transport,
        new PassThrough.Settings(
            this::target,
            this::greeting,
            guests,
            config.access().proxyProtocol(),
            limits.writeBuffer(),
            config.upstream().connectTimeout(),
            limits.requestTimeout(),
            limits.writeTimeout(),
            limits.idleTimeout()));
  }

  /** What servers are told of a client, if they are to be told. */
  private @Nullable ByteBuf greeting(Channel server, @Nullable InetSocketAddress client) {
    return config.upstream().transport().proxyProtocol()
            && server.remoteAddress() instanceof InetSocketAddress address
        ? ProxyHeader.encode(server.alloc(), client, address)
        : null;
  }

  /**
   * The first server that speaks TLS and is up: what is passed on may be writes, which only the
   * primary takes. If none is up the first that can be used, or else the first, is tried, since
   * health is looked at now and then only; but never one that is drained. Null if there is none.
   */
  private @Nullable InetSocketAddress target() {
    List<Backend> able = branch.backends().stream().filter(ClientAccess::isAble).toList();
    Backend best = first(able, Backend::up);
    best = best == null ? first(able, Backend::usable) : best;
    best = best == null ? first(able, any -> true) : best;
    return best == null
        ? null
        : InetSocketAddress.createUnresolved(best.address().host(), best.address().port());
  }

  private static @Nullable Backend first(List<Backend> servers, Predicate<Backend> which) {
    return servers.stream().filter(which).findFirst().orElse(null);
  }

  /** A domain of which DNS has not named the servers cannot be connected to. */
  private static boolean isAble(Backend backend) {
    ServerAddress address = backend.address();
    return address.scheme() == Scheme.LDAPS && !address.isDomain() && !backend.health().drained();
  }
}
