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
import io.stoa.upstream.server.ServerAddress;
import io.stoa.write.WindowConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** All keys of the configuration file, in the order of the documentation. Threading: immutable. */
final class ConfigKeys {
  private static final List<ServerAddress> EXAMPLE = List.of(new ServerAddress("127.0.0.1", 389));
  private static final AdaptConfig ADAPT = AdaptConfig.DEFAULTS;
  private static final CacheConfig CACHE = CacheConfig.DEFAULTS;

  private static final List<ConfigKey<?>> DECLARED = new ArrayList<>();

  static final ConfigKey<List<ListenerConfig>> LISTEN =
      optional(
          "listen",
          new Sequence<>(LISTENER, false),
          List.of(ServerConfig.DEFAULT_LISTENER),
          "Where clients are accepted: ADDRESS:PORT, ldaps://ADDRESS:PORT, ldapi://%2FPATH or"
              + " passthrough://ADDRESS:PORT; an empty address means all addresses of the host.");
  static final ConfigKey<List<ServerItem>> UPSTREAMS =
      required(
          "upstreams",
          ServerItem.TYPE,
          EXAMPLE.stream().map(ServerItem::of).toList(),
          "The directory servers; the first is the primary and takes all writes, unless one has role:"
              + " primary.");
  static final ConfigKey<Integer> EVENT_LOOPS =
      optional(
          "eventLoops",
          NUMBER,
          0,
          "Threads that move octets; 0 is one per processor, but at least two.");
  static final ConfigKey<Duration> DRAIN_TIMEOUT =
      optional(
          "drainTimeout",
          DURATION,
          ServerConfig.DEFAULT_DRAIN_TIMEOUT,
          "How long operations in flight may take to end after SIGTERM or SIGINT.");

