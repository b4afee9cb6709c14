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
  private final boolean disconnect;
  private final Stage next;

  /**
   * Makes the link before {@code next}.
   *
   * @param disconnect whether a client is disconnected if nobody knows the outcome of its write
   */
  public WriteStage(ChangeListener listener, boolean disconnect, Stage next) {
    this.listener = listener;
    this.disconnect = disconnect;
    this.next = next;
  }

  @Override
  public void handle(Operation operation) throws LdapProtocolException {
    if (operation.mayChange()) {
      Change change = new Change(operation.type());
      operation.sink(new OutcomeSink(operation, listener, change, disconnect));
    }
    next.handle(operation);
  }
}
