// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin;

import io.stoa.ldap.LdapProtocolException;
import io.stoa.operation.Operation;
import io.stoa.server.tree.Tree;
import io.stoa.server.tree.TreeAnswer;

/** The answer to one operation on {@code cn=monitor} or on a name below it. Event-loop confined. */
final class MonitorAnswer {
  private static final int INVALID_CREDENTIALS = 49;
  private static final int UNWILLING_TO_PERFORM = 53;

  private final Operation operation;
  private final MonitorSource source;
  private final Tree tree;

  MonitorAnswer(Operation operation, MonitorSource source, Tree tree) {
    this.operation = operation;
    this.source = source;
    this.tree = tree;
  }

  void give() throws LdapProtocolException {
    TreeAnswer answer = new TreeAnswer(operation);
    switch (operation.type()) {
      case BIND_REQUEST -> answer.complete(INVALID_CREDENTIALS, "");
      case SEARCH_REQUEST -> {
        source.counters().ownSearch();
        answer.read(tree);
      }
      case COMPARE_REQUEST -> answer.read(tree);
      default -> answer.complete(UNWILLING_TO_PERFORM, tree.suffix().name() + " cannot be changed");
    }
  }
}
