// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing.retry;

import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.operation.InternalSink;
import io.stoa.operation.LargeMessage;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;

/**
 * Receives the answer to the second request of a hedge. This answer goes to the client if it is
 * complete before that of the first server. Otherwise it is discarded.
 *
 * <p>Threading: event loop.
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

  /** Abandons the request after this call, since the caller still uses the operation. */
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
      first.onHedgeWon(held, response);
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

  /** Refuses to send the request again: the first server may still answer. */
  @Override
  public boolean restart() {
    return false;
  }
}
