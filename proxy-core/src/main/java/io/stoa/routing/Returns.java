// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing;

import io.stoa.operation.Operation;
import io.stoa.routing.retry.Replay;
import io.stoa.upstream.pool.UnansweredHandler;
import io.stoa.upstream.server.Backend;

/**
 * Forwards operations that a server did not perform to {@link Replay}.
 *
 * <p>Threading: event loop.
 */
record Returns(Replay replay) implements UnansweredHandler {
  @Override
  public void unanswered(Operation operation, Backend by) {
    replay.unanswered(operation, by);
  }

  @Override
  public boolean refused(Operation operation, Backend by) {
    return replay.refusedAlone(operation, by);
  }

  @Override
  public boolean barred(Operation operation, Backend by) {
    return replay.barred(operation, by);
  }

  @Override
  public void elsewhere(Operation operation, Backend by) {
    replay.elsewhere(operation, by);
  }
}
