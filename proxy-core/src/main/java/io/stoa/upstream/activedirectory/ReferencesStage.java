// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.activedirectory;

import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.Response;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.Operation;
import io.stoa.operation.ResponseSink;
import io.stoa.operation.Stage;

/**
 * Removes references from search results. Active Directory adds some to each search of a whole
 * domain, and clients that chase them anonymously fail. The stage stands behind the cache, so that
 * the remaining result can be cached.
 *
 * <p>Threading: event loop.
 */
public final class ReferencesStage implements Stage {
  private final Stage next;

  /** Creates the stage before {@code next}. */
  public ReferencesStage(Stage next) {
    this.next = next;
  }

  @Override
  public void handle(Operation operation) {
    if (operation.type() == OpType.SEARCH_REQUEST) {
      operation.setSink(new WithoutReferences(operation.sink()));
    }
    next.handle(operation);
  }

  /** Removes references. One with a control is kept: it is a change of a sync search. */
  private static final class WithoutReferences extends ForwardingSink {
    WithoutReferences(ResponseSink next) {
      super(next);
    }

    @Override
    public void respond(Response response) {
      if (response instanceof LdapMessage message
          && message.type() == OpType.SEARCH_RESULT_REFERENCE
          && !message.hasControls()) {
        message.release();
      } else {
        next.respond(response);
      }
    }
  }
}
