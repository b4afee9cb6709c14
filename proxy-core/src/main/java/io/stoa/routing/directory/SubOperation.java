// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing.directory;

import io.stoa.ldap.protocol.Response;
import io.stoa.operation.Cancellation;
import io.stoa.operation.ClientSession;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.operation.Rejection;
import io.stoa.operation.Stage;

/**
 * The copy of an operation in a directory where its client has not bound. The copy lives as long as
 * the original.
 *
 * <p>Threading: event loop.
 */
final class SubOperation extends ForwardingSink implements Cancellation {
  private final Operation derived;

  private SubOperation(Operation derived, Operation original) {
    super(original.sink());
    this.derived = derived;
  }

  /** Sends a copy of the operation to a directory. */
  static void send(Operation original, ClientSession foreignSession, Stage directory) {
    original.moveTo(OperationState.WAITING);
    Operation derived =
        original.derived(
            foreignSession,
            original.message().retained(),
            subOperation -> new SubOperation(subOperation, original));
    derived.request(); // decoded here: the kind of request decides how its end is handled
    original.setCancellation((SubOperation) derived.sink());
    directory.handle(derived);
  }

  private void end() {
    if (!derived.hasEnded()) {
      derived.moveTo(OperationState.COMPLETED);
    }
  }

  @Override
  public void complete(Response response) {
    end();
    next.complete(response);
  }

  @Override
  public void reject(Rejection reason) {
    end();
    next.reject(reason);
  }

  /** Does nothing: the caller knows. */
  @Override
  public void onAbandoned() {
    // The original operation notifies its own sink.
  }

  // Cancellation by the original operation

  @Override
  public void abandon() {
    derived.abandon();
  }

  @Override
  public boolean canOutliveClient() {
    Cancellation cancellation = derived.cancellation();
    return cancellation != null && cancellation.canOutliveClient();
  }

  @Override
  public void passOn(Operation successor) {
    successor.setCancellation(this);
  }

  /**
   * Rejects a Cancel of a write that was sent: the Cancel would go to the client's home directory.
   * Reads are cancelled by Stoa.
   */
  @Override
  public boolean forward(Operation cancelRequest) {
    boolean sent = derived.mayChange() && derived.sendings() > 0;
    if (sent) {
      cancelRequest.sink().reject(Rejection.CANNOT_CANCEL);
    }
    return sent;
  }
}
