// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import java.util.ArrayDeque;
import java.util.function.BooleanSupplier;

/**
 * Requests of one client that were received and may not be taken yet, in order. No more can wait
 * than was received at once, since reading pauses meanwhile. Event-loop confined.
 */
final class RequestQueue {
  private final RequestDispatch dispatch;
  private final BooleanSupplier mayTake;
  private final ArrayDeque<LdapMessage> waiting = new ArrayDeque<>();
  private boolean taking;
  private long octets;

  /**
   * Makes an empty queue.
   *
   * @param mayTake whether the client's state allows one more request now
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
   * Copies a request that was added last out of a larger buffer, if it still waits: a small request
   * must not hold the memory of a large one with which it was received.
   */
  void detach(LdapMessage request) {
    if (waiting.peekLast() == request) {
      LdapMessage own = request.detached(); // may find no memory: then the request waits as it is
      waiting.removeLast();
      waiting.addLast(own);
    }
  }

  /** Returns the octets of the requests that wait. */
  long octets() {
    return octets;
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /**
   * Takes the requests that wait, as far as they may be taken now.
   *
   * @return false if this happens in the middle of taking one: those that wait are taken after it
   */
  boolean take() throws LdapProtocolException {
    if (taking) {
      return false;
    }
    taking = true;
    try {
      while (!waiting.isEmpty() && mayTake.getAsBoolean() && dispatch.mayTake(waiting.element())) {
        LdapMessage request = waiting.poll();
        if (request != null) { // to make room for it may have ended the connection
          octets -= request.length();
          dispatch.take(request);
        }
      }
    } finally {
      taking = false;
    }
    return true;
  }

  /** Forgets what waits. */
  void clear() {
    waiting.forEach(LdapMessage::wipeAndRelease);
    waiting.clear();
    octets = 0;
  }
}
