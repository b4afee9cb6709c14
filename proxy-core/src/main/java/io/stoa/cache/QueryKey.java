// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache;

import io.stoa.ldap.Octets;
import io.stoa.ldap.RequestOp.CompareOp;
import io.stoa.ldap.RequestOp.SearchOp;
import io.stoa.match.NormalDn;
import io.stoa.match.ServerProfile;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What a result is stored under: who asked, and all of the request that controls the result.
 * Compared octet by octet. Immutable.
 */
final class QueryKey {
  private final int generation;
  private final Octets partition;
  private final Octets query;
  private final Reach reach;
  private final int hash;

  /**
   * Makes a key.
   *
   * @param generation by whose rules the query was normalised
   * @param partition what one identity may see
   * @param query the normalised request
   * @param reach where in the tree it looks, which follows from the query
   */
  QueryKey(int generation, Octets partition, Octets query, Reach reach) {
    this.generation = generation;
    this.partition = partition;
    this.query = query;
    this.reach = reach;
    this.hash = (generation * 31 + partition.hashCode()) * 31 + query.hashCode();
  }

  /** Octets of the key's own. */
  int size() {
    Octets place = reach.place();
    return query.length() + (place == null ? 0 : place.length());
  }

  Octets partition() {
    return partition;
  }

  Reach reach() {
    return reach;
  }

  /**
   * Where in the tree a request looks. Immutable.
   *
   * @param place that of its base or entry; null if it may look anywhere
   * @param depth how deep that is
   * @param scope RFC 4511, section 4.5.1.2
   */
  record Reach(@Nullable Octets place, int depth, int scope) {
    private static final int BASE = 0;
    private static final int NEVER_DEREF = 0;

    /** It cannot be said. */
    static final Reach ANYWHERE = new Reach(null, 0, BASE);

    /** Of a search: aliases may lead it anywhere. */
    static Reach of(SearchOp search, ServerProfile profile) {
      NormalDn base = NormalDn.of(search.base(), profile);
      return search.derefAliases() == NEVER_DEREF
          ? new Reach(base.place(), base.depth(), search.scope())
          : ANYWHERE;
    }

    static Reach of(CompareOp compare, ServerProfile profile) {
      NormalDn entry = NormalDn.of(compare.entry(), profile);
      return new Reach(entry.place(), entry.depth(), BASE);
    }
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

    /** The numbers of classes begin with 1. */
    private static final Octets NOBODY = Octets.of(new byte[Long.BYTES]);

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

    /** The same, without making or using one: a class that nobody has if there is none. */
    @Nullable Octets peek(Octets identity) {
      if (identity.length() == 0) {
        return identity;
      }
      Octets known = classes.peek(identity);
      return enabled ? Objects.requireNonNullElse(known, NOBODY) : null;
    }

    /**
     * Forgets identities.
     *
     * @return the classes that they had
     */
    Set<Octets> forget(Predicate<Octets> identities) {
      Set<Octets> forgotten = new HashSet<>();
      classes.drop((identity, number) -> identities.test(identity) && forgotten.add(number));
      return forgotten;
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

    long count() {
      return classes.count();
    }
  }
}
