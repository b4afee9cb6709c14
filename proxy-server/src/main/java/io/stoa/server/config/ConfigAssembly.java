// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import io.stoa.client.listener.AccessConfig;
import io.stoa.client.rootdse.AdaptConfig;
import io.stoa.net.peer.Network;
import io.stoa.net.transport.InvalidConfigException;
import io.stoa.proxy.ProxyConfig;
import io.stoa.proxy.feeds.CoherenceConfig;
import io.stoa.server.config.value.WindowOverride;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Builds the configuration records from settings. The records check the rules for their components.
 * A broken rule names its settings; here each name becomes that of the key. Threading: confined to
 * one call.
 */
final class ConfigAssembly {
  private final Settings settings;
  private final Set<ConfigKey<?>> outOfBounds = new HashSet<>();

  ConfigAssembly(Settings settings) {
    this.settings = settings;
  }

  /**
   * Builds the whole configuration. Each value that breaks a rule is reported to the settings and
   * replaced by its default.
   *
   * @throws InvalidConfigException if a broken rule names no key whose default could satisfy it
   */
  ServerConfig assemble() {
    check("identity", () -> IdentityKeys.assemble(settings));
    check("feed", () -> FeedKeys.assemble(settings));
    check("cache", this::coherence);
    check("upstream.tls", () -> UpstreamTlsKeys.assemble(settings));
    check("probe", () -> ProbeKeys.assemble(settings));
    check("replication", () -> ReplicationKeys.assemble(settings));
    check("upstream", () -> UpstreamKeys.assemble(settings));
    check("cache", () -> CacheKeys.assemble(settings));
    check("access", () -> AccessKeys.assemble(settings));
    check("limits.network", () -> QuotaKeys.NETWORK.limits(settings));
    check("limits.identity", () -> QuotaKeys.IDENTITY.limits(settings));
    check("limits", () -> LimitKeys.assemble(settings));
    check("log", () -> LogKeys.assemble(settings));
    check("tls", this::access);
    check("management", () -> ManagementKeys.assemble(settings));
    check("admin", () -> AdminKeys.assemble(settings));
    return check("", this::server);
  }

  /** True if a rule that names no other key has refused the value of this key. */
  boolean isOutOfBounds(ConfigKey<?> key) {
    return outOfBounds.contains(key);
  }

  /** Builds a record, replacing given values by defaults until it succeeds. */
  private <T> T check(String section, Supplier<T> factory) {
    while (true) {
      try {
        return factory.get();
      } catch (InvalidConfigException e) {
        reportBrokenRule(section, e);
      }
    }
  }

  /**
   * Reports a broken rule once, at the first given key that it names. A rule that is broken only by
   * a default in place of an invalid value is not reported.
   */
  private void reportBrokenRule(String section, InvalidConfigException broken) {
    List<ConfigKey<?>> keys =
        broken.settings().stream().flatMap(name -> key(section, name).stream()).toList();
    if (broken.settings().size() == 1) {
      outOfBounds.addAll(keys);
    }
    List<ConfigKey<?>> setKeys = keys.stream().filter(settings::hasValue).toList();
    if (setKeys.isEmpty()) {
      throw broken;
    }
    if (keys.stream().noneMatch(settings::isReplaced)) {
      String message = broken.message(name -> key(section, name).map(ConfigKey::name).orElse(name));
      settings.report(setKeys.get(0), message);
    }
    setKeys.forEach(settings::replace);
  }

  /** Returns the key of a setting: that of the section, or else the first one of that name. */
  private static Optional<ConfigKey<?>> key(String section, String setting) {
    return Stream.<ConfigKey<?>>concat(
            ConfigKeys.ALL.stream().filter(key -> key.section().equals(section)),
            ConfigKeys.ALL.stream())
        .filter(key -> key.leaf().equals(setting) || key.name().equals(setting))
        .findFirst();
  }

  private ServerConfig server() {
    ProxyConfig proxy =
        new ProxyConfig(
            access(),
            UpstreamKeys.assemble(settings),
            CacheKeys.assemble(settings),
            new AdaptConfig(
                settings.get(ConfigKeys.REFERRALS), settings.get(ConfigKeys.MERGE_RANGES)),
            LimitKeys.assemble(settings),
            WindowOverride.apply(
                settings.get(WriteKeys.WINDOWS), settings.get(WriteKeys.WINDOW_OVERRIDES)),
            settings.get(ConfigKeys.EVENT_LOOPS),
            coherence(),
            AccessKeys.assemble(settings));
    return new ServerConfig(
        proxy,
        ManagementKeys.assemble(settings),
        settings.get(MonitorKeys.IBM_TIMES),
        settings.get(ConfigKeys.DRAIN_TIMEOUT),
        AdminKeys.assemble(settings),
        LogKeys.assemble(settings),
        settings.get(LogKeys.LEVELS));
  }

  private AccessConfig access() {
    return new AccessConfig(
        settings.get(ConfigKeys.LISTEN),
        TlsKeys.assemble(settings),
        settings.get(TlsKeys.REQUIRE_TLS),
        settings.get(TlsKeys.ALLOW_PLAIN_SASL),
        settings.get(ConfigKeys.PROXY_PROTOCOL).stream().map(Network::parse).toList(),
        settings.get(ConfigKeys.SOCKET_MODE));
  }

  private CoherenceConfig coherence() {
    return new CoherenceConfig(
        FeedKeys.assemble(settings),
        settings.get(CacheKeys.MAX_STALENESS),
        settings.get(CacheKeys.MAX_ACL_STALENESS),
        settings.get(FeedKeys.ASSUME_COVERAGE),
        FeedKeys.derived(settings),
        settings.get(FeedKeys.APPLY));
  }
}
