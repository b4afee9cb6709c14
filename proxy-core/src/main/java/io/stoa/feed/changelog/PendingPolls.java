// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.changelog;

import io.stoa.ldap.csn.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Requests that wait for the next poll of a changelog.
 *
 * <p>Threading: thread-safe.
 */
final class PendingPolls {
  /** Maximum number of requests that wait for one poll: 1,000. */
  static final int MAX_PENDING = 1_000;

  private final List<Consumer<Position>> receivers = new ArrayList<>();

  /** Adds a request; false if too many wait. */
  synchronized boolean add(Consumer<Position> receiver) {
    return receivers.size() < MAX_PENDING && receivers.add(receiver);
  }

  /** Removes and returns all requests. */
  synchronized List<Consumer<Position>> take() {
    List<Consumer<Position>> all = List.copyOf(receivers);
    receivers.clear();
    return all;
  }
}
