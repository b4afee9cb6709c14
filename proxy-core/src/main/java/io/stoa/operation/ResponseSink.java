// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.stoa.ldap.protocol.LdapMessage;

/**
 * Receives the responses of one operation, in order: any number of {@code respond}, then exactly
 * one of {@code complete}, {@code reject} and {@code abandoned}. A stage that needs to see or hold
 * responses wraps the operation's sink in one of its own. Called on the event loop of the operation
 * only; what comes after the end is ignored.
 */
public interface ResponseSink {
  /** An entry, reference or intermediate response from a server. Takes ownership. */
  void respond(LdapMessage response);

  /** The final response from a server. Takes ownership. */
  void complete(LdapMessage response);

  /** An entry or reference from memory: the protocolOp, without controls. Not copied. */
  void respond(byte[] op);

  /** The final response from memory: the protocolOp, without controls. Not copied. */
  void complete(byte[] op);

  /**
   * An entry, reference or intermediate response from a server that is too large to be collected:
   * its body begins to arrive when this returns. Whoever does not want it just leaves it alone.
   */
  void respond(LargeMessage response);

  /** The same with a final response: the operation ends with its last octet. */
  void complete(LargeMessage response);

  /** Stoa itself refuses the operation. */
  void reject(Rejection reason);

  /** The client does not want the operation any more; nothing will follow that it would get. */
  void abandoned();

  /** Whether others than its client wait for the answer, too. */
  default boolean wanted() {
    return false;
  }

  /**
   * The client leaves an operation that others want: another one goes on in its place, to the same
   * sink, and is to be moved to its end there.
   *
   * @return where the client is to be told of its end
   */
  default ResponseSink inherited(Operation heir) {
    throw new IllegalStateException("nobody else wants it");
  }

  /** What is handed in is right for its client now, and not to be kept for others. */
  default void notToBeKept() {
    // Whoever keeps nothing need not know.
  }

  /**
   * Forgets what was received so that the operation can be sent again.
   *
   * @return false if something has gone out already, so that it cannot
   */
  boolean restart();

  /** Whether what is handed in now piles up because the client does not take it. */
  boolean congested();

  /** True if as much waits for the client as may while no other client has to wait for that. */
  boolean full();

  /**
   * Has reading from the server pause, since this sink is {@link #full}.
   *
   * @param hold is resumed once, as soon as this sink is no longer congested or its client has gone
   * @return false if reading must go on: for other clients, or since this one was disconnected
   */
  default boolean hold(Hold hold) {
    whenReady(hold.resume());
    return true;
  }

  /** Runs the action once, as soon as this sink is no longer congested or its client has gone. */
  void whenReady(Runnable action);
}
