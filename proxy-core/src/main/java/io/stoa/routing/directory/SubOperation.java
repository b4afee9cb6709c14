// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing.directory;

import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.operation.Cancellation;
import io.stoa.operation.ClientSession;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.LargeMessage;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.operation.Rejection;
import io.stoa.operation.Stage;

/**
 * An operation in a directory in which its client is a guest: the same request as another
 * operation, which lives as long as it. Event-loop confined.
 */
final class SubOperation extends ForwardingSink implements Cancellation {
  private final Operation there;

  private SubOperation(Operation there, Operation asked) {
    super(asked.sink());
    this.there = there;
  }

  /** Sends the operation to the directory. */
  static void send(Operation asked, ClientSession guest, Stage directory)
      throws LdapProtocolException {
    asked.moveTo(OperationState.WAITING);
    Operation there =
        asked.derived(guest, asked.message().shared(), errand -> new SubOperation(errand, asked));
    there.request(); // what it is decided how its end is dealt with
    asked.cancellation((SubOperation) there.sink());
    directory.handle(there);
  }

  private void end() {
    if (!there.ended()) {
      there.moveTo(OperationState.COMPLETED);
    }
  }

  @Override
  public void complete(LdapMessage response) {
    end();
    next.complete(response);
  }

  @Override
  public void complete(byte[] op) {
    end();
    next.complete(op);
  }

  @Override
  public void complete(LargeMessage response) {
    end();
    next.complete(response);
  }

  @Override
  public void reject(Rejection reason) {
    end();
    next.reject(reason);
  }

  /** Whoever has abandoned it knows. */
  @Override
  public void abandoned() {
    // The operation that was asked tells its own sink.
  }

  // How it is ended from where it was asked

  @Override
  public void abandon() {
    there.abandon();
  }

  @Override
  public boolean outlives() {
    Cancellation means = there.cancellation();
    return means != null && means.outlives();
  }

  @Override
  public void passOn(Operation heir) {
    heir.cancellation(this);
  }

  /**
   * A Cancel request is of the client itself, and would go to where it has bound. What only asks
   * Stoa cancels by itself.
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
