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
import io.stoa.server.config.value.ValueType.Scalar;
import io.stoa.server.config.value.ValueType.Sequence;
import io.stoa.server.config.value.ValueTypes;
import io.stoa.server.config.value.WindowOverride;
import io.stoa.write.WindowConfig;
import java.time.Duration;
import java.util.List;

/** All keys of the configuration file, in the order of the documentation. Threading: immutable. */
final class ConfigKeys {
  private static final AdaptConfig ADAPT = AdaptConfig.DEFAULTS;
  private static final CacheConfig CACHE = CacheConfig.DEFAULTS;

  private static final KeySection KEYS = new KeySection("");

  static final ConfigKey<List<ListenerConfig>> LISTEN =
      KEYS.key(
          "listen",
          new Sequence<>(LISTENER, false),
          List.of(ServerConfig.DEFAULT_LISTENER),
          "Listeners for clients: ADDRESS:PORT, ldaps://ADDRESS:PORT, ldapi://%2FPATH or"
              + " passthrough://ADDRESS:PORT. An empty address means all IPv4 addresses, [::] means"
              + " IPv4 and IPv6.");
  static final ConfigKey<Integer> EVENT_LOOPS =
      KEYS.key(
          "eventLoops",
          NUMBER,
          0,
          "Number of event loops (I/O threads). 0: one for each processor, at least two.");
  static final ConfigKey<Duration> DRAIN_TIMEOUT =
      KEYS.live(
          "drainTimeout",
          DURATION,
          ServerConfig.DEFAULT_DRAIN_TIMEOUT,
          "Maximum time for operations in flight to end after SIGTERM or SIGINT. 0: Stoa ends at"
              + " once.");

  static final ConfigKey<Referrals> REFERRALS =
      KEYS.key(
          "referrals",
          ValueTypes.choice(Referrals.class),
          ADAPT.referrals(),
          "Handling of referrals. pass: clients get them. follow: Stoa follows those of writes, to"
              + " servers of this file only. hide: references are removed from search results.");
  static final ConfigKey<Boolean> MERGE_RANGES =
      KEYS.key(
          "mergeRanges",
          BOOLEAN,
          ADAPT.mergeRanges(),
          "Merging of attributes that Active Directory returns in ranges. False: they pass"
              + " unchanged.");

  static {
    KEYS.addAll(AccessKeys.TOP);
    KEYS.addAll(AccessKeys.TLS);
    KEYS.addAll(UpstreamKeys.KEYS);
    KEYS.addAll(TransportKeys.KEYS);
    KEYS.addAll(UpstreamKeys.Probe.KEYS);
    KEYS.addAll(UpstreamKeys.ReplicationKeys.KEYS);
    KEYS.addAll(IdentityKeys.KEYS);
    KEYS.addAll(IdentityKeys.Feed.KEYS);
  }

  static final ConfigKey<List<WindowConfig>> WINDOWS =
      KEYS.key(
          "writes.windows",
          WindowItem.TYPE,
          List.of(),
          "Write windows, in which writes are gathered. A write waits in the first window that"
              + " matches it; without a match it is sent at once.");
  static final ConfigKey<List<WindowOverride>> WINDOW_OVERRIDES =
      KEYS.live(
          "writes.windowOverrides",
          WindowItem.CLOSING,
          List.of(),
          "Overrides of single windows of writes.windows: the time and the number of writes at"
              + " which they close.");

