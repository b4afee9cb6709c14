// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.feeds;

import io.stoa.feed.connection.FeedServer;
import io.stoa.feed.connection.FeedTls;
import io.stoa.net.tls.TlsConfig;
import io.stoa.net.tls.TlsContext;
import io.stoa.upstream.balancing.ServerGroup;
import io.stoa.upstream.connect.UpstreamTransport;
import io.stoa.upstream.server.Backend;
import io.stoa.upstream.server.Health;
import io.stoa.upstream.server.ServerAddress;
import io.stoa.upstream.server.ServerAddress.Scheme;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The servers of a directory, as its feeds use them.
 *
 * <p>Threading: thread-safe.
 */
final class FeedServers {
  private static final long DOUBT_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final ServerGroup group;
  private final Supplier<UpstreamTransport> transport;
  private final @Nullable TlsContext tls;

  /**
   * Creates the list.
   *
   * @param tls the TLS context for servers; null if none is reached by TLS
   */
  FeedServers(ServerGroup group, Supplier<UpstreamTransport> transport, @Nullable TlsContext tls) {
    this.tls = tls;
    this.group = group;
    this.transport = transport;
  }

  /**
   * Returns the writable servers: every write to them must be visible to the feed. A server that is
   * drained and gone is left out, since it takes no writes.
   */
  Set<Backend> writable() {
    return group.backends().stream()
        .filter(backend -> backend.isPrimary() && !isDrainedAndGone(backend))
        .collect(Collectors.toSet());
  }

  /**
   * True if the server is drained and gone. Triggers a health check, since a drained server is not
   * checked periodically.
   */
  private static boolean isDrainedAndGone(Backend backend) {
    Health health = backend.health();
    if (!health.isDrained()) {
      return false;
    }
    long now = System.nanoTime();
    health.requestCheck(now - DOUBT_NANOS, now, DOUBT_NANOS);
    return health.isDown();
  }

  /**
   * Returns the servers for a feed, usable ones first. Only primaries qualify: a write is visible
   * there first.
   */
  List<FeedServer> candidates() {
    return group.backends().stream()
        .filter(backend -> backend.isPrimary() && isAddressKnown(backend.address()))
        .sorted(Comparator.comparing((Backend backend) -> !backend.isUsable()))
        .map(backend -> server(backend.address()))
        .toList();
  }

  /**
   * A server that may answer reads.
   *
   * <p>Threading: immutable.
   *
   * @param mayFeed true if a feed may connect to it
   */
  record ReadServer(FeedServer server, boolean mayFeed) {}

  /** Returns all servers that may answer reads, except drained ones that are gone. */
  List<ReadServer> readServers() {
    return group.backends().stream()
        .filter(backend -> isAddressKnown(backend.address()) && !isDrainedAndGone(backend))
        .map(backend -> new ReadServer(server(backend.address()), backend.isPrimary()))
        .toList();
  }

  /**
   * Returns all servers that may answer reads or take writes. A server that is drained and gone
   * does neither.
   */
  Set<Backend> watched() {
    return group.backends().stream()
        .filter(backend -> !isDrainedAndGone(backend))
        .collect(Collectors.toSet());
  }

  /** Returns the server as feeds connect to it; null if its address is a DNS domain. */
  @Nullable FeedServer feedServer(Backend backend) {
    return isAddressKnown(backend.address()) ? server(backend.address()) : null;
  }

  /** True if all servers are known by address, none by DNS domain. */
  boolean areAddressesKnown() {
    return group.backends().stream().allMatch(backend -> isAddressKnown(backend.address()));
  }

  private static boolean isAddressKnown(ServerAddress address) {
    return !address.isDomain();
  }

  private FeedServer server(ServerAddress address) {
    if (address.scheme() == Scheme.LDAPI) {
      return FeedServer.local(address.toString(), Path.of(address.host()));
    }
    UpstreamTransport upstreamTransport = transport.get();
    return FeedServer.tcp(
        address.toString(),
        address.host(),
        address.port(),
        upstreamTransport.encrypts(address)
            ? tls(upstreamTransport, upstreamTransport.usesStartTls(address))
            : null);
  }

  private @Nullable FeedTls tls(UpstreamTransport upstreamTransport, boolean startTls) {
    TlsConfig config = upstreamTransport.tls();
    return tls == null
        ? null
        : new FeedTls(
            tls::jdkContext,
            config.protocols(),
            config.ciphers(),
            upstreamTransport.verifyHost(),
            startTls);
  }

  /** Returns the server that answers all reads; null if there are several or it is a DNS domain. */
  @Nullable Backend singleServer() {
    List<Backend> backends = group.backends();
    return backends.size() == 1 && !backends.get(0).address().isDomain() ? backends.get(0) : null;
  }

  /** Returns the server with this feed name; null if it is gone. */
  @Nullable Backend byName(String name) {
    return group.backends().stream()
        .filter(backend -> backend.address().toString().equals(name))
        .findFirst()
        .orElse(null);
  }
}
