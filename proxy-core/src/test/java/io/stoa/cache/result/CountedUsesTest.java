// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.stoa.cache.memory.BoundedCache;
import io.stoa.cache.result.Lookup.LookupListener;
import io.stoa.cache.result.QueryKey.StoredKey;
import io.stoa.cache.sharing.SharingClass;
import io.stoa.cache.sharing.SharingClass.Attributes;
import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.ServerProfile;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;

/** Uses of stored results that count for the order of eviction. */
class CountedUsesTest {
  private static final int SEED = 28;
  private static final int KEYS = 40_000;
  private static final int KEPT = 8_192;
  private static final int REQUESTS = 400_000;

  private static BoundedCache<QueryKey, CachedResult> cache() {
    return new BoundedCache<>(KEPT, Long.MAX_VALUE / 4, (key, item) -> 1);
  }

  /** Returns a cache that holds as many results, since its bound of octets is reached first. */
  private static BoundedCache<QueryKey, CachedResult> boundedByOctets() {
    return new BoundedCache<>(100 * KEPT, KEPT, (key, item) -> 1);
  }

  private static QueryKey key(int number) {
    byte[] value = ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    return new StoredKey(Octets.EMPTY, NormalQuery.NONE, value);
  }

  private static CachedResult result() {
    SharingClass own = new SharingClass("all", Octets.EMPTY, true, true, Attributes.ALL, null);
    CacheGeneration rules =
        new CacheGeneration(1, ServerProfile.EXACT, CacheConfig.DEFAULTS, 1_000_000);
    RequestTemplate request = CacheRequests.of(1, Octets.EMPTY, QueryKey.Reach.ANYWHERE, null, 0);
    Lookup lookup = new Lookup(rules, request, RequestTemplate.NO_VALUES, own, 0, 0, 0);
    return CachedResult.read(
        new Fill(lookup, new byte[] {1}, 0),
        new StoredEntry[0],
        new ResultStore.Result(new EncodedResponse(new byte[9]), null),
        new Lookup.Origin(List.of(), 0, 0, null),
        new ContextTable());
  }

  /** Returns the hit ratio of Zipf's law with exponent 0.9, with a scan of all keys in between. */
  private static double hitRatio(
      BoundedCache<QueryKey, CachedResult> cache,
      BiFunction<BoundedCache<QueryKey, CachedResult>, QueryKey, CachedResult> find) {
    double[] sums = new double[KEYS];
    double sum = 0;
    for (int key = 0; key < KEYS; key++) {
      sum += Math.pow(key + 1.0, -0.9);
      sums[key] = sum;
    }
    Random random = new Random(SEED);
    int hits = 0;
    for (int request = 0; request < REQUESTS; request++) {
      boolean scans = request >= REQUESTS / 2 && request < REQUESTS / 2 + KEYS;
      int found = Arrays.binarySearch(sums, random.nextDouble() * sum);
      QueryKey key = key(scans ? request - REQUESTS / 2 : Math.abs(found + 1));
      if (find.apply(cache, key) != null) {
        hits++;
      } else {
        cache.put(key, result());
      }
    }
    return (double) hits / REQUESTS;
  }

  @Test
  void countingFewerUsesKeepsTheHitRatio() {
    double all = hitRatio(cache(), BoundedCache::get);
    double counted = hitRatio(cache(), LookupListener.FOR_CLIENT::item);
    assertThat(counted).isCloseTo(all, within(0.01)).isGreaterThan(0.5);
    double octets = hitRatio(boundedByOctets(), LookupListener.FOR_CLIENT::item);
    assertThat(octets).isCloseTo(all, within(0.01));
  }

  @Test
  void theIntervalFollowsTheNumberOfResults() {
    BoundedCache<QueryKey, CachedResult> cache = boundedByOctets();
    assertThat(cache.useInterval()).isZero();
    for (int number = 0; number < 2 * KEPT; number++) {
      cache.put(key(number), result());
    }
    assertThat(cache.useInterval()).isEqualTo(KEPT / 256);
  }

  @Test
  void noUseCountsWhileNothingIsStored() {
    BoundedCache<QueryKey, CachedResult> cache = cache();
    CachedResult result = result();
    for (int number = 0; number < KEPT; number++) {
      cache.put(key(number), result());
    }
    assertThat(result.countUse(cache)).isTrue();
    assertThat(result.countUse(cache)).isFalse();
    for (int number = 0; number < cache.useInterval(); number++) {
      assertThat(result.countUse(cache)).isFalse();
      cache.putIfAbsent(key(KEYS + number), result());
    }
    assertThat(result.countUse(cache)).isTrue();
  }

  @Test
  void eachUseCountsInASmallCache() {
    BoundedCache<QueryKey, CachedResult> cache = new BoundedCache<>(200, 1_000, (key, item) -> 1);
    CachedResult result = result();
    assertThat(result.countUse(cache)).isTrue();
    assertThat(result.countUse(cache)).isTrue();
  }
}
