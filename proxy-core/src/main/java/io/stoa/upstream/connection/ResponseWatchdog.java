// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connection;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What one event loop waits for from servers: connections on which something is to be answered, and
 * those that are being made. Whoever has nothing to wait for costs nothing. Event-loop confined.
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

  /** Servers from which nothing has come for so long are in doubt. */
  public void look(long now, long nanos) {
    waiting.removeIf(silence -> !silence.look(now, nanos));
    dialled.forEach(approach -> approach.look(now, nanos));
  }
}
