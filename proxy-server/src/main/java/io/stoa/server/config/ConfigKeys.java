// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import static io.stoa.server.config.value.ValueTypes.ATTRIBUTE;
import static io.stoa.server.config.value.ValueTypes.BOOLEAN;
import static io.stoa.server.config.value.ValueTypes.DN;
import static io.stoa.server.config.value.ValueTypes.DURATION;
import static io.stoa.server.config.value.ValueTypes.INT_SIZE;
import static io.stoa.server.config.value.ValueTypes.LISTENER;
import static io.stoa.server.config.value.ValueTypes.NETWORK;
import static io.stoa.server.config.value.ValueTypes.NUMBER;
import static io.stoa.server.config.value.ValueTypes.SIZE;
import static io.stoa.server.config.value.ValueTypes.TEXT;

import io.stoa.cache.result.CacheConfig;
import io.stoa.cache.result.CacheConfig.Invalidation;
import io.stoa.cache.sharing.Declaration;
import io.stoa.client.listener.ListenerConfig;
import io.stoa.client.rootdse.AdaptConfig;
import io.stoa.client.rootdse.AdaptConfig.Referrals;
import io.stoa.proxy.feeds.CoherenceConfig;
import io.stoa.server.config.value.ValueType;
import io.stoa.server.config.value.ValueType.Scalar;
import io.stoa.server.config.value.ValueType.Sequence;
import io.stoa.server.config.value.ValueTypes;
import io.stoa.server.config.value.WindowOverride;
import io.stoa.write.WindowConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** All keys of the configuration file, in the order of the documentation. Threading: immutable. */
final class ConfigKeys {
  private static final AdaptConfig ADAPT = AdaptConfig.DEFAULTS;
  private static final CacheConfig CACHE = CacheConfig.DEFAULTS;

  private static final List<ConfigKey<?>> DECLARED = new ArrayList<>();

  static final ConfigKey<List<ListenerConfig>> LISTEN =
      optional(
          "listen",
          new Sequence<>(LISTENER, false),
          List.of(ServerConfig.DEFAULT_LISTENER),
          "Listeners for clients: ADDRESS:PORT, ldaps://ADDRESS:PORT, ldapi://%2FPATH or"
              + " passthrough://ADDRESS:PORT. An empty address means all IPv4 addresses, [::] means"
              + " IPv4 and IPv6.");
  static final ConfigKey<Integer> EVENT_LOOPS =
      optional(
          "eventLoops",
          NUMBER,
          0,
          "Number of event loops (I/O threads). 0: one for each processor, at least two.");
  static final ConfigKey<Duration> DRAIN_TIMEOUT =
      optional(
          "drainTimeout",
          DURATION,
          ServerConfig.DEFAULT_DRAIN_TIMEOUT,
          "Maximum time for operations in flight to end after SIGTERM or SIGINT. 0: Stoa ends at"
              + " once.");

  static final ConfigKey<Referrals> REFERRALS =
      optional(
          "referrals",
          ValueTypes.REFERRALS,
          ADAPT.referrals(),
          "Handling of referrals. pass: clients get them. follow: Stoa follows those of writes, to"
              + " servers of this file only. hide: references are removed from search results.");
  static final ConfigKey<Boolean> MERGE_RANGES =
      optional(
          "mergeRanges",
          BOOLEAN,
          ADAPT.mergeRanges(),
          "Merging of attributes that Active Directory returns in ranges. False: they pass"
              + " unchanged.");

  static {
    DECLARED.addAll(AccessKeys.TOP);
    DECLARED.addAll(AccessKeys.TLS);
    DECLARED.addAll(UpstreamKeys.ALL);
    DECLARED.addAll(TransportKeys.ALL);
    DECLARED.addAll(UpstreamKeys.Probe.ALL);
    DECLARED.addAll(UpstreamKeys.Replication.ALL);
    DECLARED.addAll(IdentityKeys.ALL);
    DECLARED.addAll(IdentityKeys.Feed.ALL);
  }

  static final ConfigKey<List<WindowConfig>> WINDOWS =
      optional(
          "writes.windows",
          WindowItem.TYPE,
          List.of(),
          "Write windows, in which writes are gathered. A write waits in the first window that"
              + " matches it; without a match it is sent at once.");
  static final ConfigKey<List<WindowOverride>> WINDOW_OVERRIDES =
      optional(
          "writes.windowOverrides",
          WindowItem.CLOSING,
          List.of(),
          "Overrides of single windows of writes.windows: the time and the number of writes at"
              + " which they close.");

