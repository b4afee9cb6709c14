// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache;

import io.stoa.ldap.Octets;
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
}
