// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Bounds of which one leaves hardly anything to the other. */
class CacheBoundsTest {
  private static BoundedCache<Integer, byte[]> filled(int entries, long bytes, int size) {
    BoundedCache<Integer, byte[]> cache =
        new BoundedCache<>(entries, bytes, (key, value) -> value.length);
    for (int i = 0; i < 1_000; i++) {
      cache.put(i, new byte[size]);
    }
    return cache;
  }

  @Test
  void theOctetLimitHoldsBelowTheEntryLimit() {
    assertThat(filled(1_000, 100, 10).bytes()).isLessThanOrEqualTo(100);
    assertThat(filled(1_000, 999, 1).bytes()).isLessThanOrEqualTo(999);
    assertThat(filled(1_000, 0, 1).bytes()).isZero();
  }

  @Test
  void aSingleEntryMayTakeAllOctets() {
    assertThat(filled(1, Long.MAX_VALUE, 10).count()).isLessThanOrEqualTo(1);
    assertThat(filled(1, 1L << 40, 10).count()).isLessThanOrEqualTo(1);
    assertThat(filled(2, Long.MAX_VALUE, 10).count()).isLessThanOrEqualTo(2);
  }

  @Test
  void partsAreBoundedByTheirNumberAlone() {
    BoundedCache<Integer, Integer> cache =
        new BoundedCache<>(
            BoundedCache.Bounds.ofNumbers(1_000, 100),
            (key, parts) -> 0,
            parts -> parts,
            any -> {});
    for (int i = 0; i < 1_000; i++) {
      cache.put(i, 4);
    }
    assertThat(cache.count()).isLessThanOrEqualTo(25);
    assertThat(BoundedCache.<Integer, Integer>ofEntries(0).putIfAbsent(1, 1)).isFalse();
  }
}
