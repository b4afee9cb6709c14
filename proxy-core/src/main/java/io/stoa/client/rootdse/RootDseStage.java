// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.rootdse;

import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.operation.Operation;
import io.stoa.operation.Stage;
import io.stoa.operation.TargetName;

/**
 * Shows of the root DSE what works through Stoa for the client that asks. It stands before the
 * cache, where the directory's own root DSE is kept, since clients of one identity may be offered
 * different things. Event-loop confined.
 */
public final class RootDseStage implements Stage {
  private final RootDseFilter offer;
  private final Stage next;

  /** Makes the link before {@code next}. */
  public RootDseStage(RootDseFilter offer, Stage next) {
    this.offer = offer;
    this.next = next;
  }

  @Override
  public void handle(Operation operation) throws LdapProtocolException {
    if (TargetName.isRootDse(operation.message())) {
      operation.sink(new RootDseSink(operation, offer));
    }
    next.handle(operation);
  }
}
