// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.stoa.cache.result.CacheConfig;
import io.stoa.cache.result.Exclusions;
import io.stoa.cache.sharing.Declaration;
import io.stoa.cache.sharing.SharingClass.Attributes;
import io.stoa.cache.sharing.SharingConfig;
import java.time.Duration;
import java.util.List;

/** How the cache of one history is configured. Immutable. */
final class SimCaching {
  /** What nothing vouches for is given until it is as old. */
  static final Duration MAX_AGE = Duration.ofSeconds(2);

  /** Usually there is room for so much. */
  static final int SIZE = 1_000;

  private static final long BYTES = 8 << 20;
  private static final int ONE_VERIFIED_OF = 10;

  /** Who sees all is given what the account of the feed is given. */
  private static final Declaration ADMINS =
      new Declaration(
          "admins", List.of(SimNames.ADMIN), List.of(), SimNames.SUFFIX, Attributes.ALL, true);

  private final SharingConfig sharing;
  private final boolean compared;

  /**
   * Decides on it.
   *
   * @param uniform whether what those are given who see all is changed in place
   * @param compared whether what is in memory is compared with the directory
   */
  SimCaching(boolean uniform, boolean compared) {
    this.compared = compared;
    this.sharing =
        uniform ? new SharingConfig(List.of(ADMINS), ONE_VERIFIED_OF) : SharingConfig.DEFAULTS;
  }

  /** With room for so much. */
  CacheConfig of(int size) {
    return new CacheConfig(
        true,
        size,
        size,
        SIZE,
        BYTES,
        SIZE,
        1 << 20,
        true,
        MAX_AGE,
        Exclusions.NONE,
        CacheConfig.DEFAULT_SECRETS,
        Duration.ZERO,
        true,
        SIZE,
        CacheConfig.Invalidation.PRECISE,
        false,
        0,
        compared ? SimAudit.PER_SECOND : 0,
        SimAudit.AT_ONCE_PER_SECOND,
        sharing);
  }
}