  static final ConfigKey<Boolean> CACHE_ENABLED =
      optional(
          "cache.enabled",
          BOOLEAN,
          CACHE.enabled(),
          "Answers from memory. False: every operation goes to a directory server.");
  static final ConfigKey<Integer> FILTER_CACHE_SIZE =
      optional(
          "cache.filterCacheSize",
          NUMBER,
          CACHE.filterCacheSize(),
          "Maximum number of results in the filter cache. 0 disables all caching.");
  static final ConfigKey<Integer> ENTRY_CACHE_SIZE =
      optional(
          "cache.entryCacheSize",
          NUMBER,
          CACHE.entryCacheSize(),
          "Maximum number of entries in the entry cache. An entry returned by several forms of"
              + " search counts once for each. 0: only results without entries are cached.");
  static final ConfigKey<Integer> REQUEST_CACHE_SIZE =
      optional(
          "cache.requestCacheSize",
          NUMBER,
          CACHE.requestCacheSize(),
          "Maximum number of decoded requests kept. 0: each request is decoded anew.");
  static final ConfigKey<Long> MAX_BYTES =
      optional(
          "cache.maxBytes",
          SIZE,
          CACHE.maxBytes(),
          "Maximum memory of all caches. 0: a quarter of the heap. More than half of the heap is"
              + " refused.");
  static final ConfigKey<Integer> BYPASS_LIMIT =
      optional(
          "cache.bypassLimit",
          NUMBER,
          CACHE.bypassLimit(),
          "Maximum number of entries of a cached result.");
  static final ConfigKey<Integer> MAX_RESULT_BYTES =
      optional(
          "cache.maxResultBytes",
          INT_SIZE,
          CACHE.maxResultBytes(),
          "Maximum size of a cached result.");
  static final ConfigKey<Boolean> PAGING =
      optional(
          "cache.paging",
          BOOLEAN,
          CACHE.paging(),
          "Answers to paged searches from cached results. False: every paged search uses a"
              + " dedicated connection.");
  static final ConfigKey<Duration> MAX_AGE =
      optional(
          "cache.maxAge",
          DURATION,
          CACHE.maxAge(),
          "Maximum age of an answer from memory without a change feed. 0 disables such answers.");
  static final ConfigKey<Duration> MAX_STALENESS =
      optional(
          "cache.maxStaleness",
          DURATION,
          CoherenceConfig.DEFAULTS.maxStaleness(),
          "Staleness bound with a change feed: maximum time after a change in which an older answer"
              + " may be served from memory. At least 500 ms. 0: each answer from memory is first"
              + " confirmed by the server, which takes about 20 ms.");
  static final ConfigKey<Duration> MAX_ACL_STALENESS =
      optional(
          "cache.maxAclStaleness",
          DURATION,
          CoherenceConfig.DEFAULTS.maxAclStaleness(),
          "Maximum time after a change of access rights in which a client may still get answers of"
              + " the old rights. Applies to results held by a feed if feed.bindDn may not read"
              + " cn=config, or if rights depend on more than cn=config.");
  static final ConfigKey<Invalidation> INVALIDATION =
      optional(
          "cache.invalidation",
          ValueTypes.choice(Invalidation.class),
          CACHE.invalidation(),
          "Results that a change invalidates: precise (those it affects, of the results held by a"
              + " feed), or everything, as in other caching proxies.");
  static final ConfigKey<Boolean> REFRESH =
      optional(
          "cache.refresh",
          BOOLEAN,
          CACHE.refresh(),
          "Refresh-ahead: popular results are read again before a client requests them, after an"
              + " invalidation or shortly before they expire.");
  static final ConfigKey<Integer> REFRESH_PER_SECOND =
      optional(
          "cache.refreshPerSecond",
          NUMBER,
          CACHE.refreshPerSecond(),
          "Maximum number of searches per second by cache.refresh.");
  static final ConfigKey<Integer> AUDIT_PER_SECOND =
      optional(
          "cache.auditPerSecond",
          NUMBER,
          CACHE.auditPerSecond(),
          "Number of results held by a feed that are audited (compared with the directory) per"
              + " second. 0 disables the audit.");
  static final ConfigKey<Integer> VERIFY_PER_SECOND =
      optional(
          "cache.verifyPerSecond",
          NUMBER,
          CACHE.verifyPerSecond(),
          "Maximum number of results that 'stoactl verify' compares per second; at least 1.");
  static final ConfigKey<Duration> SERVE_STALE =
      optional(
          "cache.serveStale",
          DURATION,
          CACHE.serveStale(),
          "Additional age beyond cache.maxAge of stale answers that are served while no directory"
              + " server is available. 0: none.");
  static final ConfigKey<Boolean> ACL_CACHE =
      optional(
          "cache.aclCache",
          BOOLEAN,
          CACHE.aclCache(),
          "Cache for bound clients. If false, only anonymous clients are answered from memory.");
  static final ConfigKey<Integer> ACL_CACHE_SIZE =
      optional(
          "cache.aclCacheSize",
          NUMBER,
          CACHE.aclCacheSize(),
          "Maximum number of identities with cached results.");
  static final ConfigKey<List<Declaration>> CLASSES =
      optional("cache.classes", SharingClassItem.TYPE, List.of(), SharingClassItem.MEANING);
  static final ConfigKey<Integer> CLASS_SAMPLING =
      optional("cache.classSampling", NUMBER, CACHE.sharing().oneIn(), SharingClassItem.SAMPLING);
  static final ConfigKey<List<String>> SECRETS =
      optional(
          "cache.secrets",
          new Sequence<>(ATTRIBUTE, true, "employeeNumber"),
          List.of(),
          "Attributes whose values are never stored, in addition to the built-in list.");
  static final ConfigKey<List<String>> SUBTREES =
      optional(
          "cache.exclusions.subtrees",
          new Sequence<>(DN, true, "'ou=private,dc=example,dc=com'"),
          List.of(),
          "DNs of subtrees. Searches that can reach one of them are not cached.");
  static final ConfigKey<List<String>> IDENTITIES =
      optional(
          "cache.exclusions.identities",
          new Sequence<>(TEXT, true, "'cn=backup,dc=example,dc=com'"),
          List.of(),
          "Bind DNs of clients for which nothing is cached; '' means anonymous clients.");
  static final ConfigKey<List<String>> FILTER_ATTRIBUTES =
      optional(
          "cache.exclusions.filterAttributes",
          new Sequence<>(ATTRIBUTE, true, "employeeNumber"),
          List.of(),
          "Attributes. Searches whose filter names one of them are not cached.");
  static final ConfigKey<List<String>> CLIENT_NETWORKS =
      optional(
          "cache.exclusions.clientNetworks",
          new Sequence<>(NETWORK, true, "10.0.0.0/8"),
          List.of(),
          "Networks of clients for which nothing is cached, such as 10.0.0.0/8 or fd00::/8.");

