// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.activedirectory;

import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.OpType;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.Operation;
import io.stoa.operation.ResponseSink;
import io.stoa.operation.Stage;

/**
 * Leaves references out of search results: Active Directory puts some into every search of a whole
 * domain, and clients chase them anonymously and fail. It stands behind the cache, so that what is
 * left can be cached. Event-loop confined.
 */
public final class ReferencesStage implements Stage {
  private final Stage next;

  /** Makes the link before {@code next}. */
  public ReferencesStage(Stage next) {
    this.next = next;
  }

  @Override
  public void handle(Operation operation) throws LdapProtocolException {
    if (operation.type() == OpType.SEARCH_REQUEST) {
      operation.sink(new WithoutReferences(operation.sink()));
    }
    next.handle(operation);
  }

  /** A reference with a control is not a result but a change: that of a sync search. */
  private static final class WithoutReferences extends ForwardingSink {
    WithoutReferences(ResponseSink next) {
      super(next);
    }

    @Override
    public void respond(LdapMessage response) {
      if (response.type() == OpType.SEARCH_RESULT_REFERENCE && !response.hasControls()) {
        response.release();
      } else {
        next.respond(response);
      }
    }
  }
}
