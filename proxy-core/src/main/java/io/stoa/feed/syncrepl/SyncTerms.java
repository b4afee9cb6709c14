// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

import io.stoa.ldap.filter.Image;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.schema.NormalDn;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * What is to be made of what a sync search says. Immutable.
 *
 * @param context the naming context, as positions name it
 * @param refreshLimit of how many entries may be told each time it is asked what has happened
 * @param secret which attributes, by their descriptions, nobody may keep
 * @param rules how names and entries are read
 * @param clock in nanoseconds
 */
public record SyncTerms(
    String context, int refreshLimit, Predicate<byte[]> secret, Rules rules, LongSupplier clock) {

  /** How names and entries are read, by what is known of the directory now. */
  public interface Rules {
    /** A name. */
    NormalDn name(byte[] dn);

    /** What filters are matched with; the entry is whole, but for what nobody may keep. */
    Image image(SearchEntry entry);
  }
}
