// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import io.stoa.net.peer.Peer;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationCounters;
import io.stoa.operation.Stage;
import io.stoa.proxy.Extensions;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** What a proxy knows of the clients whose operations reach its chain. Thread-safe. */
public final class Peers {
  private final List<Peer> seen = new CopyOnWriteArrayList<>();
  private final OperationCounters counters = new OperationCounters();

  /** To start a proxy with. */
  public Extensions extensions() {
    return new Extensions(Watch::new, counters, listeners -> {});
  }

  /** Of the last operation. */
  public Peer last() {
    return seen.get(seen.size() - 1);
  }

  public OperationCounters counters() {
    return counters;
  }

  private final class Watch implements Stage {
    private final Stage next;

    Watch(Stage next) {
      this.next = next;
    }

    @Override
    public void handle(Operation operation) {
      seen.add(operation.session().peer());
      next.handle(operation);
    }
  }
}
