// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.engine;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The connections of one virtual user by name, and the time of its next request. The connections
 * are closed at the end of the user.
 *
 * <p>Threading: event loop, except construction.
 */
final class UserConnections {
  private final LoopConnections loop;
  private final Map<String, LoadConnection> byName = new HashMap<>(2);
  private long due;
  private boolean isDue;

  UserConnections(LoopConnections loop) {
    this.loop = loop;
  }

  LoadConnection line(Label label) {
    return label.isDefaultLine() && loop.sharesLines()
        ? loop.next()
        : byName.computeIfAbsent(label.connection(), name -> loop.newLine(label.isDefaultLine()));
  }

  Duration untilDue(Duration interval) {
    long now = System.nanoTime();
    due =
        due == 0
            ? now + ThreadLocalRandom.current().nextLong(interval.toNanos())
            : due + interval.toNanos();
    isDue = true;
    return Duration.ofNanos(Math.max(0, due - now));
  }

  /** Sets the due time of the first request after a wait, from which its latency counts. */
  void schedule(PendingRequest exchange) {
    if (isDue) {
      exchange.due(due);
      isDue = false;
    }
  }

  void close() {
    byName.values().forEach(LoadConnection::close);
  }
}
