// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.engine;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The connections that belong to one virtual user, by their names, and when its next request is
 * due; they end with it. Event-loop confined, but for making it.
 */
final class UserLines {
  private final LoopLines loop;
  private final Map<String, LdapLine> byName = new HashMap<>(2);
  private long due;
  private boolean isDue;

  UserLines(LoopLines loop) {
    this.loop = loop;
  }

  LdapLine line(Label label) {
    return label.isDefaultLine() && loop.sharesLines()
        ? loop.next()
        : byName.computeIfAbsent(label.line(), name -> loop.newLine(label.isDefaultLine()));
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

  /** The latency of the first request after a wait counts from when it was due. */
  void schedule(Exchange exchange) {
    if (isDue) {
      exchange.due(due);
      isDue = false;
    }
  }

  void close() {
    byName.values().forEach(LdapLine::close);
  }
}
