// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import java.util.ArrayDeque;
import java.util.function.BooleanSupplier;

/**
 * Received requests of one client that may not be processed yet, in order. Reading pauses
 * meanwhile, so the queue never holds more than one read.
 *
 * <p>Threading: event loop.
 */
final class RequestQueue {
  private final RequestDispatch dispatch;
  private final BooleanSupplier mayTake;
  private final ArrayDeque<LdapMessage> waiting = new ArrayDeque<>();
  private boolean taking;
  private long octets;

  /**
   * Creates an empty queue.
   *
   * @param mayTake true if the client's state allows one more request now
   */
  RequestQueue(RequestDispatch dispatch, BooleanSupplier mayTake) {
    this.dispatch = dispatch;
    this.mayTake = mayTake;
  }

  /** Adds a request, and takes ownership of it. */
  void add(LdapMessage request) {
    waiting.add(request);
    octets += request.length();
  }

  /**
   * Copies the last request out of a larger buffer, if it still waits. A small request must not
   * hold the memory of a large one with which it was received.
   */
  void detach(LdapMessage request) {
    if (waiting.peekLast() == request) {
      // May fail for lack of memory; then the request waits unchanged
      LdapMessage copy = request.detached();
      waiting.removeLast();
      waiting.addLast(copy);
    }
  }

  /** Returns the octets of the waiting requests. */
  long octets() {
    return octets;
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /**
   * Processes the waiting requests, as far as they may be processed now.
   *
   * @return false if called while a request is being processed; the outer call then continues
   */
  boolean take() throws LdapProtocolException {
    if (taking) {
      return false;
    }
    taking = true;
    try {
      while (!waiting.isEmpty() && mayTake.getAsBoolean() && dispatch.mayTake(waiting.element())) {
        LdapMessage request = waiting.poll();
        if (request != null) { // null if making room for it has ended the connection
          octets -= request.length();
          dispatch.take(request);
        }
      }
    } finally {
      taking = false;
    }
    return true;
  }

  /** Discards the waiting requests. */
  void clear() {
    waiting.forEach(LdapMessage::wipeAndRelease);
    waiting.clear();
    octets = 0;
  }
}
