// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connection;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Checks the response time-outs of one event loop: connections with an unanswered request, and
 * connections that are being opened. Idle connections cost nothing.
 *
 * <p>Threading: event loop.
 */
public final class ResponseWatchdog {
  private final List<ResponseTimeout> waiting = new ArrayList<>();
  private final Set<PendingConnection> connecting = new HashSet<>();

  void add(ResponseTimeout responseTimeout) {
    waiting.add(responseTimeout);
  }

  void add(PendingConnection approach) {
    connecting.add(approach);
  }

  void remove(PendingConnection approach) {
    connecting.remove(approach);
  }

  /** Requests a health check of each server that has sent nothing for {@code nanos}. */
  public void check(long now, long nanos) {
    waiting.removeIf(responseTimeout -> !responseTimeout.check(now, nanos));
    connecting.forEach(approach -> approach.check(now, nanos));
  }
}
