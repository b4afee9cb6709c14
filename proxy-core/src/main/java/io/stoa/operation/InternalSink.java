// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.stoa.ldap.protocol.Response;

/**
 * Receives the answer to one of Stoa's own operations without back-pressure, and ends the operation
 * once. The answer is discarded unless a subclass needs it.
 *
 * <p>Threading: event loop.
 */
public class InternalSink implements ResponseSink {
  private final Operation operation;

  /** Creates the sink of an operation. */
  public InternalSink(Operation operation) {
    this.operation = operation;
  }

  /** True if the operation has ended, so that later responses are ignored. */
  protected final boolean hasEnded() {
    return operation.hasEnded();
  }

  /** Ends the operation; false if it has ended already. */
  protected final boolean end() {
    boolean first = !operation.hasEnded();
    if (first) {
      operation.moveTo(OperationState.COMPLETED);
    }
    return first;
  }

  @Override
  public void respond(Response response) {
    response.release();
  }

  @Override
  public void complete(Response response) {
    response.release();
    end();
  }

  @Override
  public void reject(Rejection reason) {
    end();
  }

  @Override
  public void onAbandoned() {
    // The operation has ended.
  }

  @Override
  public boolean restart() {
    return !operation.hasEnded();
  }

  @Override
  public boolean isCongested() {
    return false;
  }

  @Override
  public boolean isFull() {
    return false;
  }

  @Override
  public void whenReady(Runnable action) {
    action.run();
  }
}
