// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.changelog;

import io.stoa.ldap.csn.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Those who wait for the next look at a changelog. Thread-safe. */
final class PendingPolls {
  /** So many may wait for one look. */
  static final int MOST = 1_000;

  private final List<Consumer<Position>> waiting = new ArrayList<>();

  /** One more; false if too many wait already. */
  synchronized boolean add(Consumer<Position> told) {
    return waiting.size() < MOST && waiting.add(told);
  }

  /** All of them, who do not wait here any more. */
  synchronized List<Consumer<Position>> take() {
    List<Consumer<Position>> all = List.copyOf(waiting);
    waiting.clear();
    return all;
  }
}
