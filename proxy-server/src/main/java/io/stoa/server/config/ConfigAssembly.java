// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import static io.stoa.config.InvalidConfigException.refuse;

import io.stoa.cache.result.CacheConfig;
import io.stoa.cache.result.Exclusions;
import io.stoa.cache.sharing.Declaration;
import io.stoa.cache.sharing.SharingConfig;
import io.stoa.client.listener.AccessConfig;
import io.stoa.client.rootdse.AdaptConfig;
import io.stoa.config.InvalidConfigException;
import io.stoa.net.peer.Network;
import io.stoa.net.tls.TlsConfig;
import io.stoa.proxy.ProxyConfig;
import io.stoa.proxy.feeds.CoherenceConfig;
import io.stoa.server.config.value.WindowOverride;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Builds the configuration records from settings. The records check the rules for their components.
 * A broken rule names its settings; here each name becomes that of the key. Threading: confined to
 * one call.
 */
final class ConfigAssembly {
  private final Settings settings;

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
    check("feed", () -> IdentityKeys.Feed.assemble(settings));
    check("cache", this::coherence);
    check("upstream.tls", () -> TransportKeys.tls(settings));
    check("probe", () -> UpstreamKeys.Probe.assemble(settings));
    check("replication", () -> UpstreamKeys.ReplicationKeys.assemble(settings));
    check("upstream", () -> UpstreamKeys.assemble(settings));
    check("cache", this::cache);
    check("limits", () -> LimitKeys.assemble(settings));
    check("tls", this::access);
    check("admin", () -> AccessKeys.Administrator.assemble(settings));
    return check("", this::server);
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
        .filter(key -> key.leaf().equals(setting))
        .findFirst();
  }

  private ServerConfig server() {
    ProxyConfig proxy =
        new ProxyConfig(
            access(),
            UpstreamKeys.assemble(settings),
            cache(),
            new AdaptConfig(
                settings.get(ConfigKeys.REFERRALS), settings.get(ConfigKeys.MERGE_RANGES)),
            LimitKeys.assemble(settings),
            WindowOverride.apply(
                settings.get(ConfigKeys.WINDOWS), settings.get(ConfigKeys.WINDOW_OVERRIDES)),
            settings.get(ConfigKeys.EVENT_LOOPS),
            coherence());
    return new ServerConfig(
        proxy,
        settings.get(ConfigKeys.MANAGEMENT_LISTEN),
        settings.get(ConfigKeys.IBM_TIMES),
        settings.get(ConfigKeys.DRAIN_TIMEOUT),
        AccessKeys.Administrator.assemble(settings));
  }

  private AccessConfig access() {
    return new AccessConfig(
        settings.get(ConfigKeys.LISTEN),
        tls(),
        settings.get(AccessKeys.REQUIRE_TLS),
        settings.get(AccessKeys.ALLOW_PLAIN_SASL),
        settings.get(AccessKeys.PROXY_PROTOCOL).stream().map(Network::parse).toList(),
        settings.get(AccessKeys.SOCKET_MODE));
  }

  /** Builds the TLS configuration of the listeners; null without a certificate. */
  private @Nullable TlsConfig tls() {
    TlsConfig tls =
        new TlsConfig(
            settings.get(AccessKeys.CERTIFICATE).orElse(null),
            settings.get(AccessKeys.KEY).orElse(null),
            settings.get(AccessKeys.KEY_PASSWORD_FILE).orElse(null),
            settings.get(AccessKeys.CLIENT_CA).orElse(null),
            settings.get(AccessKeys.CLIENT_AUTH),
            settings.get(AccessKeys.PROTOCOLS),
            settings.get(AccessKeys.CIPHERS),
            settings.get(AccessKeys.PROVIDER));
    return tls.certificate() == null ? null : tls;
  }

  private CoherenceConfig coherence() {
    return new CoherenceConfig(
        IdentityKeys.Feed.assemble(settings),
        settings.get(ConfigKeys.MAX_STALENESS),
        settings.get(ConfigKeys.MAX_ACL_STALENESS),
        settings.get(IdentityKeys.Feed.ASSUME_COVERAGE),
        IdentityKeys.Feed.derived(settings),
        settings.get(IdentityKeys.Feed.APPLY));
  }

  private CacheConfig cache() {
    return new CacheConfig(
        settings.get(ConfigKeys.CACHE_ENABLED),
        settings.get(ConfigKeys.FILTER_CACHE_SIZE),
        settings.get(ConfigKeys.ENTRY_CACHE_SIZE),
        settings.get(ConfigKeys.REQUEST_CACHE_SIZE),
        settings.get(ConfigKeys.MAX_BYTES),
        settings.get(ConfigKeys.BYPASS_LIMIT),
        settings.get(ConfigKeys.MAX_RESULT_BYTES),
        settings.get(ConfigKeys.PAGING),
        settings.get(ConfigKeys.MAX_AGE),
        exclusions(),
        Stream.concat(
                CacheConfig.DEFAULT_SECRETS.stream(), settings.get(ConfigKeys.SECRETS).stream())
            .distinct()
            .toList(),
        settings.get(ConfigKeys.SERVE_STALE),
        settings.get(ConfigKeys.ACL_CACHE),
        settings.get(ConfigKeys.ACL_CACHE_SIZE),
        settings.get(ConfigKeys.INVALIDATION),
        settings.get(ConfigKeys.REFRESH),
        settings.get(ConfigKeys.REFRESH_PER_SECOND),
        settings.get(ConfigKeys.AUDIT_PER_SECOND),
        settings.get(ConfigKeys.VERIFY_PER_SECOND),
        sharing());
  }

  private SharingConfig sharing() {
    List<Declaration> classes = settings.get(ConfigKeys.CLASSES);
    boolean groups = classes.stream().anyMatch(declared -> !declared.groups().isEmpty());
    refuse(
        groups && !IdentityKeys.Feed.assemble(settings).hasAccount(),
        "classes",
        " with groups require feed.bindDn");
    return new SharingConfig(classes, settings.get(ConfigKeys.CLASS_SAMPLING));
  }

  private Exclusions exclusions() {
    return new Exclusions(
        settings.get(ConfigKeys.SUBTREES),
        settings.get(ConfigKeys.IDENTITIES),
        settings.get(ConfigKeys.FILTER_ATTRIBUTES),
        settings.get(ConfigKeys.CLIENT_NETWORKS));
  }
}