  static final ConfigKey<Referrals> REFERRALS =
      optional(
          "referrals",
          ValueTypes.REFERRALS,
          ADAPT.referrals(),
          "What becomes of referrals: pass them on; follow those of writes, to servers of this file"
              + " only; or hide references in results.");
  static final ConfigKey<Boolean> MERGE_RANGES =
      optional(
          "mergeRanges",
          BOOLEAN,
          ADAPT.mergeRanges(),
          "Put together attributes that Active Directory returns in ranges.");

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
          "Writes that wait for each other: the first window that is for a write has it. None, and each"
              + " is sent at once.");
  static final ConfigKey<List<WindowOverride>> CLOSING =
      optional(
          "writes.closing",
          WindowItem.CLOSING,
          List.of(),
          "When windows close now, whatever writes.windows says: the time, and the number of writes.");

  static final ConfigKey<Boolean> CACHE_ENABLED =
      optional(
          "cache.enabled",
          BOOLEAN,
          CACHE.enabled(),
          "Whether anything is cached; can be switched at run time.");
  static final ConfigKey<Integer> FILTER_CACHE_SIZE =
      optional(
          "cache.filterCacheSize",
          NUMBER,
          CACHE.filterCacheSize(),
          "Most results kept; 0 switches all caching off.");
  static final ConfigKey<Integer> ENTRY_CACHE_SIZE =
      optional(
          "cache.entryCacheSize",
          NUMBER,
          CACHE.entryCacheSize(),
          "Most entries kept; one that searches of several forms return counts once for each. 0 keeps"
              + " only results without entries.");
  static final ConfigKey<Integer> PLAN_CACHE_SIZE =
      optional(
          "cache.planCacheSize",
          NUMBER,
          CACHE.planCacheSize(),
          "Most decoded requests kept; 0 decodes each request anew.");
  static final ConfigKey<Long> MAX_BYTES =
      optional(
          "cache.maxBytes",
          SIZE,
          CACHE.maxBytes(),
          "Most memory of all caches; 0 is a quarter of the heap, more than half is refused.");
  static final ConfigKey<Integer> BYPASS_LIMIT =
      optional(
          "cache.bypassLimit",
          NUMBER,
          CACHE.bypassLimit(),
          "A search that matches more entries is not cached.");
  static final ConfigKey<Integer> MAX_RESULT_BYTES =
      optional(
          "cache.maxResultBytes",
          INT_SIZE,
          CACHE.maxResultBytes(),
          "A larger result is not cached.");
  static final ConfigKey<Boolean> PAGING =
      optional(
          "cache.paging",
          BOOLEAN,
          CACHE.paging(),
          "Give the pages of results that may be cached from memory; if not, every paged search"
              + " takes a connection of its client's own.");
  static final ConfigKey<Duration> MAX_AGE =
      optional(
          "cache.maxAge",
          DURATION,
          CACHE.maxAge(),
          "The oldest answer that is given from memory where no feed tells of changes; 0 gives none.");
  static final ConfigKey<Duration> MAX_STALENESS =
      optional(
          "cache.maxStaleness",
          DURATION,
          CoherenceConfig.DEFAULTS.maxStaleness(),
          "How long after a change an answer from before it may still be given from memory where a"
              + " feed tells of changes: at least 500 ms, or 0 for not at all, and then each of them"
              + " takes some 20 ms, since the server is asked first.");
  static final ConfigKey<Duration> MAX_ACL_STALENESS =
      optional(
          "cache.maxAclStaleness",
          DURATION,
          CoherenceConfig.DEFAULTS.maxAclStaleness(),
          "How long after a change of access rights, which no feed tells, a client may still be given"
              + " what it was allowed before; bounds what rests on a feed where feed.bindDn may not read"
              + " cn=config, or more than that decides over rights.");
  static final ConfigKey<Invalidation> INVALIDATION =
      optional(
          "cache.invalidation",
          ValueTypes.choice(Invalidation.class),
          CACHE.invalidation(),
          "What a change makes void: what it concerns, of all that rests on a feed; or everything,"
              + " whoever made it, as other caching proxies do.");
  static final ConfigKey<Boolean> REFRESH =
      optional(
          "cache.refresh",
          BOOLEAN,
          CACHE.refresh(),
          "Whether Stoa asks the directory again for answers that are used a lot before a client"
              + " does: when a change has made them void, and a little before they are too old.");
  static final ConfigKey<Integer> REFRESH_PER_SECOND =
      optional(
          "cache.refreshPerSecond",
          NUMBER,
          CACHE.refreshPerSecond(),
          "Most searches in a second that cache.refresh adds to those of clients.");
  static final ConfigKey<Integer> AUDIT_PER_SECOND =
      optional(
          "cache.auditPerSecond",
          NUMBER,
          CACHE.auditPerSecond(),
          "How many answers that rest on a feed are compared with the directory in a second; 0"
              + " compares none.");
  static final ConfigKey<Integer> VERIFY_PER_SECOND =
      optional(
          "cache.verifyPerSecond",
          NUMBER,
          CACHE.verifyPerSecond(),
          "How many of them stoactl verify compares in a second at most; at least 1.");
  static final ConfigKey<Duration> SERVE_STALE =
      optional(
          "cache.serveStale",
          DURATION,
          CACHE.serveStale(),
          "How much older than cache.maxAge answers may be while no directory server can be used; 0"
              + " gives none.");
  static final ConfigKey<Boolean> ACL_CACHE =
      optional(
          "cache.aclCache",
          BOOLEAN,
          CACHE.aclCache(),
          "Whether anything is kept for clients that have bound; if not, only anonymous clients are"
              + " answered from memory.");
  static final ConfigKey<Integer> ACL_CACHE_SIZE =
      optional(
          "cache.aclCacheSize",
          NUMBER,
          CACHE.aclCacheSize(),
          "Most identities for which something is kept at once.");
  static final ConfigKey<List<Declaration>> CLASSES =
      optional("cache.classes", SharingClassItem.TYPE, List.of(), SharingClassItem.MEANING);
  static final ConfigKey<Integer> CLASS_SAMPLING =
      optional("cache.classSampling", NUMBER, CACHE.sharing().oneIn(), SharingClassItem.SAMPLING);
  static final ConfigKey<List<String>> SECRETS =
      optional(
          "cache.secrets",
          new Sequence<>(ATTRIBUTE, true, "employeeNumber"),
          List.of(),
          "Attributes whose values are never stored, besides those that Stoa knows.");
  static final ConfigKey<List<String>> SUBTREES =
      optional(
          "cache.exclusions.subtrees",
          new Sequence<>(DN, true, "'ou=private,dc=example,dc=com'"),
          List.of(),
          "DNs: searches that can reach one of these subtrees are not cached.");
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
          "Attributes: searches whose filter names one of them are not cached.");
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
          "Where /metrics, /livez and /readyz are served; not given, a taken port is replaced by"
              + " a free one.");
  static final ConfigKey<Boolean> MONITOR_TREE =
      optional(
          "monitor.tree",
          BOOLEAN,
          true,
          "Have cn=monitor; if not, whatever is asked there goes to the directory.");
  static final ConfigKey<Boolean> IBM_TIMES =
      optional(
          "monitor.ibmTimes",
          BOOLEAN,
          false,
          "Print times in cn=monitor as IBM Directory does instead of as GeneralizedTime.");

  static {
    DECLARED.addAll(AccessKeys.Administrator.ALL);
  }

  /** All keys. */
  static final List<ConfigKey<?>> ALL = List.copyOf(DECLARED);

  private static final Set<ConfigKey<?>> OWN_LIVE =
      Set.of(
          DRAIN_TIMEOUT,
          CLOSING,
          CACHE_ENABLED,
          FILTER_CACHE_SIZE,
          ENTRY_CACHE_SIZE,
          PLAN_CACHE_SIZE,
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
    return declare(new ConfigKey<>(name, type, value, false, meaning));
  }

  private static <T> ConfigKey<T> required(
      String name, ValueType<T> type, T example, String meaning) {
    return declare(new ConfigKey<>(name, type, example, true, meaning));
  }

  private static <T> ConfigKey<T> declare(ConfigKey<T> key) {
    DECLARED.add(key);
    return key;
  }
}
