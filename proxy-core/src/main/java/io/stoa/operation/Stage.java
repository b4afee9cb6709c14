// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

/**
 * One link of the chain that an operation travels. A stage answers the operation through its sink,
 * or hands it to the next stage, once.
 *
 * <p>Threading: event loop, unless a stage says otherwise. Each event loop has its own chain.
 */
@FunctionalInterface
public interface Stage {
  /**
   * Takes over the operation. Returns at once; the answer may come later.
   *
   * @throws MalformedRequestException if the request is malformed: it was not answered or
   *     forwarded, and the caller ends the connection
   */
  void handle(Operation operation);
}
