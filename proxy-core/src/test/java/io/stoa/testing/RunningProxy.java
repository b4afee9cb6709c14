// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import io.stoa.cache.result.CacheStats;
import io.stoa.metrics.ProxyStatus;
import io.stoa.proxy.Extensions;
import io.stoa.proxy.Proxy;
import io.stoa.proxy.ProxyConfig;
import io.stoa.upstream.server.BackendState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.stream.Stream;

/**
 * A whole proxy on a free port. Closing it asserts first that nothing was left behind: a test
 * closes its clients before. Thread-safe.
 */
public final class RunningProxy implements AutoCloseable {
  private final Proxy proxy;

  private RunningProxy(Proxy proxy) {
    this.proxy = proxy;
  }

  /** Starts it and waits until a directory server takes operations and its schema was read. */
  public static RunningProxy start(ProxyConfig config) {
    return start(config, Extensions.none());
  }

  /** Starts it with something of the test's own, and waits likewise. */
  public static RunningProxy start(ProxyConfig config, Extensions extensions) {
    RunningProxy running = startWithoutUpstream(config, extensions);
    Await.until("the proxy is ready", () -> running.status().ready());
    // What is learned of the directory empties the caches once.
    Await.until("the schema is read", () -> running.cache().invalidations() > 0);
    return running;
  }

  /** Starts it although no directory server may be there. */
  public static RunningProxy startWithoutUpstream(ProxyConfig config) {
    return startWithoutUpstream(config, Extensions.none());
  }

  private static RunningProxy startWithoutUpstream(ProxyConfig config, Extensions extensions) {
    try {
      Proxy proxy = Proxy.open(config, extensions);
      proxy.accept();
      return new RunningProxy(proxy);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until all servers are up. */
  public RunningProxy awaitUp() {
    return awaitUp(status().backends().size());
  }

  /** Waits until so many servers are up. */
  public RunningProxy awaitUp(int servers) {
    Await.until(servers + " servers are up", () -> up() == servers);
    return this;
  }

  /** How many servers are up. */
  public int up() {
    return (int) status().backends().stream().filter(one -> one.state() == BackendState.UP).count();
  }

  /**
   * Waits until the reason for the state of a server has all these parts.
   *
   * @param number of the server, from 1
   */
  public RunningProxy awaitReason(int number, String... parts) {
    Await.until(
        "the reason of server " + number + " has " + List.of(parts),
        () -> Stream.of(parts).allMatch(status().backends().get(number - 1).reason()::contains));
    return this;
  }

  public InetSocketAddress address() {
    return proxy.addresses().get(0);
  }

  public RawLdapClient client() {
    return RawLdapClient.connect(address());
  }

  public ProxyStatus status() {
    return proxy.status();
  }

  public CacheStats cache() {
    return status().cache();
  }

  public Proxy proxy() {
    return proxy;
  }

  @Override
  public void close() {
    try {
      Invariants.assertNothingLeft(this::status);
    } finally {
      proxy.close();
    }
  }
}
