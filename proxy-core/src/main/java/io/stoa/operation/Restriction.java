// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

/**
 * How far a session is tied to an upstream connection of its own, weakest first. A session only
 * moves towards the stronger, until it binds again.
 */
public enum Restriction {
  /** Any connection of its identity will do. */
  NONE,
  /** It has a connection of its own for the operations that need one, such as paged searches. */
  OWN_CONNECTION,
  /** All its operations go over its own connection: no other could act as it. */
  ONLY_CONNECTION,
  /** All its operations go over its own connection and past the caches: its state is unknown. */
  EXCLUSIVE
}
