// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import static io.stoa.net.transport.InvalidConfigException.refuse;
import static io.stoa.server.config.value.ValueTypes.ATTRIBUTE;
import static io.stoa.server.config.value.ValueTypes.BOOLEAN;
import static io.stoa.server.config.value.ValueTypes.DN;
import static io.stoa.server.config.value.ValueTypes.DURATION;
import static io.stoa.server.config.value.ValueTypes.INT_SIZE;
import static io.stoa.server.config.value.ValueTypes.NETWORK;
import static io.stoa.server.config.value.ValueTypes.NUMBER;
import static io.stoa.server.config.value.ValueTypes.SIZE;
import static io.stoa.server.config.value.ValueTypes.TEXT;

import io.stoa.cache.result.CacheConfig;
import io.stoa.cache.result.CacheConfig.Invalidation;
import io.stoa.cache.result.Exclusions;
import io.stoa.cache.sharing.Declaration;
import io.stoa.cache.sharing.SharingConfig;
import io.stoa.proxy.feeds.CoherenceConfig;
import io.stoa.server.config.value.ValueType.Sequence;
import io.stoa.server.config.value.ValueTypes;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** The keys of the section {@code cache}. Threading: immutable. */
final class CacheKeys {
  static final KeySection KEYS = new KeySection("cache.");

  private static final CacheConfig DEFAULTS = CacheConfig.DEFAULTS;

  static final ConfigKey<Boolean> ENABLED =
      KEYS.live(
          "enabled",
          BOOLEAN,
          DEFAULTS.enabled(),
          "Answers from memory. False: every operation goes to a directory server.");

  static final ConfigKey<Integer> FILTER_CACHE_SIZE =
      KEYS.live(
          "filterCacheSize",
          NUMBER,
          DEFAULTS.filterCacheSize(),
          "Maximum number of results in the filter cache. 0 disables all caching.");

  static final ConfigKey<Integer> ENTRY_CACHE_SIZE =
      KEYS.live(
          "entryCacheSize",
          NUMBER,
          DEFAULTS.entryCacheSize(),
          "Maximum number of entries of all stored results. An entry counts in each result that"
              + " returns it. 0: only results without entries are cached.");

  static final ConfigKey<Integer> REQUEST_CACHE_SIZE =
      KEYS.live(
          "requestCacheSize",
          NUMBER,
          DEFAULTS.requestCacheSize(),
          "Maximum number of request templates. Requests that differ in values only share one."
              + " 0: each request is decoded anew.");

  static final ConfigKey<Long> MAX_BYTES =
      KEYS.live(
          "maxBytes",
          SIZE,
          DEFAULTS.maxBytes(),
          "Maximum memory of all caches. 0: a quarter of the heap. More than half of the heap is"
              + " refused.");

  static final ConfigKey<Integer> BYPASS_LIMIT =
      KEYS.live(
          "bypassLimit",
          NUMBER,
          DEFAULTS.bypassLimit(),
          "Maximum number of entries of a cached result.");

  static final ConfigKey<Integer> MAX_RESULT_BYTES =
      KEYS.live(
          "maxResultBytes",
          INT_SIZE,
          DEFAULTS.maxResultBytes(),
          "Maximum size of a cached result.");

  static final ConfigKey<Boolean> PAGING =
      KEYS.live(
          "paging",
          BOOLEAN,
          DEFAULTS.paging(),
          "Answers to paged searches from cached results. False: every paged search uses a"
              + " dedicated connection.");

  static final ConfigKey<Duration> MAX_AGE =
      KEYS.live(
          "maxAge",
          DURATION,
          DEFAULTS.maxAge(),
          "Maximum age of an answer from memory without a change feed. 0 disables such answers.");

  static final ConfigKey<Duration> MAX_STALENESS =
      KEYS.key(
          "maxStaleness",
          DURATION,
          CoherenceConfig.DEFAULTS.maxStaleness(),
          "Staleness bound with a change feed: maximum time after a change in which an older answer"
              + " may be served from memory. At least 500 ms. 0: each answer from memory is first"
              + " confirmed by the server, which takes about 20 ms.");

  static final ConfigKey<Duration> MAX_ACL_STALENESS =
      KEYS.key(
          "maxAclStaleness",
          DURATION,
          CoherenceConfig.DEFAULTS.maxAclStaleness(),
          "Maximum time after a change of access rights in which a client may still get answers of"
              + " the old rights. Applies to results held by a feed if feed.bindDn may not read"
              + " cn=config, or if rights depend on more than cn=config.");

  static final ConfigKey<Invalidation> INVALIDATION =
      KEYS.live(
          "invalidation",
          ValueTypes.choice(Invalidation.class),
          DEFAULTS.invalidation(),
          "Results that a change invalidates: precise (those it affects, of the results held by a"
              + " feed), or everything, as in other caching proxies.");

  static final ConfigKey<Boolean> REFRESH =
      KEYS.live(
          "refresh",
          BOOLEAN,
          DEFAULTS.refresh(),
          "Refresh-ahead: popular results are read again before a client requests them, after an"
              + " invalidation or shortly before they expire.");

