// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin;

import io.stoa.ldap.LdapProtocolException;
import io.stoa.ldap.OpType;
import io.stoa.operation.Operation;
import io.stoa.operation.Stage;
import io.stoa.server.tree.Tree;

/**
 * Answers what is asked of {@code cn=monitor} and of names below it; everything else passes on. Its
 * place is before the caches. Of what is not its own it reads a few octets only. Event-loop
 * confined.
 */
public final class MonitorStage implements Stage {
  private final Stage next;
  private final MonitorSource source;
  private final Tree tree;

  /** Answers before {@code next}. */
  public MonitorStage(Stage next, MonitorSource source) {
    this.next = next;
    this.source = source;
    this.tree = new Tree(MonitorTree.SUFFIX, session -> new MonitorTree(source).entries());
  }

  @Override
  public void handle(Operation operation) throws LdapProtocolException {
    try {
      if (tree.suffix().covers(operation)) {
        new MonitorAnswer(operation, source, tree).give();
      } else {
        next.handle(operation);
      }
    } catch (LdapProtocolException e) {
      if (operation.type() == OpType.SEARCH_REQUEST) {
        source.counters().malformedSearch();
      }
      throw e;
    }
  }
}
