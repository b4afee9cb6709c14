// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.index;

import java.util.Arrays;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Views by key. One view is stored as it is, up to eight in an array that is copied on each change,
 * more in a {@link ViewSet}. Most keys have one view, some have 100,000.
 *
 * <p>Threading: thread-safe for readers; writers hold the lock of the index.
 */
final class Table<K> {
  private static final int MAX_ARRAY = 8;

  private final ConcurrentMap<K, Object> buckets;

  Table(ConcurrentMap<K, Object> buckets) {
    this.buckets = buckets;
  }

  void add(K key, IndexKeys keys) {
    Object bucket = buckets.get(key);
    if (bucket instanceof ViewSet many) {
      many.add(keys);
    } else {
      buckets.put(key, plus(bucket, keys));
    }
  }

  private static Object plus(@Nullable Object bucket, IndexKeys keys) {
    if (bucket == null) {
      return keys;
    }
    if (bucket instanceof IndexKeys one) {
      return new IndexKeys[] {one, keys};
    }
    IndexKeys[] few = (IndexKeys[]) bucket;
    if (few.length < MAX_ARRAY) {
      IndexKeys[] more = Arrays.copyOf(few, few.length + 1);
      more[few.length] = keys;
      return more;
    }
    ViewSet many = new ViewSet();
    for (IndexKeys one : few) {
      many.add(one);
    }
    many.add(keys);
    return many;
  }

  void remove(K key, IndexKeys keys) {
    Object bucket = buckets.get(key);
    if (bucket instanceof ViewSet many) {
      many.remove(keys);
      replace(key, many.isEmpty() ? null : many);
    } else if (bucket != null) {
      replace(key, minus(bucket, keys));
    }
  }

  private static @Nullable Object minus(Object bucket, IndexKeys keys) {
    if (bucket instanceof IndexKeys) {
      return bucket == keys ? null : bucket;
    }
    IndexKeys[] few = (IndexKeys[]) bucket;
    IndexKeys[] fewer =
        Arrays.stream(few).filter(one -> !one.equals(keys)).toArray(IndexKeys[]::new);
    return fewer.length == 0 ? null : fewer.length == 1 ? fewer[0] : fewer;
  }

  private void replace(K key, @Nullable Object bucket) {
    if (bucket == null) {
      buckets.remove(key);
    } else {
      buckets.put(key, bucket);
    }
  }

  void forEach(K key, Consumer<IndexKeys> found) {
    Object bucket = buckets.get(key);
    if (bucket != null) {
      forEachIn(bucket, found);
    }
  }

  void forEach(Consumer<IndexKeys> found) {
    buckets.values().forEach(bucket -> forEachIn(bucket, found));
  }

  static void forEachIn(Object bucket, Consumer<IndexKeys> found) {
    if (bucket instanceof IndexKeys one) {
      found.accept(one);
    } else if (bucket instanceof IndexKeys[] few) {
      for (IndexKeys one : few) {
        found.accept(one);
      }
    } else {
      ((ViewSet) bucket).forEach(found);
    }
  }

  /** Returns the number of views under a key. */
  int count(K key) {
    Object bucket = buckets.get(key);
    if (bucket == null) {
      return 0;
    }
    return bucket instanceof IndexKeys
        ? 1
        : bucket instanceof IndexKeys[] few ? few.length : ((ViewSet) bucket).size();
  }

  /** Returns the number of keys. */
  int size() {
    return buckets.size();
  }

  boolean isEmpty() {
    return buckets.isEmpty();
  }

  Iterable<K> keys() {
    return buckets.keySet();
  }
}