  static {
    DECLARED.addAll(LimitKeys.ALL);
  }

  static final ConfigKey<ManagementConfig> MANAGEMENT_LISTEN =
      optional(
          "management.listen",
          new Scalar<>("ADDRESS:PORT or none", ManagementConfig::parse, ManagementConfig::toString),
          ManagementConfig.DEFAULT,
          "Address of the management listener (/metrics, /livez, /readyz), or none. If the key is"
              + " not set and the port is in use, a free port is used.");
  static final ConfigKey<Boolean> MONITOR_TREE =
      optional(
          "monitor.tree",
          BOOLEAN,
          true,
          "Entries of cn=monitor. False: operations below it go to the directory.");
  static final ConfigKey<Boolean> IBM_TIMES =
      optional(
          "monitor.ibmTimes",
          BOOLEAN,
          false,
          "Times in cn=monitor in the format of IBM Directory Server, instead of GeneralizedTime.");

  static {
    DECLARED.addAll(AccessKeys.Administrator.ALL);
  }

  /** All keys. */
  static final List<ConfigKey<?>> ALL = List.copyOf(DECLARED);

  private static final Set<ConfigKey<?>> OWN_LIVE =
      Set.of(
          DRAIN_TIMEOUT,
          WINDOW_OVERRIDES,
          CACHE_ENABLED,
          FILTER_CACHE_SIZE,
          ENTRY_CACHE_SIZE,
          REQUEST_CACHE_SIZE,
          MAX_BYTES,
          BYPASS_LIMIT,
          MAX_RESULT_BYTES,
          PAGING,
          MAX_AGE,
          INVALIDATION,
          REFRESH,
          REFRESH_PER_SECOND,
          AUDIT_PER_SECOND,
          VERIFY_PER_SECOND,
          SERVE_STALE,
          ACL_CACHE,
          ACL_CACHE_SIZE,
          SECRETS,
          SUBTREES,
          IDENTITIES,
          FILTER_ATTRIBUTES,
          CLIENT_NETWORKS);

  /** The keys that can change while Stoa runs. */
  static final Set<ConfigKey<?>> LIVE =
      Stream.of(
              OWN_LIVE,
              LimitKeys.LIVE,
              UpstreamKeys.LIVE,
              TransportKeys.LIVE,
              AccessKeys.Administrator.LIVE)
          .flatMap(Set::stream)
          .collect(Collectors.toUnmodifiableSet());

  private ConfigKeys() {}

  private static <T> ConfigKey<T> optional(
      String name, ValueType<T> type, T value, String meaning) {
    ConfigKey<T> key = new ConfigKey<>(name, type, value, false, meaning);
    DECLARED.add(key);
    return key;
  }
}
