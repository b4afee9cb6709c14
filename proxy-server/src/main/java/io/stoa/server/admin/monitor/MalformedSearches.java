// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

import io.stoa.ldap.protocol.OpType;
import io.stoa.operation.MalformedRequestException;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationCounters;
import io.stoa.operation.Stage;
import io.stoa.operation.event.ClientEvent;

/**
 * Counts searches that any later stage finds malformed. Otherwise hits, misses, bypassed and
 * refused searches would not add up to all searches. The first stage of a chain.
 *
 * <p>Threading: event loop.
 *
 * @param next the following stage
 * @param counters counts malformed searches
 */
public record MalformedSearches(Stage next, OperationCounters counters) implements Stage {
  @Override
  public void handle(Operation operation) {
    try {
      next.handle(operation);
    } catch (MalformedRequestException e) {
      if (operation.type() == OpType.SEARCH_REQUEST) {
        counters.events().increment(ClientEvent.MALFORMED_SEARCH);
      }
      throw e;
    }
  }
}
