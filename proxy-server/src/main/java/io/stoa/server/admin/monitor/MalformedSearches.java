// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.OpType;
import io.stoa.metrics.OperationCounters;
import io.stoa.operation.Operation;
import io.stoa.operation.Stage;

/**
 * Counts searches that turn out to be malformed, wherever that is seen: else they would be missing
 * in the sum of what has become of all. The first link of a chain. Event-loop confined.
 *
 * @param next what looks at them
 * @param counters where they are counted
 */
public record MalformedSearches(Stage next, OperationCounters counters) implements Stage {
  @Override
  public void handle(Operation operation) throws LdapProtocolException {
    try {
      next.handle(operation);
    } catch (LdapProtocolException e) {
      if (operation.type() == OpType.SEARCH_REQUEST) {
        counters.malformedSearch();
      }
      throw e;
    }
  }
}
