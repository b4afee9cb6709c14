// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

import io.stoa.change.Change;
import io.stoa.change.ChangeListener;
import io.stoa.ldap.LdapProtocolException;
import io.stoa.operation.Operation;
import io.stoa.operation.Stage;

/**
 * Sees to it that a write is known to have happened before its client is told so, also when the
 * client no longer wants to hear, and when nobody knows whether it happened. Event-loop confined.
 */
public final class WriteStage implements Stage {
  private final ChangeListener listener;
  private final Stage next;

  /** Makes the link before {@code next}. */
  public WriteStage(ChangeListener listener, Stage next) {
    this.listener = listener;
    this.next = next;
  }

  @Override
  public void handle(Operation operation) throws LdapProtocolException {
    if (operation.mayChange()) {
      operation.sink(new OutcomeSink(operation.sink(), listener, new Change(operation.type())));
    }
    next.handle(operation);
  }
}
