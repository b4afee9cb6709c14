// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.paging;

import io.stoa.ldap.schema.ServerProfile;
import java.util.function.Supplier;

/**
 * By what pages are cut, alike on all event loops. Thread-safe.
 *
 * @param current what may be held now
 * @param profile what is known of the directory: whether it knows the control, and how it ends a
 *     page
 * @param unfit what is not worth being looked at as a whole
 */
public record PageTerms(
    Supplier<PageConfig> current, Supplier<ServerProfile> profile, OversizedSearches unfit) {

  /**
   * What may be held. Immutable.
   *
   * @param enabled whether pages are cut here
   * @param mostEntries entries of a result that is given in pages from memory
   * @param maxOctets octets of all such results of an event loop together
   */
  public record PageConfig(boolean enabled, int mostEntries, long maxOctets) {}

  PageConfig config() {
    return current.get();
  }

  /** A directory that does not know the control refuses it, or ignores it. */
  boolean mayCut() {
    return config().enabled() && profile.get().supportsPaging();
  }
}
