// SPDX-License-Identifier: Apache-2.0
package io.stoa.route;

import io.stoa.coherence.Consistency;
import io.stoa.ldap.LdapMessage;
import io.stoa.ldap.Request;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.LargeMessage;
import io.stoa.operation.Operation;

/**
 * Notes that a read has been answered, before its client is: what it may have shown, later reads of
 * the same session show too. Event-loop confined.
 */
final class ReadSink extends ForwardingSink {
  private final Operation operation;
  private final Request request;
  private final Consistency consistency;

  /** Wraps the operation's sink. */
  ReadSink(Operation operation, Request request, Consistency consistency) {
    super(operation.sink());
    this.operation = operation;
    this.request = request;
    this.consistency = consistency;
  }

  @Override
  public void complete(LdapMessage response) {
    consistency.seen(operation, request);
    next.complete(response);
  }

  @Override
  public void complete(byte[] op) {
    consistency.seen(operation, request);
    next.complete(op);
  }

  @Override
  public void complete(LargeMessage response) {
    consistency.seen(operation, request);
    next.complete(response);
  }
}
