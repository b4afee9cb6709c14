// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.rootdse;

import io.stoa.operation.Operation;
import io.stoa.operation.Stage;
import io.stoa.operation.TargetName;

/**
 * Edits the root DSE for the client that reads it. This stage precedes the cache, which stores the
 * directory's own root DSE: clients of one identity may be offered different features.
 *
 * <p>Threading: event loop.
 */
public final class RootDseStage implements Stage {
  private final RootDseFilter rootDseFilter;
  private final Stage next;

  /** Creates the stage before {@code next}. */
  public RootDseStage(RootDseFilter rootDseFilter, Stage next) {
    this.rootDseFilter = rootDseFilter;
    this.next = next;
  }

  @Override
  public void handle(Operation operation) {
    if (TargetName.isRootDse(operation.message())) {
      operation.setSink(new RootDseSink(operation, rootDseFilter));
    }
    next.handle(operation);
  }
}
