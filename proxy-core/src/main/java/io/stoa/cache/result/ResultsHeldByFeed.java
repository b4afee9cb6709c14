// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.cache.result.Caches.CachedResultRef;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Iterates over the stored results that a feed holds now, in no order. Few stored results may be
 * held by a feed, so {@link #hasNextWithin} bounds the search for the next one.
 *
 * <p>Threading: confined to one thread.
 */
public final class ResultsHeldByFeed implements Iterator<CachedResultRef> {
  private final Iterator<Map.Entry<QueryKey, CachedResult>> all;
  private final LongSupplier clock;
  private @Nullable CachedResultRef next;

  ResultsHeldByFeed(Iterator<Map.Entry<QueryKey, CachedResult>> all, LongSupplier clock) {
    this.all = all;
    this.clock = clock;
  }

  /** True if another one is found among the next {@code results} stored results. */
  public boolean hasNextWithin(int results) {
    for (int examined = 0; next == null && examined < results && all.hasNext(); examined++) {
      Map.Entry<QueryKey, CachedResult> one = all.next();
      CachedResult item = one.getValue();
      if (item.watch() != null && item.liveWatch(clock.getAsLong()) != null) {
        next = Caches.refOf(one.getKey(), item).orElse(null);
      }
    }
    return next != null;
  }

  /** True if all stored results have been examined. */
  public boolean isAtEnd() {
    return next == null && !all.hasNext();
  }

  @Override
  public boolean hasNext() {
    return hasNextWithin(Integer.MAX_VALUE);
  }

  @Override
  public CachedResultRef next() {
    if (!hasNext() || next == null) {
      throw new NoSuchElementException();
    }
    CachedResultRef found = next;
    next = null;
    return found;
  }
}
