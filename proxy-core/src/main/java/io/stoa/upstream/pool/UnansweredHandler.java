// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.pool;

import io.stoa.operation.Operation;
import io.stoa.upstream.server.Backend;

/**
 * Handles operations that a server did not complete.
 *
 * <p>Threading: event loop.
 */
public interface UnansweredHandler {
  /** Called when a server will not answer an operation. */
  void onUnanswered(Operation operation, Backend by);

  /**
   * Called when a server has refused an operation as busy or unavailable.
   *
   * @return true if the operation is retried; else its sink receives the response
   */
  boolean onRefused(Operation operation, Backend by);

  /**
   * Called when a server is too busy to bind the connection that an operation waits for.
   *
   * @return true if the operation stops waiting and goes to {@link #sendElsewhere}
   */
  boolean onServerBusy(Operation operation, Backend by);

  /** Called when a barred operation has left the queue, to send it to another server. */
  void sendElsewhere(Operation operation, Backend by);
}
