// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

/**
 * How far a session is tied to a dedicated connection, weakest first. A session moves only to
 * stronger restrictions, until it binds again.
 */
public enum Restriction {
  /** Any connection of its identity serves the session. */
  NONE,
  /** A dedicated connection serves the operations that need one, such as paged searches. */
  DEDICATED_CONNECTION,
  /** A dedicated connection serves all operations, since no other can act as the client. */
  ONLY_CONNECTION,
  /**
   * A dedicated connection serves all operations, bypassing the caches, since its state is unknown.
   */
  EXCLUSIVE
}
