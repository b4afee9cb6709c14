// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing.retry;

import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.operation.BufferReservation;
import io.stoa.operation.ClientSession;
import io.stoa.operation.ResponseSink;
import java.util.ArrayList;
import java.util.List;

/**
 * The received part of an answer that is held until its end. The limits of the client and of the
 * event loop apply.
 *
 * <p>Threading: event loop.
 */
final class BufferedResponse {
  private final Replay replay;
  private final BufferReservation reservation;
  private final List<LdapMessage> messages = new ArrayList<>(1);

  BufferedResponse(Replay replay, ClientSession session) {
    this.replay = replay;
    this.reservation = new BufferReservation(session);
  }

  /**
   * Holds a part of the answer. Takes ownership if it succeeds.
   *
   * @return false, without effect, if the limits leave no room
   */
  boolean add(LdapMessage message) {
    int octets = message.length();
    boolean held = replay.fits(messages.size(), reservation.octets() + octets) && reserve(octets);
    if (held) {
      messages.add(message.detached());
    }
    return held;
  }

  private boolean reserve(int octets) {
    if (!replay.reserve(octets)) {
      return false;
    }
    boolean reserved = reservation.reserve(octets);
    if (!reserved) {
      replay.giveBack(octets);
    }
    return reserved;
  }

  boolean isEmpty() {
    return messages.isEmpty();
  }

  /** Passes on all that is held, and releases the reservation. */
  void passTo(ResponseSink sink) {
    if (messages.isEmpty()) {
      return;
    }
    List<LdapMessage> all = List.copyOf(messages);
    messages.clear();
    release();
    all.forEach(sink::respond);
  }

  void drop() {
    messages.forEach(LdapMessage::release);
    messages.clear();
    release();
  }

  private void release() {
    replay.giveBack(reservation.octets());
    reservation.release();
  }
}
