// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.paging;

import io.stoa.ldap.schema.ServerProfile;
import java.util.function.Supplier;

/**
 * Configuration and state of paging, shared by all event loops.
 *
 * <p>Threading: thread-safe.
 *
 * @param current the current configuration
 * @param profile the directory's profile: whether it supports the control, and how it ends a page
 * @param oversized searches whose whole result is not worth reading
 */
public record PageContext(
    Supplier<PageConfig> current, Supplier<ServerProfile> profile, OversizedSearches oversized) {

  /**
   * Configuration of paging.
   *
   * <p>Threading: immutable.
   *
   * @param enabled true if pages are cut here
   * @param maxEntries maximum number of entries of a result that is cut into pages
   * @param maxOctets maximum octets of all such results of one event loop
   */
  public record PageConfig(boolean enabled, int maxEntries, long maxOctets) {}

  PageConfig config() {
    return current.get();
  }

  /** True if pages may be cut here. A directory without support refuses or ignores the control. */
  boolean mayCut() {
    return config().enabled() && profile.get().supportsPaging();
  }
}
