// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.SiblingNames;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Key of a stored result: the partition, the normalized request without its values, and the values.
 * Keys are compared octet by octet.
 *
 * <p>Octets of its own: 24, and an array of 16 with the values, in steps of 8. The table keeps the
 * hash.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>Requests with equal keys select the same entries, for the same identity or sharing class.
 *   <li>The partition and the query are objects that other keys may share.
 * </ol>
 *
 * <p>Threading: immutable; the array must not be modified.
 */
final class QueryKey {
  private final Octets partition;
  private final NormalQuery query;
  private final byte[] values;

  /**
   * Creates a key.
   *
   * @param partition the identity or sharing class that may see the result
   * @param query the normalized request without its values
   * @param values the folded values
   */
  QueryKey(Octets partition, NormalQuery query, byte[] values) {
    this.partition = partition;
    this.query = query;
    this.values = values;
  }

  /** Returns the number of octets that only this key holds. */
  int size() {
    return values.length + (query.values() == 0 ? query.size() : 0);
  }

  Octets partition() {
    return partition;
  }

  /** Returns the folded values. */
  byte[] values() {
    return values;
  }

  /** Returns the part of the tree that the request can reach. */
  Reach reach() {
    return query.reach(values);
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

    /** Returns the reach of a request for one of these entries. */
    static Reach of(SiblingNames names, byte[] value) {
      return new Reach(names.treePosition(value), names.depth(), BASE);
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof QueryKey that
        && Arrays.equals(values, that.values)
        && query.equals(that.query)
        && partition.equals(that.partition);
  }

  @Override
  public int hashCode() {
    return (partition.hashCode() * 31 + query.hashCode()) * 31 + Octets.hash(values);
  }
}
