// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing.retry;

import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.Response;
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
  private final BufferedResponse buffered;

  HedgedRequest(Operation operation, ReplaySink first, BufferedResponse buffered) {
    super(operation);
    this.operation = operation;
    this.first = first;
    this.buffered = buffered;
  }

  @Override
  public void respond(Response response) {
    if (hasEnded() || !(response instanceof LdapMessage message && buffered.add(message))) {
      response.release();
      giveUp();
    }
  }

  /** Abandons the request after this call, since the caller still uses the operation. */
  private void giveUp() {
    operation.session().executor().execute(operation::abandon);
  }

  @Override
  public void complete(Response response) {
    if (response instanceof LargeMessage) {
      giveUp();
    } else if (end() && response instanceof LdapMessage message && !ReplaySink.isRefusal(message)) {
      first.onHedgeWon(buffered, message);
    } else {
      buffered.drop();
      response.release();
    }
  }

  @Override
  public void reject(Rejection reason) {
    end();
    buffered.drop();
  }

  @Override
  public void onAbandoned() {
    buffered.drop();
  }

  /** Refuses to send the request again: the first server may still answer. */
  @Override
  public boolean restart() {
    return false;
  }
}
