// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connection;

import io.stoa.operation.Operation;

/** An owner that sends again what the server has refused. Event-loop confined. */
public interface RefusalHandler extends UpstreamConnection.Owner {
  /**
   * The server has refused an operation as busy or unavailable, which is not under way any more.
   *
   * @return whether it is taken back, to be sent again; else its sink gets the answer
   */
  boolean refused(Operation operation);
}
