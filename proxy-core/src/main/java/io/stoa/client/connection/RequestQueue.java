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

  /** A request that still waits, now that it was added, holds on to no larger buffer. */
  void detach(LdapMessage request) {
    if (waiting.peekLast() == request) {
      waiting.removeLast();
      waiting.addLast(request.detached());
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
