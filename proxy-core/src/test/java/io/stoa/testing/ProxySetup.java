// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import io.stoa.ProxyConfig;
import io.stoa.backend.ServerAddress;
import io.stoa.cache.CacheConfig;
import io.stoa.frontend.ClientLimits;
import io.stoa.frontend.ListenerConfig;
import io.stoa.upstream.UpstreamConfig;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** The defaults, on a free port before directories of this machine, and what a test changes. */
public record ProxySetup(UpstreamConfig upstream, CacheConfig cache, ClientLimits limits) {
  private static final int EVENT_LOOPS = 2;

  public static ProxySetup before(int... ports) {
    List<ServerAddress> servers =
        Arrays.stream(ports).mapToObj(port -> new ServerAddress("127.0.0.1", port)).toList();
    return new ProxySetup(UpstreamConfig.of(servers), CacheConfig.DEFAULTS, ClientLimits.DEFAULTS);
  }

  /** Before directories that are not, or not only, spoken to by plain TCP. */
  public static ProxySetup beforeUrls(String... urls) {
    List<ServerAddress> servers = Arrays.stream(urls).map(ServerAddress::parse).toList();
    return new ProxySetup(UpstreamConfig.of(servers), CacheConfig.DEFAULTS, ClientLimits.DEFAULTS);
  }

  public ProxyConfig config() {
    ListenerConfig listener = new ListenerConfig("127.0.0.1", 0);
    return new ProxyConfig(List.of(listener), upstream, cache, limits, EVENT_LOOPS);
  }

  public ProxySetup cachesOff() {
    return new ProxySetup(upstream, Records.with(cache, "enabled", false), limits);
  }

  /** For tests in which nothing may grow too old while they look at something else. */
  public ProxySetup maxAge(Duration maxAge) {
    return new ProxySetup(upstream, Records.with(cache, "maxAge", maxAge), limits);
  }

  public ProxySetup operationTimeout(Duration timeout) {
    return upstream("operationTimeout", timeout);
  }

  /** Changes a component of {@link UpstreamConfig}. */
  public ProxySetup upstream(String component, Object value) {
    return new ProxySetup(Records.with(upstream, component, value), cache, limits);
  }

  /** Changes a component of {@link ClientLimits}. */
  public ProxySetup limit(String component, Object value) {
    return new ProxySetup(upstream, cache, Records.with(limits, component, value));
  }

  public RunningProxy start() {
    return RunningProxy.start(config());
  }

  /** Starts it although no directory server may be there. */
  public RunningProxy startWithoutUpstream() {
    return RunningProxy.startWithoutUpstream(config());
  }
}
