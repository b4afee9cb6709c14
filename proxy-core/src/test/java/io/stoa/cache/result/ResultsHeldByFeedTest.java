// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.cache.result.ResultStore.Result;
import io.stoa.cache.sharing.SharingClass;
import io.stoa.cache.sharing.SharingClass.Attributes;
import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.AttributeSelection;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** How many stored results are looked at for one that rests on a feed, and what they share. */
class ResultsHeldByFeedTest {
  private static final byte[] DONE = {0x65, 7, 10, 1, 0, 4, 0, 4, 0};
  private static final int STORED = 10_000;

  private final AtomicInteger looked = new AtomicInteger();
  private final Caches caches =
      new Caches(
          CacheConfig.DEFAULTS,
          () -> Duration.ZERO,
          new AlwaysAvailable(),
          Caches.ClockAndRandom.withClock(() -> 1_000_000_000_000L));

  private QueryKey store(int number) {
    SharingClass own =
        new SharingClass("all", Octets.ofUtf8("p"), true, true, Attributes.ALL, null);
    Octets query = Octets.ofUtf8("query " + number);
    QueryKey.Reach reach = new QueryKey.Reach(Octets.ofUtf8("dc=x"), 1, 2);
    CacheGeneration rules = caches.generation();
    AttributeSelection selection = AttributeSelection.of(List.of(), rules.profile());
    RequestTemplate request = CacheRequests.of(rules.number(), query, reach, selection, 100);
    long epoch = caches.epoch().epoch();
    Lookup lookup =
        new Lookup(rules, request, RequestTemplate.NO_VALUES, own, epoch, 0, caches.now());
    Fill fill = new Fill(lookup, new byte[] {1}, 0);
    caches.store().store(fill, List.of(), List.of(), new Result(new EncodedResponse(DONE), null));
    return lookup.key();
  }

  private Iterator<Map.Entry<QueryKey, CachedResult>> counted() {
    Iterator<Map.Entry<QueryKey, CachedResult>> all = caches.store().items().iterator();
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return all.hasNext();
      }

      @Override
      public Map.Entry<QueryKey, CachedResult> next() {
        looked.incrementAndGet();
        return all.next();
      }
    };
  }

  @Test
  void noStoredResultIsVisitedWithoutAFeed() {
    for (int i = 0; i < STORED; i++) {
      store(i);
    }
    assertThat(caches.resultsHeldByFeed().isAtEnd()).as("10,000 results, and no feed").isTrue();
  }

  @Test
  void aBoundedScanVisitsAtMostItsBound() {
    for (int i = 0; i < STORED; i++) {
      store(i);
    }
    ResultsHeldByFeed results = new ResultsHeldByFeed(counted(), caches.clockAndRandom().clock());
    assertThat(results.hasNextWithin(1_000)).isFalse();
    assertThat(looked).hasValue(1_000);
    assertThat(results.isAtEnd()).isFalse();
    assertThat(results.hasNext()).isFalse();
    assertThat(looked).hasValue(STORED);
    assertThat(results.isAtEnd()).isTrue();
  }

  @Test
  void equalPartsOfStoredResultsAreOneObject() {
    CachedResult first = caches.store().peek(store(1));
    CachedResult second = caches.store().peek(store(2));
    assertThat(second.done()).isSameAs(first.done());
    assertThat(second.limits()).isSameAs(first.limits());
  }
}
