// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

import io.stoa.ldap.filter.Image;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.schema.NormalDn;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Rules for translating the results of a sync search.
 *
 * <p>Threading: immutable.
 *
 * @param context the naming context, as named in positions
 * @param refreshLimit the maximum number of entries in one refresh
 * @param secret true for the descriptions of attributes that must not be stored
 * @param rules decodes names and entries
 * @param clock a monotonic clock, in ns
 */
public record SyncContext(
    String context, int refreshLimit, Predicate<byte[]> secret, Rules rules, LongSupplier clock) {

  /** Decodes names and entries by the current schema of the directory. */
  public interface Rules {
    /** Decodes a DN. */
    NormalDn name(byte[] dn);

    /**
     * Returns the image that filters are matched with. The entry is complete except for secret
     * attributes.
     */
    Image image(SearchEntry entry);
  }
}
