// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.stoa.ldap.protocol.Response;

/**
 * Receives the responses of one operation, in order: any number of {@code respond}, then exactly
 * one of {@code complete}, {@code reject} and {@code onAbandoned}. Calls after the end are ignored.
 *
 * <p>A stage that examines or holds responses wraps the operation's sink in one of its own.
 *
 * <p>Threading: event loop of the operation.
 */
public interface ResponseSink {
  /**
   * Receives an entry, reference or intermediate response. Takes ownership. The body of a {@link
   * LargeMessage} begins to arrive when this returns; without a reader it is discarded.
   */
  void respond(Response response);

  /**
   * Receives the final response. Takes ownership. With a {@link LargeMessage}, the operation ends
   * with the last octet.
   */
  void complete(Response response);

  /** Called when Stoa itself refuses the operation. */
  void reject(Rejection reason);

  /** Called when the client has abandoned the operation. No response for it follows. */
  void onAbandoned();

  /** True if others than its client wait for the answer, too. */
  default boolean hasOtherWaiters() {
    return false;
  }

  /**
   * Called when the client leaves an operation that others wait for. Another operation continues in
   * its place, with the same sink, which moves that operation to its end.
   *
   * @param successor the operation that continues
   * @return the sink that notifies the client of its end
   */
  default ResponseSink inherited(Operation successor) {
    throw new IllegalStateException("no other client waits for the answer");
  }

  /** Called when the next response is right for its client now, and must not be stored. */
  default void doNotStore() {
    // A sink that stores nothing ignores it.
  }

  /**
   * Discards what was received, so that the operation can be sent again.
   *
   * @return false if a part has reached the client, so that a retry is not possible
   */
  boolean restart();

  /** True if further responses pile up because the client is slow. */
  boolean isCongested();

  /**
   * True if the client's buffer has reached its limit. A higher limit applies where pausing would
   * keep other clients waiting.
   */
  boolean isFull();

  /**
   * Pauses reading from the server, since this sink is {@link #isFull}.
   *
   * @param hold resumed once, when this sink is no longer congested or its client has gone
   * @return false if reading must go on: for other clients, or since this one was disconnected
   */
  default boolean hold(Hold hold) {
    whenReady(hold.resume());
    return true;
  }

  /** Runs the action once, when this sink is no longer congested or its client has gone. */
  void whenReady(Runnable action);
}
