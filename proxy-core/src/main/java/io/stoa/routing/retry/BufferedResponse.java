// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing.retry;

import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.operation.BufferReservation;
import io.stoa.operation.ClientSession;
import io.stoa.operation.ResponseSink;
import java.util.ArrayList;
import java.util.List;

/**
 * What has come of an answer that is held until its end, within what its client and the loop may
 * have held. Event-loop confined.
 */
final class BufferedResponse {
  private final Replay replay;
  private final BufferReservation room;
  private final List<LdapMessage> messages = new ArrayList<>(1);

  BufferedResponse(Replay replay, ClientSession session) {
    this.replay = replay;
    this.room = new BufferReservation(session);
  }

  /**
   * Holds a part of the answer, and takes it over; false, and nothing is done, if there is no room.
   */
  boolean add(LdapMessage message) {
    int octets = message.length();
    boolean held = replay.fits(messages.size(), room.octets() + octets) && reserve(octets);
    if (held) {
      messages.add(message.detached());
    }
    return held;
  }

  private boolean reserve(int octets) {
    if (!replay.reserve(octets)) {
      return false;
    }
    boolean reserved = room.reserve(octets);
    if (!reserved) {
      replay.giveBack(octets);
    }
    return reserved;
  }

  boolean isEmpty() {
    return messages.isEmpty();
  }

  /** Hands on what is held, and holds nothing any more. */
  void passTo(ResponseSink sink) {
    if (messages.isEmpty()) {
      return;
    }
    List<LdapMessage> all = List.copyOf(messages);
    messages.clear();
    letGo();
    all.forEach(sink::respond);
  }

  void drop() {
    messages.forEach(LdapMessage::release);
    messages.clear();
    letGo();
  }

  private void letGo() {
    replay.giveBack(room.octets());
    room.letGo();
  }
}
