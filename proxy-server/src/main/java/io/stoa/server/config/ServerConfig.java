// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import static io.stoa.net.transport.InvalidConfigException.refuse;
import static io.stoa.net.transport.InvalidConfigException.requireNotNegative;

import io.stoa.cache.result.CacheConfig;
import io.stoa.client.access.AccessRules;
import io.stoa.client.connection.ClientLimits;
import io.stoa.client.listener.AccessConfig;
import io.stoa.client.listener.ListenerConfig;
import io.stoa.client.rootdse.AdaptConfig;
import io.stoa.proxy.ProxyConfig;
import io.stoa.proxy.feeds.CoherenceConfig;
import io.stoa.server.accesslog.AccessLogConfig;
import io.stoa.server.accesslog.LogLevel;
import io.stoa.server.admin.auth.AdministratorConfig;
import io.stoa.upstream.pool.UpstreamConfig;
import io.stoa.upstream.server.ServerAddress;
import java.time.Duration;
import java.util.List;

/**
 * Configuration of the process.
 *
 * <p>Threading: immutable.
 *
 * @param proxy configuration of the proxy
 * @param management address of the management listener
 * @param ibmTimes true if {@code cn=monitor} prints times as IBM Directory Server does
 * @param drainTimeout maximum time for operations in flight to end at shutdown; 0 does not wait
 * @param administrator configuration of the administrator
 * @param logs configuration of the access log and the audit log
 * @param logLevels levels of parts of Stoa; each part has one
 */
public record ServerConfig(
    ProxyConfig proxy,
    ManagementConfig management,
    boolean ibmTimes,
    Duration drainTimeout,
    AdministratorConfig administrator,
    AccessLogConfig logs,
    List<LogLevel> logLevels) {

  /** Default listener for clients. */
  public static final ListenerConfig DEFAULT_LISTENER = new ListenerConfig("127.0.0.1", 1389);

  /** Default of the maximum time for operations in flight to end at shutdown: 10 s. */
  public static final Duration DEFAULT_DRAIN_TIMEOUT = Duration.ofSeconds(10);

  public ServerConfig {
    requireNotNegative("drainTimeout", drainTimeout);
    logLevels = List.copyOf(logLevels);
    refuse(
        logLevels.stream().map(LogLevel::part).distinct().count() < logLevels.size(),
        "log.levels",
        " has two levels for one part");
    for (ListenerConfig listener : administrator.listeners()) {
      refuse(
          !proxy.access().listeners().contains(listener),
          "admin.listeners",
          " contains " + listener + ", which is missing from ",
          "listen");
    }
  }

  /** Creates a configuration with the default administrator, who has no password, and no logs. */
  public ServerConfig(
      ProxyConfig proxy, ManagementConfig management, boolean ibmTimes, Duration drainTimeout) {
    this(
        proxy,
        management,
        ibmTimes,
        drainTimeout,
        AdministratorConfig.DEFAULTS,
        AccessLogConfig.DEFAULTS,
        List.of());
  }

  /** Returns the defaults for the given plain listeners and servers. */
  public static ServerConfig of(List<ListenerConfig> listeners, List<ServerAddress> upstreams) {
    return of(AccessConfig.of(listeners), upstreams);
  }

  /** Returns the defaults for the given access rules and servers. */
  public static ServerConfig of(AccessConfig access, List<ServerAddress> upstreams) {
    ProxyConfig proxy =
        new ProxyConfig(
            access,
            UpstreamConfig.of(upstreams),
            CacheConfig.DEFAULTS,
            AdaptConfig.DEFAULTS,
            ClientLimits.DEFAULTS,
            List.of(),
            0,
            CoherenceConfig.DEFAULTS,
            AccessRules.NONE);
    return of(proxy);
  }

  /** Returns the defaults for a proxy. */
  public static ServerConfig of(ProxyConfig proxy) {
    return new ServerConfig(proxy, ManagementConfig.DEFAULT, false, DEFAULT_DRAIN_TIMEOUT);
  }

  /** Returns a copy with another management listener. */
  public ServerConfig withManagement(ManagementConfig other) {
    return new ServerConfig(proxy, other, ibmTimes, drainTimeout, administrator, logs, logLevels);
  }
}
