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
 * Bounds the responses that wait for one client, and resumes their sources when the client has
 * taken them (back-pressure).
 *
 * <p>Threading: event loop.
 */
final class OutboundBuffer {
  /**
   * Multiple of the write buffer that responses held until they are complete may take, and that may
   * wait for a client before sources pause: 4.
   */
  private static final int HELD_SHARE = 4;

  /** Multiple of the write buffer that may wait if a pause would delay other clients, too: 16. */
  private static final int SHARED_SHARE = 16;

  private final Channel channel;
  private final MessageWriter writer;
  private final int writeBuffer;
  private final WaitingResponses waitingResponses;
  private final List<Runnable> waiting = new ArrayList<>();
  private final List<Runnable> pieceWaiters = new ArrayList<>(1);
  private final ArrayDeque<BooleanSupplier> messageQueue = new ArrayDeque<>(0);
  private long reserved;
  private long counted;
  private int holdCount;
  private long heldSince;
  private boolean closed;

  /**
   * Creates the buffer of a client.
   *
   * @param writeBuffer octets that may wait to be written before the client counts as slow
   * @param waitingResponses the octets that wait for all clients
   */
  OutboundBuffer(
      Channel channel, MessageWriter writer, int writeBuffer, WaitingResponses waitingResponses) {
    this.channel = channel;
    this.writer = writer;
    this.writeBuffer = writeBuffer;
    this.waitingResponses = waitingResponses;
  }

  boolean reserve(int octets) {
    boolean room = reserved + octets <= maxReserved();
    reserved += room ? octets : 0;
    return room;
  }

  void giveBack(int octets) {
    reserved -= octets;
  }

  private long maxReserved() {
    return HELD_SHARE * (long) writeBuffer;
  }

  /**
   * True if responses pile up, because the client does not take them or a large one precedes them.
   */
  boolean isCongested() {
    return !closed && (!channel.isWritable() || writer.waitingOctets() > writeBuffer);
  }

  /** True if the maximum for this client or for all clients is reached. */
  boolean isFull() {
    return isCongested() && (count() > maxReserved() || waitingResponses.isExceeded());
  }

  /**
   * True if the larger maximum is reached, at which the client is disconnected rather than others
   * delayed.
   */
  boolean isOverfull() {
    return isCongested()
        && (count() > SHARED_SHARE * (long) writeBuffer || waitingResponses.isExceeded());
  }

  /**
   * Updates the count of octets that wait for the client, and returns it; 0 if the client takes its
   * responses.
   */
  long count() {
    long now = isCongested() ? channel.bytesBeforeWritable() + writer.waitingOctets() : 0;
    waitingResponses.add(now - counted);
    counted = now;
    return now;
  }

  /** Runs the action once the client has taken the waiting responses, or has gone. */
  void whenReady(Runnable action) {
    if (isCongested()) {
      waiting.add(action);
    } else {
      action.run();
    }
  }

  /** Called when the client has taken the octets written. */
  void onDrained() {
    count();
    run(pieceWaiters);
    runWaiting();
  }

  private void runWaiting() {
    if (!isCongested()) {
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

  /**
   * Called when the client has gone. Waiting sources are resumed, and unsent messages are
   * discarded.
   */
  void close() {
    closed = true;
    onDrained();
    nextTurn();
    writer.flush();
    writer.discard();
  }

  // Servers that wait

  /** Begins a hold of a server. The returned action ends it and resumes the server. */
  Runnable beginHold(Hold hold) {
    if (holdCount++ == 0) {
      heldSince = System.nanoTime();
    }
    waitingResponses.hold(hold.operations());
    return () -> {
      holdCount--;
      waitingResponses.hold(-hold.operations());
      hold.resume().run();
    };
  }

  /**
   * True if a client that has taken nothing for {@code stalled} nanoseconds must not hold up a
   * server.
   */
  boolean mayNotHold(Hold hold, long stalled, long now) {
    return stalled > waitingResponses.maxStallNanos(hold.operations(), now);
  }

  /** True if a server waits for the client. */
  boolean isHolding() {
    return holdCount > 0;
  }

  /** Called when the client is disconnected for waiting responses. */
  void onGivenUp() {
    if (isCongested()) {
      waitingResponses.onDisconnected(System.nanoTime());
    }
  }

  /**
   * True if the client takes its responses too slowly, while a server waits for it or the maximum
   * for all clients is exceeded.
   *
   * @param stalled nanoseconds for which the client has taken nothing
   * @param longest maximum nanoseconds for which a single client may hold up a server
   */
  boolean isOverdue(long now, long stalled, long longest) {
    boolean holdsUpOthers = holdCount > 0 || (count() > 0 && waitingResponses.isExceeded());
    return holdsUpOthers
        && (stalled > Math.min(longest, waitingResponses.maxStallNanos(0, now))
            || (holdCount > 0 && now - heldSince > waitingResponses.maxHoldNanos(longest)));
  }

  // Messages in pieces, one at a time

  /** Runs the action once the client has taken the written pieces of a message, or has gone. */
  void whenMoreMayFollow(Runnable action) {
    pieceWaiters.add(action);
  }

  /**
   * Queues a message behind those in pieces. The action returns false if the message is no longer
   * wanted.
   */
  void awaitTurn(BooleanSupplier begin) {
    messageQueue.add(begin);
  }

  /** Called when a message is complete. The next one begins, and waiting sources are resumed. */
  void onMessageEnd() {
    nextTurn();
    runWaiting();
  }

  private void nextTurn() {
    boolean started = false;
    while (!started && !messageQueue.isEmpty()) {
      started = messageQueue.remove().getAsBoolean();
    }
  }
}