  static final ConfigKey<Boolean> CACHE_ENABLED =
      KEYS.live(
          "cache.enabled",
          BOOLEAN,
          CACHE.enabled(),
          "Answers from memory. False: every operation goes to a directory server.");
  static final ConfigKey<Integer> FILTER_CACHE_SIZE =
      KEYS.live(
          "cache.filterCacheSize",
          NUMBER,
          CACHE.filterCacheSize(),
          "Maximum number of results in the filter cache. 0 disables all caching.");
  static final ConfigKey<Integer> ENTRY_CACHE_SIZE =
      KEYS.live(
          "cache.entryCacheSize",
          NUMBER,
          CACHE.entryCacheSize(),
          "Maximum number of entries in the entry cache. An entry returned by several forms of"
              + " search counts once for each. 0: only results without entries are cached.");
  static final ConfigKey<Integer> REQUEST_CACHE_SIZE =
      KEYS.live(
          "cache.requestCacheSize",
          NUMBER,
          CACHE.requestCacheSize(),
          "Maximum number of decoded requests kept. 0: each request is decoded anew.");
  static final ConfigKey<Long> MAX_BYTES =
      KEYS.live(
          "cache.maxBytes",
          SIZE,
          CACHE.maxBytes(),
          "Maximum memory of all caches. 0: a quarter of the heap. More than half of the heap is"
              + " refused.");
  static final ConfigKey<Integer> BYPASS_LIMIT =
      KEYS.live(
          "cache.bypassLimit",
          NUMBER,
          CACHE.bypassLimit(),
          "Maximum number of entries of a cached result.");
  static final ConfigKey<Integer> MAX_RESULT_BYTES =
      KEYS.live(
          "cache.maxResultBytes",
          INT_SIZE,
          CACHE.maxResultBytes(),
          "Maximum size of a cached result.");
  static final ConfigKey<Boolean> PAGING =
      KEYS.live(
          "cache.paging",
          BOOLEAN,
          CACHE.paging(),
          "Answers to paged searches from cached results. False: every paged search uses a"
              + " dedicated connection.");
  static final ConfigKey<Duration> MAX_AGE =
      KEYS.live(
          "cache.maxAge",
          DURATION,
          CACHE.maxAge(),
          "Maximum age of an answer from memory without a change feed. 0 disables such answers.");
  static final ConfigKey<Duration> MAX_STALENESS =
      KEYS.key(
          "cache.maxStaleness",
          DURATION,
          CoherenceConfig.DEFAULTS.maxStaleness(),
          "Staleness bound with a change feed: maximum time after a change in which an older answer"
              + " may be served from memory. At least 500 ms. 0: each answer from memory is first"
              + " confirmed by the server, which takes about 20 ms.");
  static final ConfigKey<Duration> MAX_ACL_STALENESS =
      KEYS.key(
          "cache.maxAclStaleness",
          DURATION,
          CoherenceConfig.DEFAULTS.maxAclStaleness(),
          "Maximum time after a change of access rights in which a client may still get answers of"
              + " the old rights. Applies to results held by a feed if feed.bindDn may not read"
              + " cn=config, or if rights depend on more than cn=config.");
  static final ConfigKey<Invalidation> INVALIDATION =
      KEYS.live(
          "cache.invalidation",
          ValueTypes.choice(Invalidation.class),
          CACHE.invalidation(),
          "Results that a change invalidates: precise (those it affects, of the results held by a"
              + " feed), or everything, as in other caching proxies.");
  static final ConfigKey<Boolean> REFRESH =
      KEYS.live(
          "cache.refresh",
          BOOLEAN,
          CACHE.refresh(),
          "Refresh-ahead: popular results are read again before a client requests them, after an"
              + " invalidation or shortly before they expire.");
  static final ConfigKey<Integer> REFRESH_PER_SECOND =
      KEYS.live(
          "cache.refreshPerSecond",
          NUMBER,
          CACHE.refreshPerSecond(),
          "Maximum number of searches per second by cache.refresh.");
  static final ConfigKey<Integer> AUDIT_PER_SECOND =
      KEYS.live(
          "cache.auditPerSecond",
          NUMBER,
          CACHE.auditPerSecond(),
          "Number of results held by a feed that are audited (compared with the directory) per"
              + " second. 0 disables the audit.");
  static final ConfigKey<Integer> VERIFY_PER_SECOND =
      KEYS.live(
          "cache.verifyPerSecond",
          NUMBER,
          CACHE.verifyPerSecond(),
          "Maximum number of results that 'stoactl verify' compares per second; at least 1.");
  static final ConfigKey<Duration> SERVE_STALE =
      KEYS.live(
          "cache.serveStale",
          DURATION,
          CACHE.serveStale(),
          "Additional age beyond cache.maxAge of stale answers that are served while no directory"
              + " server is available. 0: none.");
  static final ConfigKey<Boolean> ACL_CACHE =
      KEYS.live(
          "cache.aclCache",
          BOOLEAN,
          CACHE.aclCache(),
          "Cache for bound clients. If false, only anonymous clients are answered from memory.");
  static final ConfigKey<Integer> ACL_CACHE_SIZE =
      KEYS.live(
          "cache.aclCacheSize",
          NUMBER,
          CACHE.aclCacheSize(),
          "Maximum number of identities with cached results.");
  static final ConfigKey<List<Declaration>> CLASSES =
      KEYS.key("cache.classes", SharingClassItem.TYPE, List.of(), SharingClassItem.MEANING);
  static final ConfigKey<Integer> CLASS_SAMPLING =
      KEYS.key("cache.classSampling", NUMBER, CACHE.sharing().oneIn(), SharingClassItem.SAMPLING);
  static final ConfigKey<List<String>> SECRETS =
      KEYS.live(
          "cache.secrets",
          new Sequence<>(ATTRIBUTE, true, "employeeNumber"),
          List.of(),
          "Attributes whose values are never stored, in addition to the built-in list.");
  static final ConfigKey<List<String>> SUBTREES =
      KEYS.live(
          "cache.exclusions.subtrees",
          new Sequence<>(DN, true, "'ou=private,dc=example,dc=com'"),
          List.of(),
          "DNs of subtrees. Searches that can reach one of them are not cached.");
  static final ConfigKey<List<String>> IDENTITIES =
      KEYS.live(
          "cache.exclusions.identities",
          new Sequence<>(TEXT, true, "'cn=backup,dc=example,dc=com'"),
          List.of(),
          "Bind DNs of clients for which nothing is cached; '' means anonymous clients.");
  static final ConfigKey<List<String>> FILTER_ATTRIBUTES =
      KEYS.live(
          "cache.exclusions.filterAttributes",
          new Sequence<>(ATTRIBUTE, true, "employeeNumber"),
          List.of(),
          "Attributes. Searches whose filter names one of them are not cached.");
  static final ConfigKey<List<String>> CLIENT_NETWORKS =
      KEYS.live(
          "cache.exclusions.clientNetworks",
          new Sequence<>(NETWORK, true, "10.0.0.0/8"),
          List.of(),
          "Networks of clients for which nothing is cached, such as 10.0.0.0/8 or fd00::/8.");

  static {
    KEYS.addAll(LimitKeys.KEYS);
  }

  static final ConfigKey<ManagementConfig> MANAGEMENT_LISTEN =
      KEYS.key(
          "management.listen",
          new Scalar<>("ADDRESS:PORT or none", ManagementConfig::parse, ManagementConfig::toString),
          ManagementConfig.DEFAULT,
          "Address of the management listener (/metrics, /livez, /readyz), or none. If the key is"
              + " not set and the port is in use, a free port is used.");
  static final ConfigKey<Boolean> MONITOR_TREE =
      KEYS.key(
          "monitor.tree",
          BOOLEAN,
          true,
          "Entries of cn=monitor. False: operations below it go to the directory.");
  static final ConfigKey<Boolean> IBM_TIMES =
      KEYS.key(
          "monitor.ibmTimes",
          BOOLEAN,
          false,
          "Times in cn=monitor in the format of IBM Directory Server, instead of GeneralizedTime.");

  static {
    KEYS.addAll(AccessKeys.Administrator.KEYS);
  }

  /** All keys. */
  static final List<ConfigKey<?>> ALL = KEYS.all();

  private ConfigKeys() {}
}
