// SPDX-License-Identifier: Apache-2.0
package io.stoa.index;

import io.stoa.filter.Cover;
import io.stoa.ldap.Octets;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** What is filed under one attribute type. Thread-safe as {@link Table} is. */
final class TypeAnchors {
  private final Table<Cover.Key.Kind> any = new Table<>(new ConcurrentHashMap<>(1));
  private final Table<Octets> equal = new Table<>(new ConcurrentHashMap<>());

  void add(Cover.Key key, Anchors anchors) {
    if (key.value() == null) {
      any.add(key.kind(), anchors);
    } else {
      equal.add(key.value(), anchors);
    }
  }

  void remove(Cover.Key key, Anchors anchors) {
    if (key.value() == null) {
      any.remove(key.kind(), anchors);
    } else {
      equal.remove(key.value(), anchors);
    }
  }

  int count(Cover.Key key) {
    return key.value() == null
        ? any.count(key.kind())
        : equal.count(Objects.requireNonNull(key.value()));
  }

  boolean isEmpty() {
    return any.isEmpty() && equal.isEmpty();
  }

  int size() {
    return any.size() + equal.size();
  }

  /**
   * Whatever an entry with these values may be found by.
   *
   * @return how many keys were looked at: never more than there are here
   */
  int find(Set<Octets> keys, boolean doubtful, Consumer<Anchors> found) {
    any.forEach(found);
    if (doubtful) {
      equal.forEach(found);
      return 1 + equal.size();
    }
    if (keys.size() > equal.size()) {
      for (Octets key : equal.keys()) {
        if (keys.contains(key)) {
          equal.forEach(key, found);
        }
      }
      return 1 + equal.size();
    }
    keys.forEach(key -> equal.forEach(key, found));
    return 1 + keys.size();
  }
}
