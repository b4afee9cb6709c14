// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BoundedCacheTest {
  private static BoundedCache<Integer, byte[]> cache(int entries, long bytes) {
    return new BoundedCache<>(entries, bytes, (key, value) -> value.length);
  }

  @Test
  void holdsAtMostTheMaximumOfEntries() {
    BoundedCache<Integer, byte[]> cache = cache(100, 1_000_000);
    for (int i = 0; i < 1_000; i++) {
      cache.put(i, new byte[10]);
    }
    assertThat(cache.count()).isLessThanOrEqualTo(100);
    assertThat(cache.evictions()).isEqualTo(1_000 - cache.count());
  }

  @Test
  void holdsAtMostTheMaximumOfOctets() {
    BoundedCache<Integer, byte[]> cache = cache(1_000, 10_000);
    for (int i = 0; i < 1_000; i++) {
      cache.put(i, new byte[1_000]);
    }
    assertThat(cache.bytes()).isLessThanOrEqualTo(10_000);
  }

  @Test
  void countsReplacedRemovedAndUnchangedOctets() {
    BoundedCache<Integer, byte[]> cache = cache(10, 10_000);
    cache.put(1, new byte[100]);
    cache.put(1, new byte[200]);
    cache.compute(2, (key, old) -> new byte[300]);
    cache.compute(2, (key, old) -> old == null ? new byte[0] : old);
    assertThat(cache.bytes()).isEqualTo(500);
    cache.removeIf(value -> value.length == 300);
    assertThat(cache.bytes()).isEqualTo(200);
  }

  @Test
  void aValueThatGrowsEvictsOthers() {
    int[] growth = {0};
    BoundedCache<Integer, byte[]> cache =
        new BoundedCache<>(100, 10_000, (key, value) -> value.length + (key == 1 ? growth[0] : 0));
    for (int i = 0; i < 10; i++) {
      cache.put(i, new byte[1_000]);
    }
    assertThat(cache.count()).isEqualTo(10);
    growth[0] = 4_000;
    cache.onResized(1, 4_000);
    assertThat(cache.bytes()).isLessThanOrEqualTo(10_000);
    assertThat(cache.evictions()).isEqualTo(10 - cache.count()).isBetween(1L, 4L);
  }

  @Test
  void entriesLeaveTheReservedOctets() {
    BoundedCache<Integer, byte[]> cache = cache(100, 10_000);
    for (int i = 0; i < 10; i++) {
      cache.put(i, new byte[1_000]);
    }
    cache.reserve(5_000);
    assertThat(cache.count()).isEqualTo(5);
    cache.reserve(0);
    for (int i = 0; i < 20; i++) {
      cache.put(i, new byte[1_000]);
    }
    assertThat(cache.count()).isEqualTo(10);
    cache.reserve(20_000);
    assertThat(cache.count()).isZero();
  }

  @Test
  void aMaximumOfZeroKeepsNothing() {
    BoundedCache<Integer, byte[]> cache = cache(0, 10_000);
    cache.put(1, new byte[1]);
    assertThat(cache.compute(2, (key, old) -> new byte[1])).isNull();
    assertThat(cache.get(1)).isNull();
    assertThat(cache.bytes()).isZero();
  }
}
