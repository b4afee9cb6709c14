// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin;

import io.stoa.ldap.LdapProtocolException;
import io.stoa.operation.Operation;
import io.stoa.origin.ClientStatus;
import io.stoa.server.tree.Tree;
import io.stoa.server.tree.TreeAnswer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The answer to one operation on {@code cn=monitor} or on a name below it. Event-loop confined. */
final class MonitorAnswer {
  private static final Logger LOG = LoggerFactory.getLogger(MonitorAnswer.class);
  private static final int INVALID_CREDENTIALS = 49;
  private static final int UNWILLING_TO_PERFORM = 53;
  private static final int OTHER = 80;

  private final Operation operation;
  private final TreeAnswer answer;
  private final MonitorSource source;

  MonitorAnswer(Operation operation, MonitorSource source) throws LdapProtocolException {
    this.operation = operation;
    this.answer = new TreeAnswer(operation);
    this.source = source;
  }

  void give() {
    switch (operation.type()) {
      case BIND_REQUEST -> answer.complete(INVALID_CREDENTIALS, "");
      case SEARCH_REQUEST -> {
        source.counters().ownSearch();
        read();
      }
      case COMPARE_REQUEST -> read();
      default ->
          answer.complete(UNWILLING_TO_PERFORM, MonitorTree.SUFFIX.name() + " cannot be changed");
    }
  }

  /** The other event loops are asked first how their clients are. */
  private void read() {
    boolean named = source.mayNameClients().test(operation.session());
    source
        .survey()
        .take(named)
        .thenAcceptAsync(clients -> read(named, clients), operation.session().executor())
        .exceptionally(this::failed);
  }

  private void read(boolean named, List<ClientStatus> clients) {
    MonitorTree tree = new MonitorTree(new MonitorSnapshot(source, named, clients));
    answer.read(new Tree(MonitorTree.SUFFIX, OpenLdapSchema.KINDS, session -> tree.entries()));
  }

  private @Nullable Void failed(Throwable defect) {
    LOG.error("cn=monitor could not be read", defect);
    operation.session().executor().execute(() -> answer.complete(OTHER, ""));
    return null;
  }
}
