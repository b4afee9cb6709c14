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

/** The servers of a directory as feeds know them. Thread-safe. */
final class FeedServers {
  private static final long DOUBT_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final ServerGroup branch;
  private final Supplier<UpstreamTransport> transport;
  private final @Nullable TlsContext tls;

  /**
   * Makes them.
   *
   * @param tls how they are spoken to inside TLS; null if none is
   */
  FeedServers(ServerGroup branch, Supplier<UpstreamTransport> transport, @Nullable TlsContext tls) {
    this.tls = tls;
    this.branch = branch;
    this.transport = transport;
  }

  /**
   * Those that take writes; nothing must have been done there of which nobody knows. If one is gone
   * for which an administrator has said that it is not to be used, nobody writes there.
   */
  Set<Backend> writable() {
    return branch.backends().stream()
        .filter(backend -> backend.primary() && !isOut(backend))
        .collect(Collectors.toSet());
  }

  /** One that is drained is not looked at by itself: it may have gone since. */
  private static boolean isOut(Backend backend) {
    Health health = backend.health();
    if (!health.drained()) {
      return false;
    }
    long now = System.nanoTime();
    health.doubt(now - DOUBT_NANOS, now, DOUBT_NANOS);
    return health.gone();
  }

  /** From where a feed may come, the best first: who takes writes knows of them first. */
  List<FeedServer> candidates() {
    return branch.backends().stream()
        .filter(backend -> backend.primary() && reachable(backend.address()))
        .sorted(Comparator.comparing((Backend backend) -> !backend.usable()))
        .map(backend -> server(backend.address()))
        .toList();
  }

  /**
   * One that may answer. Immutable.
   *
   * @param tells whether a feed may come from there
   */
  record Answering(FeedServer server, boolean tells) {}

  /** All that may answer, but for those of which an administrator has said that they are gone. */
  List<Answering> answering() {
    return branch.backends().stream()
        .filter(backend -> reachable(backend.address()) && !isOut(backend))
        .map(backend -> new Answering(server(backend.address()), backend.primary()))
        .toList();
  }

  /**
   * The servers that may answer, or take writes; a server that is drained and gone does neither.
   */
  Set<Backend> watched() {
    return branch.backends().stream()
        .filter(backend -> !isOut(backend))
        .collect(Collectors.toSet());
  }

  /** How a feed reaches a server; null if its address names a domain. */
  @Nullable FeedServer reached(Backend backend) {
    return reachable(backend.address()) ? server(backend.address()) : null;
  }

  /** Whether it is known which servers may answer. */
  boolean areNamed() {
    return branch.backends().stream().allMatch(backend -> reachable(backend.address()));
  }

  private static boolean reachable(ServerAddress address) {
    return !address.isDomain();
  }

  private FeedServer server(ServerAddress address) {
    if (address.scheme() == Scheme.LDAPI) {
      return FeedServer.local(address.toString(), Path.of(address.host()));
    }
    UpstreamTransport how = transport.get();
    return FeedServer.tcp(
        address.toString(),
        address.host(),
        address.port(),
        how.encrypts(address) ? tls(how, how.asks(address)) : null);
  }

  private @Nullable FeedTls tls(UpstreamTransport how, boolean startTls) {
    TlsConfig config = how.tls();
    return tls == null
        ? null
        : new FeedTls(
            tls::ofRuntime, config.protocols(), config.ciphers(), how.verifyHost(), startTls);
  }

  /** The server that answers all reads, if there is one only; else null. */
  @Nullable Backend only() {
    List<Backend> all = branch.backends();
    return all.size() == 1 && !all.get(0).address().isDomain() ? all.get(0) : null;
  }

  /** The server that a feed calls by that name; null if it is gone. */
  @Nullable Backend named(String name) {
    return branch.backends().stream()
        .filter(backend -> backend.address().toString().equals(name))
        .findFirst()
        .orElse(null);
  }
}
