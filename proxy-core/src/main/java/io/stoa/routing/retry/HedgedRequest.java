// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing.retry;

import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.operation.InternalSink;
import io.stoa.operation.LargeMessage;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;

/**
 * Takes the answer to a read that was asked of a second server, too. If it is whole before the
 * first server's, it is the client's; else it is nobody's. Event-loop confined.
 */
final class HedgedRequest extends InternalSink {
  private final Operation operation;
  private final ReplaySink first;
  private final BufferedResponse held;

  HedgedRequest(Operation operation, ReplaySink first, BufferedResponse held) {
    super(operation);
    this.operation = operation;
    this.first = first;
    this.held = held;
  }

  @Override
  public void respond(LdapMessage response) {
    if (ended() || !held.add(response)) {
      response.release();
      giveUp();
    }
  }

  /** Its sender goes on with the operation when this returns. */
  private void giveUp() {
    operation.session().executor().execute(operation::abandon);
  }

  @Override
  public void respond(LargeMessage response) {
    giveUp();
  }

  @Override
  public void complete(LargeMessage response) {
    giveUp();
  }

  @Override
  public void complete(LdapMessage response) {
    if (end() && !ReplaySink.isRefusal(response)) {
      first.overtaken(held, response);
    } else {
      held.drop();
      response.release();
    }
  }

  @Override
  public void complete(byte[] op) {
    end();
    held.drop();
  }

  @Override
  public void reject(Rejection reason) {
    end();
    held.drop();
  }

  @Override
  public void abandoned() {
    held.drop();
  }

  /** There is the first server still. */
  @Override
  public boolean restart() {
    return false;
  }
}
