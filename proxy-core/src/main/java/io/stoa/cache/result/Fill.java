// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.Response;
import io.stoa.operation.InternalSink;
import io.stoa.operation.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A search on its way to the directory whose answer is to be stored, with the equal searches that
 * wait for it: single flight.
 *
 * <p><b>Problem.</b> A popular result expires, and a thousand clients miss at once. The directory
 * should be asked once.
 *
 * <p><b>Rule.</b> The first miss becomes the fill of its key. Equal searches join it, and look
 * again in the cache when it ends. None of them gets the answer of the fill itself: each passes all
 * checks of a hit.
 *
 * <p><b>Octets</b>: 48, and those of its lookup and key. Each waiter takes 24, and the first one 24
 * and an array of 56 more. The array grows by half when it is full.
 *
 * <p><b>Invariants.</b>
 *
 * <ol>
 *   <li>A search joins only a fill of the same epoch ({@link #isJoinableBy}). A fill that was sent
 *       before a write was acknowledged cannot answer a search that came after it.
 *   <li>At most one fill can be joined for each key. An older one goes on, and is joined no more.
 *   <li>If the client whose search was sent leaves, the fill goes on as long as others wait ({@link
 *       #onClientGone}).
 *   <li>Waiters are woken on their own event loops, whatever became of the fill. After an answer
 *       that may not be stored they go upstream themselves.
 * </ol>
 *
 * <p><b>Without it</b> a search misses the write before it (the mutant {@code NO_NEW_SEARCHES}), or
 * waits for ever ({@code NO_WAKING}).
 *
 * <p>Threading: thread-safe. Work crosses event loops by posting only.
 */
final class Fill {
  private final Lookup lookup;
  private final QueryKey key;
  private final byte[] sent;
  private final long flushes;
  private List<Waiter> waiters = List.of();
  private boolean ended;
  private boolean futile;
  private @Nullable Runnable onLastLeft;

  /**
   * Creates a fill.
   *
   * @param sent what the result keeps to send the request again: see {@link RequestTemplate#sent}
   * @param flushes number of selective flushes, read before the search is sent
   */
  Fill(Lookup lookup, byte[] sent, long flushes) {
    this.lookup = lookup;
    this.key = lookup.key();
    this.sent = sent;
    this.flushes = flushes;
  }

  /** An operation that waits, and the callback that wakes it on its own event loop. */
  private record Waiter(Operation operation, Consumer<Operation> wake) {}

  Lookup lookup() {
    return lookup;
  }

  /** Returns the key with which the result is stored. */
  QueryKey key() {
    return key;
  }

  /** Returns the number of selective flushes before the search was sent. */
  long flushes() {
    return flushes;
  }

  /** Returns what the result keeps to send the request again. */
  byte[] sent() {
    return sent;
  }

  /**
   * True if an equal request may join this fill. The fill must belong to the same epoch and flush
   * count, have the same size limit, and cover the attribute list.
   *
   * @param flushesNow number of selective flushes
   */
  boolean isJoinableBy(Lookup other, long flushesNow) {
    return lookup.epoch() == other.epoch()
        && flushes == flushesNow
        && lookup.sizeLimit() == other.sizeLimit()
        && (!lookup.isSearch() || lookup.selection().covers(other.selection()));
  }

  /** Lets an operation wait for the fill; returns false if the fill has ended. */
  synchronized boolean join(Operation operation, Consumer<Operation> wake) {
    if (ended) {
      return false;
    }
    if (waiters.isEmpty()) {
      waiters = new ArrayList<>(); // most fills have none
    }
    waiters.add(new Waiter(operation, wake));
    return true;
  }

  /** Removes an operation that no longer waits. */
  void leave(Operation operation) {
    Runnable last;
    synchronized (this) {
      if (!waiters.isEmpty()) {
        waiters.removeIf(waiter -> waiter.operation() == operation);
      }
      last = waiters.isEmpty() ? onLastLeft : null;
    }
    if (last != null) {
      last.run();
    }
  }

  /** True if any operation waits. */
  synchronized boolean hasWaiters() {
    return !waiters.isEmpty();
  }

  /**
   * Called when the client of the search has left. The search continues while other operations
   * wait.
   *
   * @param action run on any thread when the last waiting operation has left, possibly at once
   */
  void onClientGone(Runnable action) {
    boolean hasNoWaiters;
    synchronized (this) {
      onLastLeft = action;
      hasNoWaiters = waiters.isEmpty();
    }
    if (hasNoWaiters) {
      action.run();
    }
  }

  /**
   * Called when there was an answer that may not be stored. Waiting for another fill is of no use.
   */
  synchronized void markFutile() {
    futile = true;
  }

  synchronized boolean wasFutile() {
    return futile;
  }

  /** Ends the fill and wakes all waiting operations on their event loops. */
  private void end() {
    List<Waiter> woken;
    synchronized (this) {
      ended = true;
      woken = waiters;
      waiters = List.of();
    }
    for (int index = 0; index < woken.size(); index++) {
      Waiter waiter = woken.get(index);
      waiter.operation().session().executor().execute(() -> wake(waiter));
    }
  }

  private static void wake(Waiter waiter) {
    if (!waiter.operation().hasEnded()) {
      waiter.wake().accept(waiter.operation());
    }
  }

  /**
   * Fills in flight that can be joined.
   *
   * <p>Octets for each fill besides its own: 32, and 5 to 11 for its place in the hash table.
   *
   * <p>Invariants:
   *
   * <ol>
   *   <li>Each key has at most one fill. A later one replaces it, and the earlier one goes on.
   *   <li>A fill is removed before its waiters are woken, so that none of them finds it again.
   * </ol>
   *
   * <p>Threading: thread-safe.
   */
  static final class FillTable {
    private final ConcurrentMap<QueryKey, Fill> byKey = new ConcurrentHashMap<>();

    /** Returns the fill of a key, or null. */
    @Nullable Fill find(QueryKey key) {
      return byKey.get(key);
    }

    /** Adds a fill. An older fill of its key continues but can no longer be joined. */
    void begin(Fill fill) {
      byKey.put(fill.key(), fill);
    }

    /** Called when a fill has ended. */
    void end(Fill fill) {
      byKey.remove(fill.key(), fill);
      fill.end();
    }

    /** Returns the number of fills that can be joined. */
    int size() {
      return byKey.size();
    }
  }

  /**
   * Replaces the sink of a client that has gone. A storable answer is stored before it arrives
   * here. An answer that streams has no receiver, so the operation is abandoned.
   *
   * <p>Threading: event-loop confined.
   */
  static final class DetachedSink extends InternalSink {
    private final Operation operation;

    DetachedSink(Operation operation) {
      super(operation);
      this.operation = operation;
    }

    /** Abandons the operation, except for the held entries of an answer that has ended. */
    @Override
    public void respond(Response response) {
      super.respond(response);
      if (!(response instanceof EncodedResponse)) {
        operation.abandon();
      }
    }

    /** Refuses a retry: its identity may be gone. Waiting operations send their own searches. */
    @Override
    public boolean restart() {
      return false;
    }
  }
}
