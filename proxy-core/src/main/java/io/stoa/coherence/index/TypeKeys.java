// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.index;

import io.stoa.ldap.filter.CoveringKeys;
import io.stoa.ldap.protocol.Octets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Views by keys of one attribute type. Threading: as {@link Table}. */
final class TypeKeys {
  private final Table<CoveringKeys.Key.KeyMatch> any = new Table<>(new ConcurrentHashMap<>(1));
  private final Table<Octets> equal = new Table<>(new ConcurrentHashMap<>(4));
  private final Table<Octets> prefixes = new Table<>(new ConcurrentHashMap<>(1));

  void add(CoveringKeys.Key key, IndexKeys keys) {
    Octets value = key.value();
    if (value == null) {
      any.add(key.kind(), keys);
    } else {
      table(key).add(value, keys);
    }
  }

  void remove(CoveringKeys.Key key, IndexKeys keys) {
    Octets value = key.value();
    if (value == null) {
      any.remove(key.kind(), keys);
    } else {
      table(key).remove(value, keys);
    }
  }

  int count(CoveringKeys.Key key) {
    Octets value = key.value();
    return value == null ? any.count(key.kind()) : table(key).count(value);
  }

  private Table<Octets> table(CoveringKeys.Key key) {
    return key.kind() == CoveringKeys.Key.KeyMatch.PREFIX ? prefixes : equal;
  }

  boolean isEmpty() {
    return size() == 0;
  }

  int size() {
    return any.size() + equal.size() + prefixes.size();
  }

  /**
   * Finds every view that may return an entry with these values.
   *
   * @return the number of keys examined, which is at most the number of keys here
   */
  int find(Set<Octets> keys, boolean doubtful, Consumer<IndexKeys> found) {
    any.forEach(found);
    if (doubtful) {
      equal.forEach(found);
      prefixes.forEach(found);
      return size();
    }
    return 1 + findBeginnings(keys, found) + findEqual(keys, found);
  }

  private int findEqual(Set<Octets> keys, Consumer<IndexKeys> found) {
    if (keys.size() <= equal.size()) {
      keys.forEach(key -> equal.forEach(key, found));
      return keys.size();
    }
    for (Octets key : equal.keys()) {
      if (keys.contains(key)) {
        equal.forEach(key, found);
      }
    }
    return equal.size();
  }

  private int findBeginnings(Set<Octets> keys, Consumer<IndexKeys> found) {
    if (prefixes.isEmpty()) {
      return 0;
    }
    for (Octets key : keys) {
      Octets beginning = CoveringKeys.Key.prefixOf(key);
      if (beginning != null) {
        prefixes.forEach(beginning, found);
      }
    }
    return keys.size();
  }
}
