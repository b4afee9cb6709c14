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
  private final Operation there;

  private SubOperation(Operation there, Operation asked) {
    super(asked.sink());
    this.there = there;
  }

  /** Sends a copy of the operation to a directory. */
  static void send(Operation asked, ClientSession guest, Stage directory) {
    asked.moveTo(OperationState.WAITING);
    Operation there =
        asked.derived(
            guest,
            asked.message().retained(),
            subOperation -> new SubOperation(subOperation, asked));
    there.request(); // decoded here: the kind of request decides how its end is handled
    asked.cancellation((SubOperation) there.sink());
    directory.handle(there);
  }

  private void end() {
    if (!there.hasEnded()) {
      there.moveTo(OperationState.COMPLETED);
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
  public void abandoned() {
    // The original operation notifies its own sink.
  }

  // Cancellation by the original operation

  @Override
  public void abandon() {
    there.abandon();
  }

  @Override
  public boolean canOutliveClient() {
    Cancellation means = there.cancellation();
    return means != null && means.canOutliveClient();
  }

  @Override
  public void passOn(Operation heir) {
    heir.cancellation(this);
  }

  /**
   * Rejects a Cancel of a write that was sent: the Cancel would go to the client's home directory.
   * Reads are cancelled by Stoa.
   */
  @Override
  public boolean forward(Operation cancelRequest) {
    boolean sent = there.mayChange() && there.sendings() > 0;
    if (sent) {
      cancelRequest.sink().reject(Rejection.CANNOT_CANCEL);
    }
    return sent;
  }
}
