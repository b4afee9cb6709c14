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
record ReplayForwarder(Replay replay) implements UnansweredHandler {
  @Override
  public void onUnanswered(Operation operation, Backend server) {
    replay.onUnanswered(operation, server);
  }

  @Override
  public boolean onRefused(Operation operation, Backend server) {
    return replay.onRefusedBySingle(operation, server);
  }

  @Override
  public boolean onServerBusy(Operation operation, Backend server) {
    return replay.onBindDelayed(operation, server);
  }

  @Override
  public void sendElsewhere(Operation operation, Backend server) {
    replay.sendElsewhere(operation, server);
  }
}
