// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.pool;

import io.stoa.operation.Operation;
import io.stoa.upstream.server.Backend;

/** Takes what a server has not done. Event-loop confined. */
public interface UnansweredHandler {
  /** A server has not answered an operation, and will not. */
  void unanswered(Operation operation, Backend by);

  /**
   * A server has refused an operation as busy or unavailable.
   *
   * @return whether it is sent again; else its sink is to get the answer
   */
  boolean refused(Operation operation, Backend by);

  /**
   * A server is too busy to bind the connection that an operation waits for.
   *
   * @return whether it is to wait no more, but go {@link #elsewhere}
   */
  boolean barred(Operation operation, Backend by);

  /** An operation that was barred waits no more. */
  void elsewhere(Operation operation, Backend by);
}
