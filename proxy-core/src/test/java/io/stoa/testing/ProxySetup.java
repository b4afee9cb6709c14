// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import io.stoa.cache.result.CacheConfig;
import io.stoa.client.access.AccessRules;
import io.stoa.client.connection.ClientLimits;
import io.stoa.client.listener.AccessConfig;
import io.stoa.client.listener.ListenerConfig;
import io.stoa.client.rootdse.AdaptConfig;
import io.stoa.net.tls.TlsConfig;
import io.stoa.proxy.ProxyConfig;
import io.stoa.proxy.feeds.CoherenceConfig;
import io.stoa.upstream.pool.UpstreamConfig;
import io.stoa.upstream.server.ServerAddress;
import io.stoa.write.WindowConfig;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** The defaults, on a free port before directories of this machine, and what a test changes. */
public record ProxySetup(
    AccessConfig access,
    UpstreamConfig upstream,
    CacheConfig cache,
    AdaptConfig adapt,
    ClientLimits limits,
    List<WindowConfig> windows,
    CoherenceConfig coherence,
    AccessRules rules) {
  private static final int EVENT_LOOPS = 2;

  public static ProxySetup before(int... ports) {
    return before(
        Arrays.stream(ports).mapToObj(port -> new ServerAddress("127.0.0.1", port)).toList());
  }

  /** Before directories that are not, or not only, spoken to by plain TCP. */
  public static ProxySetup beforeUrls(String... urls) {
    return before(Arrays.stream(urls).map(ServerAddress::parse).toList());
  }

  private static ProxySetup before(List<ServerAddress> servers) {
    return new ProxySetup(
        AccessConfig.of(List.of(new ListenerConfig("127.0.0.1", 0))),
        UpstreamConfig.of(servers),
        CacheConfig.DEFAULTS,
        AdaptConfig.DEFAULTS,
        ClientLimits.DEFAULTS,
        List.of(),
        CoherenceConfig.DEFAULTS,
        AccessRules.NONE);
  }

  public ProxyConfig config() {
    return new ProxyConfig(
        access, upstream, cache, adapt, limits, windows, EVENT_LOOPS, coherence, rules);
  }

  private ProxySetup with(String component, Object value) {
    return Records.with(this, component, value);
  }

  public ProxySetup cachesOff() {
    return cache("enabled", false);
  }

  /** For tests in which nothing may grow too old while they look at something else. */
  public ProxySetup maxAge(Duration maxAge) {
    return cache("maxAge", maxAge);
  }

  public ProxySetup operationTimeout(Duration timeout) {
    return upstream("operationTimeout", timeout);
  }

  /** Changes a component of {@link UpstreamConfig}. */
  public ProxySetup upstream(String component, Object value) {
    return with("upstream", Records.with(upstream, component, value));
  }

  /** Changes a component of {@link io.stoa.upstream.pool.ReplayConfig}. */
  public ProxySetup replay(String component, Object value) {
    return upstream("replay", Records.with(upstream.replay(), component, value));
  }

  /** Changes a component of {@link CacheConfig}. */
  public ProxySetup cache(String component, Object value) {
    return with("cache", Records.with(cache, component, value));
  }

  /** Changes a component of {@link AdaptConfig}. */
  public ProxySetup adapt(String component, Object value) {
    return with("adapt", Records.with(adapt, component, value));
  }

  /** Changes a component of {@link ClientLimits}. */
  public ProxySetup limit(String component, Object value) {
    return with("limits", Records.with(limits, component, value));
  }

  /** Has writes wait in these. */
  public ProxySetup windows(WindowConfig... all) {
    return with("windows", List.of(all));
  }

  /** Hears of changes so. */
  public ProxySetup coherence(CoherenceConfig how) {
    return with("coherence", how);
  }

  /** Judges operations by these rules. */
  public ProxySetup rules(AccessRules all) {
    return with("rules", all);
  }

  /** Changes a component of {@link AccessConfig}. */
  public ProxySetup access(String component, Object value) {
    return with("access", Records.with(access, component, value));
  }

  /** Listens so, and with this certificate. */
  public ProxySetup tls(TlsConfig tls, String... listeners) {
    List<ListenerConfig> listen = Arrays.stream(listeners).map(ListenerConfig::parse).toList();
    return with(
        "access", new AccessConfig(listen, tls, false, false, List.of(), AccessConfig.SOCKET_MODE));
  }

  public RunningProxy start() {
    return RunningProxy.start(config());
  }

  /** Starts it although no directory server may be there. */
  public RunningProxy startWithoutUpstream() {
    return RunningProxy.startWithoutUpstream(config());
  }
}
