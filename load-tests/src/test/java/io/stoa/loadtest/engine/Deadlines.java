// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.engine;

import java.util.ArrayDeque;

/**
 * When requests fail for want of an answer. All wait equally long, so that they expire in the order
 * in which they were sent, and one timer is enough for all of them. Event-loop confined.
 */
final class Deadlines {
  private final ArrayDeque<Exchange> sent = new ArrayDeque<>();

  void add(Exchange exchange) {
    while (!sent.isEmpty() && sent.peekFirst().isOver()) {
      sent.removeFirst();
    }
    sent.addLast(exchange);
  }

  void expire(long now) {
    while (!sent.isEmpty() && (sent.peekFirst().isOver() || sent.peekFirst().isLate(now))) {
      sent.removeFirst().fail("no answer in time");
    }
  }
}
