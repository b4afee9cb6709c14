// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.operation.Cancellation;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;

/**
 * An operation that was sent. A read may be abandoned, and go on without its client, until it is
 * answered; of a write Stoa hears the answer, whoever wants it. Event-loop confined.
 */
final class SimExchange implements Cancellation {
  private Operation operation;
  private boolean abandoned;

  SimExchange(Operation operation) {
    this.operation = operation;
  }

  /** On behalf of whom it goes on. */
  Operation operation() {
    return operation;
  }

  /** Does something with what came, on the loop of the operation, if that is still wanted. */
  void onResponse(Runnable work) {
    operation
        .session()
        .executor()
        .execute(
            () -> {
              if (operation.mayChange() || (!abandoned && !operation.hasEnded())) {
                work.run();
              }
            });
  }

  void respond(LdapMessage message) {
    operation.sink().respond(message);
  }

  void complete(LdapMessage message) {
    operation.sink().complete(message);
  }

  void lose() {
    operation.sink().reject(Rejection.UPSTREAM_LOST);
  }

  @Override
  public void abandon() {
    abandoned = true;
  }

  @Override
  public boolean canOutliveClient() {
    return true;
  }

  @Override
  public void passOn(Operation heir) {
    operation = heir;
    heir.setCancellation(this);
  }

  @Override
  public boolean forward(Operation cancelRequest) {
    return false;
  }
}
