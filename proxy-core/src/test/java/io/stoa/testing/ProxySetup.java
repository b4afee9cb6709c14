// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import io.stoa.ProxyConfig;
import io.stoa.adapt.AdaptConfig;
import io.stoa.backend.ServerAddress;
import io.stoa.cache.CacheConfig;
import io.stoa.frontend.ClientLimits;
import io.stoa.frontend.ListenerConfig;
import io.stoa.upstream.UpstreamConfig;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** The defaults, on a free port before directories of this machine, and what a test changes. */
public record ProxySetup(
    UpstreamConfig upstream, CacheConfig cache, AdaptConfig adapt, ClientLimits limits) {
  private static final int EVENT_LOOPS = 2;

  public static ProxySetup before(int... ports) {
    List<ServerAddress> servers =
        Arrays.stream(ports).mapToObj(port -> new ServerAddress("127.0.0.1", port)).toList();
    return new ProxySetup(
        UpstreamConfig.of(servers),
        CacheConfig.DEFAULTS,
        AdaptConfig.DEFAULTS,
        ClientLimits.DEFAULTS);
  }

  /** Before directories that are not, or not only, spoken to by plain TCP. */
  public static ProxySetup beforeUrls(String... urls) {
    List<ServerAddress> servers = Arrays.stream(urls).map(ServerAddress::parse).toList();
    return new ProxySetup(
        UpstreamConfig.of(servers),
        CacheConfig.DEFAULTS,
        AdaptConfig.DEFAULTS,
        ClientLimits.DEFAULTS);
  }

  public ProxyConfig config() {
    ListenerConfig listener = new ListenerConfig("127.0.0.1", 0);
    return new ProxyConfig(List.of(listener), upstream, cache, adapt, limits, EVENT_LOOPS);
  }

  public ProxySetup cachesOff() {
    return new ProxySetup(upstream, Records.with(cache, "enabled", false), adapt, limits);
  }

  /** For tests in which nothing may grow too old while they look at something else. */
  public ProxySetup maxAge(Duration maxAge) {
    return new ProxySetup(upstream, Records.with(cache, "maxAge", maxAge), adapt, limits);
  }

  public ProxySetup operationTimeout(Duration timeout) {
    return upstream("operationTimeout", timeout);
  }

  /** Changes a component of {@link UpstreamConfig}. */
  public ProxySetup upstream(String component, Object value) {
    return new ProxySetup(Records.with(upstream, component, value), cache, adapt, limits);
  }

  /** Changes a component of {@link CacheConfig}. */
  public ProxySetup cache(String component, Object value) {
    return new ProxySetup(upstream, Records.with(cache, component, value), adapt, limits);
  }

  /** Changes a component of {@link AdaptConfig}. */
  public ProxySetup adapt(String component, Object value) {
    return new ProxySetup(upstream, cache, Records.with(adapt, component, value), limits);
  }

  /** Changes a component of {@link ClientLimits}. */
  public ProxySetup limit(String component, Object value) {
    return new ProxySetup(upstream, cache, adapt, Records.with(limits, component, value));
  }

  public RunningProxy start() {
    return RunningProxy.start(config());
  }

  /** Starts it although no directory server may be there. */
  public RunningProxy startWithoutUpstream() {
    return RunningProxy.startWithoutUpstream(config());
  }
}
