// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.tracking;

import io.stoa.coherence.view.FreshnessGuarantee.Proof;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.operation.Cancellation;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;

/**
 * Delays a read until the applied changes are proved to include all that was acknowledged before it
 * arrived (read index, Ongaro, 2014). The wait ends after a time-out, too.
 *
 * <p>Threading: event loop.
 */
public final class LinearizableRead implements Cancellation {
  private final Operation operation;
  private final Continuation then;

  private LinearizableRead(Operation operation, Continuation then) {
    this.operation = operation;
    this.then = then;
  }

  /** The continuation of a read that has waited. */
  public interface Continuation {
    /**
     * Continues on the event loop of the read, unless the read has ended.
     *
     * @throws LdapProtocolException if the request is malformed
     */
    void proceed(Operation operation) throws LdapProtocolException;
  }

  /** Starts to wait. */
  public static void await(Proof proof, Operation operation, Continuation then) {
    LinearizableRead read = new LinearizableRead(operation, then);
    operation.moveTo(OperationState.WAITING);
    operation.cancellation(read);
    proof.await(
        operation.receivedNanos(),
        known -> operation.session().executor().execute(read::onProofEnded));
  }

  private void onProofEnded() {
    if (operation.hasEnded()) {
      return;
    }
    if (operation.sink().isCongested()) {
      operation.sink().whenReady(this::onProofEnded);
      return;
    }
    operation.cancellation(null);
    try {
      then.proceed(operation);
    } catch (LdapProtocolException e) {
      throw new IllegalStateException("a request that was decoded before is malformed", e);
    }
  }

  @Override
  public void abandon() {
    // The continuation checks whether the operation has ended.
  }

  @Override
  public boolean forward(Operation cancelRequest) {
    return false;
  }
}
