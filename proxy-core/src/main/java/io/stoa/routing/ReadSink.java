// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing;

import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.Response;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.Operation;
import io.stoa.replication.SessionGuarantees;

/**
 * Records an answered read before its client receives any part of the answer. Later reads of the
 * session must not show an older state, on any connection, even if the rest of the answer fails.
 *
 * <p>Threading: event loop.
 */
final class ReadSink extends ForwardingSink {
  private final Operation operation;
  private final Request request;
  private final SessionGuarantees guarantees;
  private long recorded;

  /** Wraps the sink of the operation. */
  ReadSink(Operation operation, Request request, SessionGuarantees guarantees) {
    super(operation.sink());
    this.operation = operation;
    this.request = request;
    this.guarantees = guarantees;
  }

  private void recordAnswer() {
    recorded = guarantees.onAnswer(operation, request, recorded);
  }

  @Override
  public void respond(Response response) {
    recordAnswer();
    next.respond(response);
  }

  @Override
  public void complete(Response response) {
    recordAnswer();
    next.complete(response);
  }
}
