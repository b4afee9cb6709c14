// SPDX-License-Identifier: Apache-2.0
package io.stoa.frontend;

import java.util.ArrayList;
import java.util.List;

/**
 * How much of a client's answers Stoa holds, and what goes on when the client has taken them.
 * Event-loop confined.
 */
final class AnswerRoom {
  /** Answers that are held until they are complete may take so many write buffers. */
  private static final int HELD_SHARE = 4;

  private final long most;
  private final List<Runnable> waiting = new ArrayList<>();
  private long held;

  /** Makes the room of a client, given the octets that may wait in its write buffer. */
  AnswerRoom(int writeBuffer) {
    this.most = HELD_SHARE * (long) writeBuffer;
  }

  boolean reserve(int octets) {
    boolean room = held + octets <= most;
    held += room ? octets : 0;
    return room;
  }

  void giveBack(int octets) {
    held -= octets;
  }

  /** Runs the action once the client has taken what waits for it, or has gone. */
  void later(Runnable action) {
    waiting.add(action);
  }

  /** The client has taken what waited for it, or has gone. */
  void runWaiting() {
    List<Runnable> actions = List.copyOf(waiting);
    waiting.clear();
    actions.forEach(Runnable::run);
  }
}
