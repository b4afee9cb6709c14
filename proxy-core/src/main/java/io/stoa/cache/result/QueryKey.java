// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.schema.NormalDn;
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

    /** It cannot be said. */
    static final Reach ANYWHERE = new Reach(null, 0, BASE);

    /** Of a search: aliases may lead it anywhere. */
    static Reach of(SearchOp search, NormalDn base) {
      return search.followsAliases()
          ? ANYWHERE
          : new Reach(base.place(), base.depth(), search.scope());
    }

    /** Of a compare. */
    static Reach of(NormalDn entry) {
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
}
