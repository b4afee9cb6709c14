// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.engine;

import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What the users of one protocol have on one event loop: the lines that they share, the deadlines
 * of their requests, their latencies. Event-loop confined, but for making it.
 */
final class LoopLines {
  private static final int EXPIRE_MILLIS = 100;

  private final EventLoop loop;
  private final LdapProtocol.Settings settings;
  private final Latencies.OfThread latencies;
  private final Deadlines deadlines = new Deadlines();
  private final List<LdapLine> shared = new ArrayList<>();
  private int next;

  LoopLines(EventLoop loop, LdapProtocol.Settings settings) {
    this.loop = loop;
    this.settings = settings;
    this.latencies = settings.latencies().newThread();
    for (int i = 0; i < settings.shared(); i++) {
      shared.add(newLine(true));
    }
    loop.scheduleWithFixedDelay(
        () -> deadlines.expire(System.nanoTime()),
        EXPIRE_MILLIS,
        EXPIRE_MILLIS,
        TimeUnit.MILLISECONDS);
  }

  /** A connection of its own; the protocol's identity is for the default line alone. */
  LdapLine newLine(boolean isDefault) {
    return new LdapLine(loop, isDefault ? settings : settings.anonymous(), deadlines, latencies);
  }

  boolean sharesLines() {
    return settings.shared() > 0;
  }

  LdapLine next() {
    next = next + 1 == shared.size() ? 0 : next + 1;
    return shared.get(next);
  }
}
