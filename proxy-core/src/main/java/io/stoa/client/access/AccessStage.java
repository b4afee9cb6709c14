// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.access;

import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.operation.Stage;

/**
 * Refuses operations that an access rule denies. The stage precedes every stage that may answer a
 * client's operation from memory or forward it.
 *
 * <p>Threading: event loop.
 */
public final class AccessStage implements Stage {
  private final AccessControl access;
  private final Stage next;

  /** Creates the stage before {@code next}. */
  public AccessStage(AccessControl access, Stage next) {
    this.access = access;
    this.next = next;
  }

  @Override
  public void handle(Operation operation) {
    Rejection refusal = access.refusal(operation);
    if (refusal == null) {
      next.handle(operation);
    } else {
      operation.sink().reject(refusal);
    }
  }
}
