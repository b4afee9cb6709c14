// SPDX-License-Identifier: Apache-2.0
package io.stoa.frontend;

import io.netty.channel.Channel;
import io.stoa.codec.MessageWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * How much of a client's answers Stoa holds, and what goes on when the client has taken them.
 * Event-loop confined.
 */
final class AnswerRoom {
  /** Answers that are held until they are complete may take so many write buffers. */
  private static final int HELD_SHARE = 4;

  private final Channel channel;
  private final MessageWriter writer;
  private final int writeBuffer;
  private final List<Runnable> waiting = new ArrayList<>();
  private final List<Runnable> inPieces = new ArrayList<>(1);
  private final ArrayDeque<BooleanSupplier> turns = new ArrayDeque<>(0);
  private long held;
  private boolean closed;

  /** Makes the room of a client, given the octets that may wait for it to be written. */
  AnswerRoom(Channel channel, MessageWriter writer, int writeBuffer) {
    this.channel = channel;
    this.writer = writer;
    this.writeBuffer = writeBuffer;
  }

  boolean reserve(int octets) {
    boolean room = held + octets <= most();
    held += room ? octets : 0;
    return room;
  }

  void giveBack(int octets) {
    held -= octets;
  }

  private long most() {
    return HELD_SHARE * (long) writeBuffer;
  }

  /** Whether answers pile up, since the client does not take them or gets a large one first. */
  boolean congested() {
    return !closed && (!channel.isWritable() || writer.waitingOctets() > writeBuffer);
  }

  /** Whether as much waits for the client as may. */
  boolean full() {
    return congested() && channel.bytesBeforeWritable() + writer.waitingOctets() > most();
  }

  /** Runs the action once the client has taken what waits for it, or has gone. */
  void whenReady(Runnable action) {
    if (congested()) {
      waiting.add(action);
    } else {
      action.run();
    }
  }

  /** The client has taken what was written. */
  void drained() {
    run(inPieces);
    runWaiting();
  }

  private void runWaiting() {
    if (!congested()) {
      run(waiting);
    }
  }

  private static void run(List<Runnable> actions) {
    if (!actions.isEmpty()) {
      List<Runnable> now = List.copyOf(actions);
      actions.clear();
      now.forEach(Runnable::run);
    }
  }

  /** The client has gone: whatever waited for it goes on, and what was not sent is discarded. */
  void close() {
    closed = true;
    drained();
    nextTurn();
    writer.flush();
    writer.discard();
  }

  // Messages that are written in pieces, one at a time

  /** Runs the action once the client has taken what was written of a message, or has gone. */
  void whenMoreMayFollow(Runnable action) {
    inPieces.add(action);
  }

  /** Begins a message when those before it are complete, unless it is not wanted by then. */
  void awaitTurn(BooleanSupplier begin) {
    turns.add(begin);
  }

  /** A message is complete: another may begin, and all the rest follow. */
  void messageEnded() {
    nextTurn();
    runWaiting();
  }

  private void nextTurn() {
    boolean begun = false;
    while (!begun && !turns.isEmpty()) {
      begun = turns.remove().getAsBoolean();
    }
  }
}
