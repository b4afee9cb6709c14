// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

import io.stoa.ldap.protocol.OpType;
import io.stoa.operation.Operation;
import io.stoa.operation.Stage;
import io.stoa.operation.event.ClientEvent;
import io.stoa.server.localtree.TreeAnswer;

/**
 * Answers operations on {@code cn=monitor} and on names below it; all other operations pass on.
 * This stage stands before the caches. Of other operations it reads a few octets only.
 *
 * <p>Threading: event loop.
 */
public final class MonitorStage implements Stage {
  private final Stage next;
  private final MonitorSource source;

  /** Creates the stage before {@code next}. */
  public MonitorStage(Stage next, MonitorSource source) {
    this.next = next;
    this.source = source;
  }

  @Override
  public void handle(Operation operation) {
    if (!MonitorTree.SUFFIX.covers(operation)) {
      next.handle(operation);
    } else if (!TreeAnswer.refusesLarge(operation)) {
      new MonitorAnswer(operation, source).begin();
    } else if (operation.type() == OpType.SEARCH_REQUEST) {
      source.counters().events().increment(ClientEvent.OWN_SEARCH);
    }
  }
}
