// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache;

import io.stoa.ldap.Octets;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What a result is stored under: who asked, and all of the request that controls the result.
 * Compared octet by octet. Immutable.
 */
final class QueryKey {
  private final int generation;
  private final Octets partition;
  private final Octets query;
  private final int hash;

  /**
   * Makes a key.
   *
   * @param generation by whose rules the query was normalised
   * @param partition what one identity may see
   * @param query the normalised request
   */
  QueryKey(int generation, Octets partition, Octets query) {
    this.generation = generation;
    this.partition = partition;
    this.query = query;
    this.hash = (generation * 31 + partition.hashCode()) * 31 + query.hashCode();
  }

  /** Octets of the key's own. */
  int size() {
    return query.length();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof QueryKey that
        && hash == that.hash
        && generation == that.generation
        && query.equals(that.query)
        && partition.equals(that.partition);
  }

  @Override
  public int hashCode() {
    return hash;
  }

  /**
   * The access-class cache: identity to access class, which is what the caches are kept apart by.
   * Each identity is a class of its own. An identity that was forgotten gets a class that nobody
   * ever had, so nothing that was stored for it before is found again. Anonymous clients need no
   * place. Thread-safe.
   */
  static final class AccessClasses {
    private static final int OVERHEAD = 200;

    private final BoundedCache<Octets, Octets> classes;
    private final AtomicLong last = new AtomicLong();
    private volatile boolean enabled;

    AccessClasses(CacheConfig config) {
      this.classes = new BoundedCache<>(config.aclCacheSize(), maxBytes(config), this::size);
      this.enabled = config.aclCache();
    }

    private int size(Octets identity, Octets number) {
      return OVERHEAD + identity.length();
    }

    /** A thirty-second of what the caches may take. */
    private static long maxBytes(CacheConfig config) {
      return config.effectiveMaxBytes() / 32;
    }

    void configure(CacheConfig config) {
      classes.bounds(config.aclCacheSize(), maxBytes(config));
      enabled = config.aclCache();
    }

    /** The class of an identity; null if nothing is stored for it. */
    @Nullable Octets of(Octets identity) {
      if (identity.length() == 0) {
        return identity;
      }
      if (!enabled) {
        return null;
      }
      Octets known = classes.get(identity);
      return known == null
          ? classes.compute(identity, (key, old) -> old == null ? next() : old)
          : known;
    }

    private Octets next() {
      return Octets.of(ByteBuffer.allocate(Long.BYTES).putLong(last.incrementAndGet()).array());
    }

    boolean enabled() {
      return enabled;
    }

    int maxEntries() {
      return classes.maxEntries();
    }
  }
}
