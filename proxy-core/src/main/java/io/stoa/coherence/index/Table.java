// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.index;

import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What is filed under each key. Thread-safe for readers; writers take turns (the index's lock). A
 * key alone holds what is filed under it, a few share an array, which is copied when it changes,
 * and many a set: most keys have one, some have a hundred thousand.
 */
final class Table<K> {
  private static final int LONGEST_ARRAY = 8;

  private final ConcurrentMap<K, Object> buckets;

  Table(ConcurrentMap<K, Object> buckets) {
    this.buckets = buckets;
  }

  void add(K key, Anchors anchors) {
    Object bucket = buckets.get(key);
    if (bucket instanceof Set<?>) {
      setOf(bucket).add(anchors);
    } else {
      buckets.put(key, plus(bucket, anchors));
    }
  }

  private static Object plus(@Nullable Object bucket, Anchors anchors) {
    if (bucket == null) {
      return anchors;
    }
    if (bucket instanceof Anchors one) {
      return new Anchors[] {one, anchors};
    }
    Anchors[] few = (Anchors[]) bucket;
    if (few.length < LONGEST_ARRAY) {
      Anchors[] more = Arrays.copyOf(few, few.length + 1);
      more[few.length] = anchors;
      return more;
    }
    Set<Anchors> many = ConcurrentHashMap.newKeySet(4 * LONGEST_ARRAY);
    many.addAll(Arrays.asList(few));
    many.add(anchors);
    return many;
  }

  void remove(K key, Anchors anchors) {
    Object bucket = buckets.get(key);
    if (bucket instanceof Set<?>) {
      Set<Anchors> many = setOf(bucket);
      many.remove(anchors);
      replace(key, many.isEmpty() ? null : many);
    } else if (bucket != null) {
      replace(key, minus(bucket, anchors));
    }
  }

  private static @Nullable Object minus(Object bucket, Anchors anchors) {
    if (bucket instanceof Anchors) {
      return bucket == anchors ? null : bucket;
    }
    Anchors[] few = (Anchors[]) bucket;
    Anchors[] fewer =
        Arrays.stream(few).filter(one -> !one.equals(anchors)).toArray(Anchors[]::new);
    return fewer.length == 0 ? null : fewer.length == 1 ? fewer[0] : fewer;
  }

  private void replace(K key, @Nullable Object bucket) {
    if (bucket == null) {
      buckets.remove(key);
    } else {
      buckets.put(key, bucket);
    }
  }

  void forEach(K key, Consumer<Anchors> found) {
    Object bucket = buckets.get(key);
    if (bucket != null) {
      forEachIn(bucket, found);
    }
  }

  void forEach(Consumer<Anchors> found) {
    buckets.values().forEach(bucket -> forEachIn(bucket, found));
  }

  static void forEachIn(Object bucket, Consumer<Anchors> found) {
    if (bucket instanceof Anchors one) {
      found.accept(one);
    } else if (bucket instanceof Anchors[] few) {
      for (Anchors one : few) {
        found.accept(one);
      }
    } else {
      setOf(bucket).forEach(found);
    }
  }

  @SuppressWarnings("unchecked")
  private static Set<Anchors> setOf(Object bucket) {
    return (Set<Anchors>) bucket;
  }

  /** How much is filed under the key. */
  int count(K key) {
    Object bucket = buckets.get(key);
    if (bucket == null) {
      return 0;
    }
    return bucket instanceof Anchors
        ? 1
        : bucket instanceof Anchors[] few ? few.length : setOf(bucket).size();
  }

  /** Of the keys. */
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
