// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream;

import io.stoa.ldap.OpType;
import io.stoa.operation.Cancellation;
import io.stoa.operation.Operation;

/** One operation in flight on one upstream connection. Event-loop confined. */
final class Exchange implements Cancellation {
  private final UpstreamConnection connection;
  private final int messageId;
  private final Operation operation;
  private long lastHeard;

  Exchange(UpstreamConnection connection, int messageId, Operation operation, long now) {
    this.connection = connection;
    this.messageId = messageId;
    this.operation = operation;
    this.lastHeard = now;
  }

  int messageId() {
    return messageId;
  }

  Operation operation() {
    return operation;
  }

  void heard(long now) {
    lastHeard = now;
  }

  /** Whether the server has been silent on the operation for longer than it may. */
  boolean overdue(long now, long mostNanos) {
    return !operation.longLived() && now - lastHeard > mostNanos;
  }

  /**
   * An update that was sent is not abandoned upstream: its result is what tells the caches when it
   * has taken effect (a server need not abandon, RFC 4511 section 4.11). A bind cannot be.
   */
  @Override
  public void abandon() {
    if (!operation.mayChange() && operation.type() != OpType.BIND_REQUEST) {
      connection.abandon(this);
    }
  }

  @Override
  public boolean forward(Operation cancelRequest) {
    return connection.cancel(this, cancelRequest);
  }
}
