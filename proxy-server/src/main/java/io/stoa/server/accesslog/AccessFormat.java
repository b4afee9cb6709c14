// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.accesslog;

import io.stoa.operation.CompletedOperation;

/**
 * Writes events as lines of a log.
 *
 * <p>Threading: confined to the thread of one log.
 */
interface AccessFormat {
  /** Called before each batch of events. */
  void beginBatch();

  /** Appends the lines of a connection's event, each with its end. */
  void add(LineBuffer lines, ConnectionEvent event);

  /** Appends the lines of an operation, each with its end. */
  void add(LineBuffer lines, CompletedOperation operation);
}
