// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.schema.NormalDn;
import org.jspecify.annotations.Nullable;

/**
 * Key of a stored result: the partition, and all parts of the request that affect the result. Keys
 * are compared octet by octet.
 *
 * <p>Threading: immutable.
 */
final class QueryKey {
  private final int generation;
  private final Octets partition;
  private final Octets query;
  private final Reach reach;
  private final int hash;

  /**
   * Creates a key.
   *
   * @param generation number of the rules by which the query was normalized
   * @param partition the identity or sharing class that may see the result
   * @param query the normalized request
   * @param reach part of the tree that the request can reach; follows from the query
   */
  QueryKey(int generation, Octets partition, Octets query, Reach reach) {
    this.generation = generation;
    this.partition = partition;
    this.query = query;
    this.reach = reach;
    this.hash = (generation * 31 + partition.hashCode()) * 31 + query.hashCode();
  }

  /** Returns the number of octets that only this key holds. */
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
   * Part of the tree that a request can reach.
   *
   * <p>Threading: immutable.
   *
   * @param place position of its base or entry; null if it may reach any entry
   * @param depth depth of that position
   * @param scope RFC 4511, section 4.5.1.2
   */
  record Reach(@Nullable Octets place, int depth, int scope) {
    private static final int BASE = 0;

    /** Any part of the tree. */
    static final Reach ANYWHERE = new Reach(null, 0, BASE);

    /** Returns the reach of a search. A search that follows aliases may reach any entry. */
    static Reach of(SearchOp search, NormalDn base) {
      return search.followsAliases()
          ? ANYWHERE
          : new Reach(base.treePosition(), base.depth(), search.scope());
    }

    /** Returns the reach of a compare. */
    static Reach of(NormalDn entry) {
      return new Reach(entry.treePosition(), entry.depth(), BASE);
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
