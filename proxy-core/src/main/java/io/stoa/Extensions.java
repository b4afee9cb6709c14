// SPDX-License-Identifier: Apache-2.0
package io.stoa;

import io.stoa.operation.OperationListener;
import io.stoa.operation.Stage;
import java.util.function.UnaryOperator;

/**
 * What the process around the proxy adds to it. Immutable.
 *
 * @param front makes the first link of each event loop's chain from the link that follows it
 * @param listener hears what happens to clients and their operations
 */
public record Extensions(UnaryOperator<Stage> front, OperationListener listener) {
  /** Nothing is added. */
  public static Extensions none() {
    return new Extensions(next -> next, OperationListener.NONE);
  }
}
