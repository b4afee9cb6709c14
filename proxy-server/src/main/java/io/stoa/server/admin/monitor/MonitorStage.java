// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.OpType;
import io.stoa.operation.Operation;
import io.stoa.operation.Stage;
import io.stoa.server.localtree.TreeAnswer;

/**
 * Answers what is asked of {@code cn=monitor} and of names below it; everything else passes on. Its
 * place is before the caches. Of what is not its own it reads a few octets only. Event-loop
 * confined.
 */
public final class MonitorStage implements Stage {
  private final Stage next;
  private final MonitorSource source;

  /** Answers before {@code next}. */
  public MonitorStage(Stage next, MonitorSource source) {
    this.next = next;
    this.source = source;
  }

  @Override
  public void handle(Operation operation) throws LdapProtocolException {
    if (!MonitorTree.SUFFIX.covers(operation)) {
      next.handle(operation);
    } else if (!TreeAnswer.refusesLarge(operation)) {
      new MonitorAnswer(operation, source).give();
    } else if (operation.type() == OpType.SEARCH_REQUEST) {
      source.counters().ownSearch();
    }
  }
}
