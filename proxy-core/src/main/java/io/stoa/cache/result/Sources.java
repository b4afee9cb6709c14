// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.operation.ReadSource;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The servers of one answer, usually one or none. The position of each is what it had at every
 * read, since parts may have been read at different times.
 *
 * <p>Threading: confined to one thread.
 */
final class Sources {
  private List<ReadSource> all;

  /** Returns the servers of both parts. */
  static List<ReadSource> merged(List<ReadSource> one, List<ReadSource> other) {
    if (other.isEmpty() || other == one) {
      return one;
    }
    Sources both = new Sources(one);
    both.add(other);
    return both.all();
  }

  Sources(List<ReadSource> first) {
    all = first;
  }

  void add(List<ReadSource> sources) {
    sources.forEach(this::add);
  }

  private void add(ReadSource source) {
    int index = 0;
    while (index < all.size() && all.get(index).server() != source.server()) {
      index++;
    }
    if (index == all.size()) {
      all = Stream.concat(all.stream(), Stream.of(source)).toList();
      return;
    }
    ReadSource merged = all.get(index).merge(source);
    if (!merged.equals(all.get(index))) {
      all = new ArrayList<>(all);
      all.set(index, merged);
    }
  }

  List<ReadSource> all() {
    return all;
  }
}
