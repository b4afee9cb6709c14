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
  private final WaitingResponses all;
  private final List<Runnable> waiting = new ArrayList<>();
  private final List<Runnable> pieceWaiters = new ArrayList<>(1);
  private final ArrayDeque<BooleanSupplier> turns = new ArrayDeque<>(0);
  private long held;
  private long counted;
  private int holds;
  private long heldSince;
  private boolean closed;

  /**
   * Creates the buffer of a client.
   *
   * @param writeBuffer octets that may wait to be written before the client counts as slow
   * @param all the octets that wait for all clients
   */
  OutboundBuffer(Channel channel, MessageWriter writer, int writeBuffer, WaitingResponses all) {
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

  /**
   * True if responses pile up, because the client does not take them or a large one precedes them.
   */
  boolean congested() {
    return !closed && (!channel.isWritable() || writer.waitingOctets() > writeBuffer);
  }

  /** True if the maximum for this client or for all clients is reached. */
  boolean full() {
    return congested() && (count() > most() || all.isExceeded());
  }

  /**
   * True if the larger maximum is reached, at which the client is disconnected rather than others
   * delayed.
   */
  boolean isOverfull() {
    return congested() && (count() > SHARED_SHARE * (long) writeBuffer || all.isExceeded());
  }

  /**
   * Updates the count of octets that wait for the client, and returns it; 0 if the client takes its
   * responses.
   */
  long count() {
    long now = congested() ? channel.bytesBeforeWritable() + writer.waitingOctets() : 0;
    all.add(now - counted);
    counted = now;
    return now;
  }

  /** Runs the action once the client has taken the waiting responses, or has gone. */
  void whenReady(Runnable action) {
    if (congested()) {
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

  /**
   * True if a client that has taken nothing for {@code stalled} nanoseconds must not hold up a
   * server.
   */
  boolean mayNotHold(Hold hold, long stalled, long now) {
    return stalled > all.maxStallNanos(hold.operations(), now);
  }

  /** True if a server waits for the client. */
  boolean isHolding() {
    return holds > 0;
  }

  /** Called when the client is disconnected for waiting responses. */
  void onGivenUp() {
    if (congested()) {
      all.onDisconnected(System.nanoTime());
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
    boolean burdens = holds > 0 || (count() > 0 && all.isExceeded());
    return burdens
        && (stalled > Math.min(longest, all.maxStallNanos(0, now))
            || (holds > 0 && now - heldSince > all.maxHoldNanos(longest)));
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
    turns.add(begin);
  }

  /** Called when a message is complete. The next one begins, and waiting sources are resumed. */
  void onMessageEnd() {
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
