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
    this.latencies = settings.latencies().newThread(settings.interval());
    for (int i = 0; i < settings.shared(); i++) {
      shared.add(newLine());
    }
    loop.scheduleWithFixedDelay(
        () -> deadlines.expire(System.nanoTime()),
        EXPIRE_MILLIS,
        EXPIRE_MILLIS,
        TimeUnit.MILLISECONDS);
  }

  LdapLine newLine() {
    return new LdapLine(loop, settings, deadlines, latencies);
  }

  LdapLine next() {
    next = next + 1 == shared.size() ? 0 : next + 1;
    return shared.get(next);
  }
}
