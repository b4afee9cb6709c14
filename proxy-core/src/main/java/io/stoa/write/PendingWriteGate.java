// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

import io.stoa.ldap.protocol.OpType;
import io.stoa.operation.Operation;
import io.stoa.operation.Stage;
import io.stoa.replication.WaitingChanges;
import io.stoa.replication.WaitingChanges.Concern;
import org.jspecify.annotations.Nullable;

/**
 * Holds reads that may show what their own session writes, while that write waits for a window. An
 * older answer would contradict the result of the write, which is about to follow.
 *
 * <p>These reads do not close the window. The stage stands before the caches.
 *
 * <p>Threading: event loop.
 */
public final class PendingWriteGate implements Stage {
  private final WaitingChanges changes;
  private final WaitingReads waiting;
  private final Stage next;

  /** Creates the stage before {@code next}. */
  public PendingWriteGate(WaitingChanges changes, WaitingReads waiting, Stage next) {
    this.changes = changes;
    this.waiting = waiting;
    this.next = next;
  }

  @Override
  public void handle(Operation operation) {
    Concern concern = concern(operation);
    if (concern == null) {
      next.handle(operation);
    } else if (concern.certain()) {
      hold(operation);
    } else {
      operation.setSink(new StaleCheckedRead(operation, concern.staleCandidates(), this::resume));
      next.handle(operation);
    }
  }

  private @Nullable Concern concern(Operation operation) {
    boolean reads =
        operation.type() == OpType.SEARCH_REQUEST || operation.type() == OpType.COMPARE_REQUEST;
    return reads && !changes.isEmpty() ? changes.concern(operation) : null;
  }

  /**
   * Handles a read whose answer may be stale: it waits, or is sent again if no write waits any
   * more.
   */
  private void resume(Operation operation) {
    if (concern(operation) == null) {
      next.handle(operation);
    } else {
      hold(operation);
    }
  }

  private void hold(Operation operation) {
    waiting.hold(operation, this::handle);
  }
}
