// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import static io.stoa.net.transport.InvalidConfigException.refuse;
import static io.stoa.net.transport.InvalidConfigException.requireAtLeast;
import static io.stoa.net.transport.InvalidConfigException.requireNotNegative;

import io.stoa.cache.sharing.SharingConfig;
import java.time.Duration;
import java.util.List;

/**
 * Sizes and rules of the caches.
 *
 * <p>Threading: immutable.
 *
 * @param enabled true if caching is on at start; can be switched at run time
 * @param filterCacheSize maximum number of results; 0 switches all caching off
 * @param entryCacheSize maximum number of entries of all results, each counted in every result that
 *     returns it; 0 leaves only results without entries cached
 * @param requestCacheSize maximum number of request templates; 0 decodes each request anew
 * @param maxBytes memory bound of all caches in octets; 0 means a quarter of the heap
 * @param bypassLimit maximum number of entries of a stored result; larger results are not stored
 * @param maxResultBytes maximum size of a stored result in octets; larger results are not stored
 * @param paging true if pages of cacheable results are served from memory
 * @param maxAge maximum age of a result that no feed holds
 * @param exclusions subtrees, identities, attributes and networks that bypass the caches
 * @param secrets attributes whose values are never stored
 * @param serveStale time beyond {@code maxAge} for which a result is served while no directory
 *     server is usable; 0 for none
 * @param aclCache true if results are stored for clients that have bound
 * @param aclCacheSize maximum number of identities with stored results
 * @param invalidation results that a change invalidates
 * @param refresh true if popular results are refreshed ahead
 * @param refreshPerSecond maximum number of refresh-ahead searches per second
 * @param auditPerSecond number of results held by a feed that are audited per second; 0 for none
 * @param fullAuditPerSecond maximum number of audited results per second while all are verified
 * @param sharing sharing classes and the rate of their verification
 */
public record CacheConfig(
    boolean enabled,
    int filterCacheSize,
    int entryCacheSize,
    int requestCacheSize,
    long maxBytes,
    int bypassLimit,
    int maxResultBytes,
    boolean paging,
    Duration maxAge,
    Exclusions exclusions,
    List<String> secrets,
    Duration serveStale,
    boolean aclCache,
    int aclCacheSize,
    Invalidation invalidation,
    boolean refresh,
    int refreshPerSecond,
    int auditPerSecond,
    int fullAuditPerSecond,
    SharingConfig sharing) {

  /** Attributes that hold passwords or keys in the directories that Stoa knows. */
  public static final List<String> DEFAULT_SECRETS =
      List.of(
          "userPassword",
          "authPassword",
          "unicodePwd",
          "dBCSPwd",
          "ntPwdHistory",
          "lmPwdHistory",
          "supplementalCredentials",
          "msDS-ManagedPassword",
          "ms-Mcs-AdmPwd",
          "msLAPS-Password",
          "msLAPS-EncryptedPassword",
          "krbPrincipalKey",
          "krbMKey",
          "krbPwdHistory",
          "sambaNTPassword",
          "sambaLMPassword",
          "sambaPasswordHistory",
          "pwdHistory",
          "passwordHistory",
          "ipaNTHash",
          "ipatokenOTPkey",
          "nsds5ReplicaCredentials",
          "nsmultiplexorcredentials",
          "ds-pwp-retired-password",
          "olcRootPW");

  /** The default configuration. */
  public static final CacheConfig DEFAULTS =
      new CacheConfig(
          true,
          100_000,
          100_000,
          100_000,
          0,
          100,
          1024 * 1024,
          true,
          Duration.ofSeconds(5),
          Exclusions.NONE,
          DEFAULT_SECRETS,
          Duration.ZERO,
          true,
          100_000,
          Invalidation.PRECISE,
          false,
          100,
          1,
          200,
          SharingConfig.DEFAULTS);

  /** Extent of the results that a change invalidates. */
  public enum Invalidation {
    /** A change invalidates the affected results of those that a feed holds, and all others. */
    PRECISE,
    /** Each change invalidates all results, whether a client or a feed reported it. */
    EVERYTHING
  }

  public CacheConfig {
    requireAtLeast("filterCacheSize", filterCacheSize, 0);
    requireAtLeast("entryCacheSize", entryCacheSize, 0);
    requireAtLeast("requestCacheSize", requestCacheSize, 0);
    requireAtLeast("aclCacheSize", aclCacheSize, 0);
    requireAtLeast("maxBytes", maxBytes, 0);
    requireAtLeast("bypassLimit", bypassLimit, 0);
    requireAtLeast("maxResultBytes", maxResultBytes, 0);
    requireAtLeast("refreshPerSecond", refreshPerSecond, 0);
    requireAtLeast("auditPerSecond", auditPerSecond, 0);
    requireAtLeast("fullAuditPerSecond", fullAuditPerSecond, 1);
    secrets = List.copyOf(secrets);
    requireNotNegative("maxAge", maxAge);
    requireNotNegative("serveStale", serveStale);
    long heap = Runtime.getRuntime().maxMemory();
    refuse(
        maxBytes > heap / 2,
        "maxBytes",
        " "
            + maxBytes
            + " is more than half of the heap ("
            + heap
            + " bytes); lower it or raise the heap with STOA_JAVA_OPTS=-Xmx…");
  }

  /** True if both configurations allow the same results to be stored. */
  boolean sameRules(CacheConfig other) {
    return exclusions.equals(other.exclusions)
        && secrets.equals(other.secrets)
        && bypassLimit == other.bypassLimit
        && maxResultBytes == other.maxResultBytes
        && aclCache == other.aclCache
        && invalidation == other.invalidation;
  }

  /** Returns a copy with other sharing classes. */
  CacheConfig sharing(SharingConfig other) {
    return new CacheConfig(
        enabled,
        filterCacheSize,
        entryCacheSize,
        requestCacheSize,
        maxBytes,
        bypassLimit,
        maxResultBytes,
        paging,
        maxAge,
        exclusions,
        secrets,
        serveStale,
        aclCache,
        aclCacheSize,
        invalidation,
        refresh,
        refreshPerSecond,
        auditPerSecond,
        fullAuditPerSecond,
        other);
  }

  /** Returns the memory bound in octets: a quarter of the heap unless set. */
  long effectiveMaxBytes() {
    return maxBytes == 0 ? Runtime.getRuntime().maxMemory() / 4 : maxBytes;
  }
}
