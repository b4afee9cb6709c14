// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.trace;

import io.stoa.operation.CompletedOperation;
import io.stoa.operation.TraceStep;
import java.util.List;

/**
 * A completed operation with its steps.
 *
 * <p>Threading: immutable.
 *
 * @param steps steps between receipt and result, in the order of recording
 */
record TracedOperation(CompletedOperation operation, List<TraceStep> steps) {
  TracedOperation {
    steps = List.copyOf(steps);
  }
}
