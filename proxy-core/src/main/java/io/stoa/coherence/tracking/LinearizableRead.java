// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.tracking;

import io.stoa.coherence.view.FreshnessGuarantee.Proof;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.operation.Cancellation;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;

/**
 * Has a read wait until it is known whether what is kept shows all that was acknowledged before it
 * came, or until it is too late to wait for that. Event-loop confined.
 */
public final class LinearizableRead implements Cancellation {
  private final Operation operation;
  private final Then then;

  private LinearizableRead(Operation operation, Then then) {
    this.operation = operation;
    this.then = then;
  }

  /** What is to be done with a read that has waited. */
  public interface Then {
    /**
     * Does it, on the loop of the read, unless that has ended.
     *
     * @throws LdapProtocolException if the request is malformed
     */
    void go(Operation operation) throws LdapProtocolException;
  }

  /** Begins to wait. */
  public static void await(Proof proof, Operation operation, Then then) {
    LinearizableRead read = new LinearizableRead(operation, then);
    operation.moveTo(OperationState.WAITING);
    operation.cancellation(read);
    proof.await(
        operation.receivedNanos(), known -> operation.session().executor().execute(read::known));
  }

  private void known() {
    if (operation.ended()) {
      return;
    }
    if (operation.sink().congested()) {
      operation.sink().whenReady(this::known);
      return;
    }
    operation.cancellation(null);
    try {
      then.go(operation);
    } catch (LdapProtocolException e) {
      throw new IllegalStateException("a request that was planned is malformed", e);
    }
  }

  @Override
  public void abandon() {
    // It finds out by itself.
  }

  @Override
  public boolean forward(Operation cancelRequest) {
    return false;
  }
}
