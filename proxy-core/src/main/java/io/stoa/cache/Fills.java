// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/** The fills under way, at most one that can still be joined for each key. Thread-safe. */
final class Fills {
  private final ConcurrentMap<QueryKey, Fill> byKey = new ConcurrentHashMap<>();

  /** The fill for a key, or null. */
  @Nullable Fill find(QueryKey key) {
    return byKey.get(key);
  }

  /** Adds a fill; an older one with its key cannot be joined any more, but goes on. */
  void begin(Fill fill) {
    byKey.put(fill.lookup().key(), fill);
  }

  /** A fill has ended. */
  void end(Fill fill) {
    byKey.remove(fill.lookup().key(), fill);
    fill.end();
  }

  /** Fills that can be joined now. */
  int size() {
    return byKey.size();
  }
}
