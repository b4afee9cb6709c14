// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.cache.sharing.SharingConfig;
import java.time.Duration;
import java.util.List;

/**
 * Sizes and rules of the caches. Immutable.
 *
 * @param enabled whether anything is cached at start; can be switched at run time
 * @param filterCacheSize results kept; 0 switches the filter cache off, and with it all caching
 * @param entryCacheSize entries kept; 0 leaves only results without entries cached
 * @param planCacheSize decoded requests kept; 0 decodes each request anew
 * @param maxBytes memory of all caches in octets; 0 is a quarter of the heap
 * @param bypassLimit a search that matches more entries enters neither cache
 * @param maxResultBytes a result of more octets enters neither cache
 * @param paging whether pages of results that may be cached are given from memory
 * @param maxAge oldest answer that is served
 * @param exclusions what is never cached
 * @param secrets attributes whose values are never stored
 * @param serveStale how much older answers may be while no directory server can be used
 * @param aclCache whether anything is stored for clients that have bound
 * @param aclCacheSize identities for which something is stored at once
 * @param invalidation what a change makes void
 * @param refresh whether what is used a lot is asked for again before a client does
 * @param refreshPerSecond most such searches in a second
 * @param auditPerSecond how many results that rest on a feed are compared with the directory in a
 *     second; 0 for none
 * @param verifyPerSecond how many of them are at most when all are to be
 * @param sharing which identities share what is stored
 */
public record CacheConfig(
    boolean enabled,
    int filterCacheSize,
    int entryCacheSize,
    int planCacheSize,
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
    int verifyPerSecond,
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

  /** The configuration that holds where nothing else is said. */
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

  /** What a change makes void. */
  public enum Invalidation {
    /** Of what rests on a feed, what the change concerns; of all else, everything. */
    PRECISE,
    /** Everything, whatever it is, and whoever has made it. */
    EVERYTHING
  }

  public CacheConfig {
    notNegative("filterCacheSize", filterCacheSize);
    notNegative("entryCacheSize", entryCacheSize);
    notNegative("planCacheSize", planCacheSize);
    notNegative("aclCacheSize", aclCacheSize);
    notNegative("maxBytes", maxBytes);
    notNegative("bypassLimit", bypassLimit);
    notNegative("maxResultBytes", maxResultBytes);
    notNegative("refreshPerSecond", refreshPerSecond);
    notNegative("auditPerSecond", auditPerSecond);
    if (verifyPerSecond < 1) {
      throw new IllegalArgumentException("verifyPerSecond " + verifyPerSecond + " is below 1");
    }
    secrets = List.copyOf(secrets);
    if (maxAge.isNegative()) {
      throw new IllegalArgumentException("maxAge is negative; 0 serves nothing from memory");
    }
    if (serveStale.isNegative()) {
      throw new IllegalArgumentException("serveStale is negative; 0 switches it off");
    }
    if (maxBytes > Runtime.getRuntime().maxMemory() / 2) {
      throw new IllegalArgumentException(
          "maxBytes "
              + maxBytes
              + " is more than half of the heap ("
              + Runtime.getRuntime().maxMemory()
              + " octets); lower it or raise the heap with STOA_JAVA_OPTS=-Xmx…");
    }
  }

  /** Whether what may be stored is the same by this as by the other. */
  boolean sameRules(CacheConfig other) {
    return exclusions.equals(other.exclusions)
        && secrets.equals(other.secrets)
        && bypassLimit == other.bypassLimit
        && maxResultBytes == other.maxResultBytes
        && aclCache == other.aclCache
        && invalidation == other.invalidation;
  }

  /** The same with other identities that share what is stored. */
  CacheConfig sharing(SharingConfig other) {
    return new CacheConfig(
        enabled,
        filterCacheSize,
        entryCacheSize,
        planCacheSize,
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
        verifyPerSecond,
        other);
  }

  /** The memory bound in octets, a quarter of the heap unless set. */
  long effectiveMaxBytes() {
    return maxBytes == 0 ? Runtime.getRuntime().maxMemory() / 4 : maxBytes;
  }

  private static void notNegative(String name, long value) {
    if (value < 0) {
      throw new IllegalArgumentException(name + " " + value + " is below 0");
    }
  }
}
