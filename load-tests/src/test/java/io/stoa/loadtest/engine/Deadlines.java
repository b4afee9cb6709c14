// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.engine;

import java.util.ArrayDeque;

/**
 * Fails requests that get no answer in time. All have the same timeout. So they expire in the order
 * in which they were sent, and one timer serves all of them.
 *
 * <p>Threading: event loop.
 */
final class Deadlines {
  private final ArrayDeque<PendingRequest> sent = new ArrayDeque<>();

  void add(PendingRequest exchange) {
    while (!sent.isEmpty() && sent.peekFirst().isOver()) {
      sent.removeFirst();
    }
    sent.addLast(exchange);
  }

  void expire(long now) {
    while (!sent.isEmpty() && (sent.peekFirst().isOver() || sent.peekFirst().isLate(now))) {
      sent.removeFirst().fail("timed out");
    }
  }
}