  static final ConfigKey<Integer> REFRESH_PER_SECOND =
      KEYS.live(
          "refreshPerSecond",
          NUMBER,
          DEFAULTS.refreshPerSecond(),
          "Maximum number of searches per second by cache.refresh.");

  static final ConfigKey<Integer> AUDIT_PER_SECOND =
      KEYS.live(
          "auditPerSecond",
          NUMBER,
          DEFAULTS.auditPerSecond(),
          "Number of results held by a feed that are audited (compared with the directory) per"
              + " second. 0 disables the audit.");

  static final ConfigKey<Integer> FULL_AUDIT_PER_SECOND =
      KEYS.live(
          "fullAuditPerSecond",
          NUMBER,
          DEFAULTS.fullAuditPerSecond(),
          "Maximum number of results that 'stoactl audit' compares per second; at least 1.");

  static final ConfigKey<Duration> SERVE_STALE =
      KEYS.live(
          "serveStale",
          DURATION,
          DEFAULTS.serveStale(),
          "Additional age beyond cache.maxAge of stale answers that are served while no directory"
              + " server is available. 0: none.");

  static final ConfigKey<Boolean> ACL_CACHE =
      KEYS.live(
          "aclCache",
          BOOLEAN,
          DEFAULTS.aclCache(),
          "Cache for bound clients. If false, only anonymous clients are answered from memory.");

  static final ConfigKey<Integer> ACL_CACHE_SIZE =
      KEYS.live(
          "aclCacheSize",
          NUMBER,
          DEFAULTS.aclCacheSize(),
          "Maximum number of identities with cached results.");

  static final ConfigKey<List<Declaration>> CLASSES =
      KEYS.key("classes", SharingClassItem.TYPE, List.of(), SharingClassItem.MEANING);

  static final ConfigKey<Integer> CLASS_SAMPLING =
      KEYS.key("classSampling", NUMBER, DEFAULTS.sharing().oneIn(), SharingClassItem.SAMPLING);

  static final ConfigKey<List<String>> SECRETS =
      KEYS.live(
          "secrets",
          new Sequence<>(ATTRIBUTE, true, "employeeNumber"),
          List.of(),
          "Attributes whose values are never stored, in addition to the built-in list.");

  static final ConfigKey<List<String>> SUBTREES =
      KEYS.live(
          "exclusions.subtrees",
          new Sequence<>(DN, true, "'ou=private,dc=example,dc=com'"),
          List.of(),
          "DNs of subtrees. Searches that can reach one of them are not cached.");

  static final ConfigKey<List<String>> IDENTITIES =
      KEYS.live(
          "exclusions.identities",
          new Sequence<>(TEXT, true, "'cn=backup,dc=example,dc=com'"),
          List.of(),
          "Bind DNs of clients for which nothing is cached; '' means anonymous clients.");

  static final ConfigKey<List<String>> FILTER_ATTRIBUTES =
      KEYS.live(
          "exclusions.filterAttributes",
          new Sequence<>(ATTRIBUTE, true, "employeeNumber"),
          List.of(),
          "Attributes. Searches whose filter names one of them are not cached.");

  static final ConfigKey<List<String>> CLIENT_NETWORKS =
      KEYS.live(
          "exclusions.clientNetworks",
          new Sequence<>(NETWORK, true, "10.0.0.0/8"),
          List.of(),
          "Networks of clients for which nothing is cached, such as 10.0.0.0/8 or fd00::/8.");

  private CacheKeys() {}

  /** Builds the configuration of the cache. */
  static CacheConfig assemble(Settings settings) {
    return new CacheConfig(
        settings.get(ENABLED),
        settings.get(FILTER_CACHE_SIZE),
        settings.get(ENTRY_CACHE_SIZE),
        settings.get(REQUEST_CACHE_SIZE),
        settings.get(MAX_BYTES),
        settings.get(BYPASS_LIMIT),
        settings.get(MAX_RESULT_BYTES),
        settings.get(PAGING),
        settings.get(MAX_AGE),
        exclusions(settings),
        Stream.concat(CacheConfig.DEFAULT_SECRETS.stream(), settings.get(SECRETS).stream())
            .distinct()
            .toList(),
        settings.get(SERVE_STALE),
        settings.get(ACL_CACHE),
        settings.get(ACL_CACHE_SIZE),
        settings.get(INVALIDATION),
        settings.get(REFRESH),
        settings.get(REFRESH_PER_SECOND),
        settings.get(AUDIT_PER_SECOND),
        settings.get(FULL_AUDIT_PER_SECOND),
        sharing(settings));
  }

  private static SharingConfig sharing(Settings settings) {
    List<Declaration> classes = settings.get(CLASSES);
    boolean groups = classes.stream().anyMatch(declared -> !declared.groups().isEmpty());
    refuse(
        groups && !FeedKeys.assemble(settings).hasAccount(),
        "classes",
        " with groups require feed.bindDn");
    return new SharingConfig(classes, settings.get(CLASS_SAMPLING));
  }

  private static Exclusions exclusions(Settings settings) {
    return new Exclusions(
        settings.get(SUBTREES),
        settings.get(IDENTITIES),
        settings.get(FILTER_ATTRIBUTES),
        settings.get(CLIENT_NETWORKS));
  }
}
