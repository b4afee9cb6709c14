// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connection;

import io.netty.util.collection.IntObjectHashMap;
import io.stoa.operation.Operation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The unanswered operations of one upstream connection, by messageID.
 *
 * <p>A shared connection chooses messageIDs of its own. A dedicated connection keeps those of its
 * client, so that messageIDs inside of request values stay right. Another one is chosen only if a
 * response to an abandoned request may still arrive under the client's.
 *
 * <p>Threading: event loop.
 */
final class PendingOperations {
  /**
   * First messageID that Stoa chooses. All later ones take four octets, and clients rarely get
   * here.
   */
  private static final int FIRST_ID = 0x01000000;

  /** MessageID of Stoa's own requests; never given to an operation. */
  static final int OWN_ID = Integer.MAX_VALUE;

  /**
   * Maximum number of abandoned messageIDs remembered: 1000. Beyond it no client messageID is kept.
   */
  private static final int MAX_ABANDONED_IDS = 1000;

  private final IntObjectHashMap<PendingOperation> byMessageId = new IntObjectHashMap<>();
  private final PendingOperation.Abandoned abandoned = new PendingOperation.Abandoned();
  private final Set<PendingOperation> slow = new HashSet<>();
  private boolean dedicated;

  /** MessageIDs of abandoned requests, under which a response may still arrive. */
  private final Set<Integer> abandonedIds = new HashSet<>(1);

  private int nextId = FIRST_ID;
  private long sent;
  private long completed;
  private long newestAnswered;

  /** Keeps the messageIDs of the one client from now on. */
  void makeDedicated() {
    dedicated = true;
  }

  boolean isDedicated() {
    return dedicated;
  }

  /** Registers an operation that is about to be sent. */
  PendingOperation add(UpstreamConnection connection, Operation operation) {
    int id = mayKeepId(operation) ? operation.messageId() : freshId();
    PendingOperation pending = new PendingOperation(connection, this, id, operation, ++sent);
    byMessageId.put(id, pending);
    return pending;
  }

  /** True if a response under the client's messageID can only belong to this operation. */
  private boolean mayKeepId(Operation operation) {
    int id = operation.messageId();
    return dedicated
        && abandonedIds.size() < MAX_ABANDONED_IDS
        && !abandonedIds.contains(id)
        && !operation.isDerived()
        && id != OWN_ID
        && !byMessageId.containsKey(id);
  }

  /** Returns an unused messageID. */
  int freshId() {
    int id = nextId;
    nextId = id == OWN_ID - 1 ? FIRST_ID : id + 1;
    return byMessageId.containsKey(id) ? freshId() : id;
  }

  @Nullable PendingOperation get(int messageId) {
    return byMessageId.get(messageId);
  }

  boolean contains(PendingOperation pending) {
    return byMessageId.get(pending.messageId()) == pending;
  }

  void remove(PendingOperation pending) {
    byMessageId.remove(pending.messageId());
    slow.remove(pending);
  }

  /** Marks the client of an operation as slow. Returns false if it was marked already. */
  boolean markSlow(PendingOperation pending, long now) {
    pending.markSlow(now);
    return contains(pending) && slow.add(pending);
  }

  /** True if clients that take their responses wait on the connection, beside a slow one. */
  boolean holdsOthers() {
    return !dedicated && slow.size() < byMessageId.size();
  }

  /** True if an operation has a slow client: other clients better use another connection. */
  boolean hasSlowClient() {
    return !slow.isEmpty();
  }

  /** Unmarks clients that are no longer slow. Returns true if there were any. */
  private boolean expireSlow(long now) {
    return !slow.isEmpty() && slow.removeIf(exchange -> !exchange.isSlow(now));
  }

  /** Remembers an operation that is given up: it may still occupy the server. */
  void onAbandoned(PendingOperation pending) {
    abandoned.add(pending, System.nanoTime());
    if (dedicated && abandonedIds.size() < MAX_ABANDONED_IDS) {
      abandonedIds.add(pending.messageId());
    }
  }

  /** Called when an operation is answered. Earlier abandoned ones no longer occupy the server. */
  void onAnswered(PendingOperation pending) {
    completed++;
    newestAnswered = Math.max(newestAnswered, pending.number());
    abandoned.onAnswered(pending);
  }

  /** True if nothing that was sent since this operation has been answered. */
  boolean hasNoLaterAnswer(PendingOperation pending) {
    return !dedicated && newestAnswered < pending.number();
  }

  /** Frees places by time. Returns true if there is more room. */
  boolean expire(long now) {
    boolean freed = abandoned.expire(now);
    return expireSlow(now) || freed;
  }

  int size() {
    return byMessageId.size();
  }

  /** Returns the number of operations sent since the connection was made. */
  long sent() {
    return sent;
  }

  /** Returns the number of operations answered. */
  long completed() {
    return completed;
  }

  boolean isEmpty() {
    return byMessageId.isEmpty();
  }

  /** Returns the number of places occupied at the server, abandoned operations included. */
  int occupiedPlaces() {
    return byMessageId.size() + abandoned.size();
  }

  /** Called when the connection has ended. Returns the unanswered operations. */
  List<PendingOperation> close() {
    abandoned.end();
    return all();
  }

  /** Returns a copy of all operations in flight. */
  List<PendingOperation> all() {
    return new ArrayList<>(byMessageId.values());
  }
}
