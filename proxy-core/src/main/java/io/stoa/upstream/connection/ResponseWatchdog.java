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
  private final Set<PendingConnection> dialled = new HashSet<>();

  void add(ResponseTimeout silence) {
    waiting.add(silence);
  }

  void add(PendingConnection approach) {
    dialled.add(approach);
  }

  void remove(PendingConnection approach) {
    dialled.remove(approach);
  }

  /** Requests a health check of each server that has sent nothing for {@code nanos}. */
  public void look(long now, long nanos) {
    waiting.removeIf(silence -> !silence.look(now, nanos));
    dialled.forEach(approach -> approach.look(now, nanos));
  }
}
