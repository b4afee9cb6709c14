// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.engine;

import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * State of one protocol's users on one event loop: shared connections, deadlines of requests, and
 * latencies.
 *
 * <p>Threading: event loop, except construction.
 */
final class LoopConnections {
  private static final int EXPIRE_MILLIS = 100;

  private final EventLoop loop;
  private final LdapProtocol.Settings settings;
  private final Latencies.OfThread latencies;
  private final Deadlines deadlines = new Deadlines();
  private final List<LoadConnection> shared = new ArrayList<>();
  private int next;

  LoopConnections(EventLoop loop, LdapProtocol.Settings settings) {
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

  /** Creates a connection. Only the default connection binds with the protocol's identity. */
  LoadConnection newLine(boolean isDefault) {
    return new LoadConnection(
        loop, isDefault ? settings : settings.anonymous(), deadlines, latencies);
  }

  boolean sharesLines() {
    return settings.shared() > 0;
  }

  LoadConnection next() {
    next = next + 1 == shared.size() ? 0 : next + 1;
    return shared.get(next);
  }
}
