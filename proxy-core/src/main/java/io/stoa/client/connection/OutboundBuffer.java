// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import io.netty.channel.Channel;
import io.stoa.net.codec.MessageWriter;
import io.stoa.operation.Hold;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * How much of a client's answers Stoa holds, and what goes on when the client has taken them.
 * Event-loop confined.
 */
final class OutboundBuffer {
  /** Answers that are held until they are complete may take so many write buffers. */
  private static final int HELD_SHARE = 4;

  /** Write buffers that may wait if other clients would have to wait as well. */
  private static final int SHARED_SHARE = 16;

  private final Channel channel;
  private final MessageWriter writer;
  private final int writeBuffer;
  private final WaitingAnswers all;
  private final List<Runnable> waiting = new ArrayList<>();
  private final List<Runnable> inPieces = new ArrayList<>(1);
  private final ArrayDeque<BooleanSupplier> turns = new ArrayDeque<>(0);
  private long held;
  private long counted;
  private int holds;
  private long heldSince;
  private boolean closed;

  /**
   * Makes the room of a client.
   *
   * @param writeBuffer octets that may wait to be written before the client counts as slow
   * @param all what waits for all clients
   */
  OutboundBuffer(Channel channel, MessageWriter writer, int writeBuffer, WaitingAnswers all) {
    this.channel = channel;
    this.writer = writer;
    this.writeBuffer = writeBuffer;
    this.all = all;
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

  /** True if as much waits for the client as may, or for all clients. */
  boolean full() {
    return congested() && (count() > most() || all.exceeded());
  }

  /** True if as much waits for the client as may, even if others would have to wait for it. */
  boolean overfull() {
    return congested() && (count() > SHARED_SHARE * (long) writeBuffer || all.exceeded());
  }

  /**
   * Counts what waits for the client, and returns the octets; 0 if the client takes its answers.
   */
  long count() {
    long now = congested() ? channel.bytesBeforeWritable() + writer.waitingOctets() : 0;
    all.add(now - counted);
    counted = now;
    return now;
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
    count();
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

  // Servers that are held up

  /** Begins a hold, which ends, and is resumed, when the returned action runs. */
  Runnable holding(Hold hold) {
    if (holds++ == 0) {
      heldSince = System.nanoTime();
    }
    all.hold(hold.operations());
    return () -> {
      holds--;
      all.hold(-hold.operations());
      hold.resume().run();
    };
  }

  /** True if a client that has taken nothing for so many nanoseconds must not hold up a server. */
  boolean mayNotHold(Hold hold, long stalled, long now) {
    return stalled > all.mostStall(hold.operations(), now);
  }

  /** True if a server waits until the client takes its answers. */
  boolean holds() {
    return holds > 0;
  }

  /** The client is disconnected for what waits. */
  void givesUp() {
    if (congested()) {
      all.disconnected(System.nanoTime());
    }
  }

  /**
   * True if the client does not take its answers in time, and a server waits for that.
   *
   * @param stalled how long the client has taken nothing, in nanoseconds
   * @param longest how long one client alone may hold up a server, in nanoseconds
   */
  boolean overdue(long now, long stalled, long longest) {
    boolean burdens = holds > 0 || (count() > 0 && all.exceeded());
    return burdens
        && (stalled > Math.min(longest, all.mostStall(0, now))
            || (holds > 0 && now - heldSince > all.mostHold(longest)));
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
