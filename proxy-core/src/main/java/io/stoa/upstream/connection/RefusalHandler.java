// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connection;

import io.stoa.operation.Operation;

/**
 * A connection owner that retries operations which the server refused.
 *
 * <p>Threading: event loop.
 */
public interface RefusalHandler extends UpstreamConnection.Owner {
  /**
   * Called when the server has refused an operation as busy or unavailable. The operation is no
   * longer in flight.
   *
   * @return true if the owner takes it back for a retry; else its sink receives the response
   */
  boolean onRefused(Operation operation);
}
