// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.tracking;

import io.stoa.coherence.view.FreshnessGuarantee.Proof;
import io.stoa.operation.Cancellation;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import java.util.function.Consumer;

/**
 * Delays a read until the applied changes are proved to include all that was acknowledged before it
 * arrived (read index, Ongaro, 2014). The wait ends after a time-out, too.
 *
 * <p>Threading: event loop.
 */
public final class LinearizableRead implements Cancellation {
  private final Operation operation;
  private final Consumer<Operation> action;

  private LinearizableRead(Operation operation, Consumer<Operation> action) {
    this.operation = operation;
    this.action = action;
  }

  /**
   * Starts to wait.
   *
   * @param action called on the event loop of the read, unless the read has ended
   */
  public static void await(Proof proof, Operation operation, Consumer<Operation> action) {
    LinearizableRead read = new LinearizableRead(operation, action);
    operation.moveTo(OperationState.WAITING);
    operation.setCancellation(read);
    proof.await(
        operation.receivedNanos(),
        proved -> operation.session().executor().execute(read::onProofEnded));
  }

  private void onProofEnded() {
    if (operation.hasEnded()) {
      return;
    }
    if (operation.sink().isCongested()) {
      operation.sink().whenReady(this::onProofEnded);
      return;
    }
    operation.setCancellation(null);
    action.accept(operation);
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
