// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.stoa.ldap.protocol.LdapMessage;

/**
 * Takes the answer to an operation of Stoa's own, as fast as it comes, and ends the operation once.
 * What comes before the end is left alone, unless a subclass wants it. Event-loop confined.
 */
public abstract class InternalSink implements ResponseSink {
  private final Operation operation;

  /** Makes the sink of an operation. */
  protected InternalSink(Operation operation) {
    this.operation = operation;
  }

  /** Whether the operation has ended: nothing is to be made of what comes now. */
  protected final boolean ended() {
    return operation.ended();
  }

  /** Ends the operation; false if it has ended already. */
  protected final boolean end() {
    boolean first = !operation.ended();
    if (first) {
      operation.moveTo(OperationState.COMPLETED);
    }
    return first;
  }

  @Override
  public void respond(LdapMessage response) {
    response.release();
  }

  @Override
  public void respond(byte[] op) {
    // Nothing is expected before the end.
  }

  @Override
  public void respond(LargeMessage response) {
    // Whoever does not want it just leaves it alone.
  }

  @Override
  public boolean restart() {
    return !operation.ended();
  }

  @Override
  public boolean congested() {
    return false;
  }

  @Override
  public boolean full() {
    return false;
  }

  @Override
  public void whenReady(Runnable action) {
    action.run();
  }
}
