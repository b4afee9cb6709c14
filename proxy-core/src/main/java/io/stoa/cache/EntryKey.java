// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache;

import io.stoa.ldap.Octets;
import org.jspecify.annotations.Nullable;

/**
 * What an entry is stored under: its DN as it was returned, within what one identity may see.
 * Answers without values are other entries. Immutable.
 */
final class EntryKey {
  private final Octets partition;
  private final boolean typesOnly;
  private final Octets dn;
  private final int hash;

  EntryKey(Octets partition, boolean typesOnly, Octets dn) {
    this.partition = partition;
    this.typesOnly = typesOnly;
    this.dn = dn;
    this.hash = (partition.hashCode() * 31 + Boolean.hashCode(typesOnly)) * 31 + dn.hashCode();
  }

  /** Octets of the key's own. */
  int size() {
    return dn.length();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof EntryKey that
            && hash == that.hash
            && typesOnly == that.typesOnly
            && dn.equals(that.dn)
            && partition.equals(that.partition));
  }

  @Override
  public int hashCode() {
    return hash;
  }
}
