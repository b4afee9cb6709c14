// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache;

import io.stoa.operation.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A search under way upstream whose result is to be stored, and the equal searches that wait for it
 * instead of being sent. Hands work between event loops: those that wait are woken by posting to
 * their own loop. Thread-safe.
 */
final class Fill {
  private final Lookup lookup;
  private final List<Waiter> waiters = new ArrayList<>();
  private boolean over;

  Fill(Lookup lookup) {
    this.lookup = lookup;
  }

  /** One that waits, and what it does when it is woken, on its own event loop. */
  private record Waiter(Operation operation, Consumer<Operation> wake) {}

  Lookup lookup() {
    return lookup;
  }

  /**
   * Whether an equal request may wait for this one: never for one that was sent before the last
   * change was answered, and only if the answer will do.
   */
  boolean serves(Lookup other) {
    return lookup.epoch() == other.epoch()
        && lookup.plan().sizeLimit() == other.plan().sizeLimit()
        && (!lookup.isSearch() || lookup.selection().covers(other.selection()));
  }

  /** Lets an operation wait; false if it is too late. */
  synchronized boolean join(Operation operation, Consumer<Operation> wake) {
    if (over) {
      return false;
    }
    waiters.add(new Waiter(operation, wake));
    return true;
  }

  /** An operation does not wait any more. */
  synchronized void leave(Operation operation) {
    waiters.removeIf(waiter -> waiter.operation() == operation);
  }

  /** The search has ended, one way or the other: all that wait look for themselves. */
  private void end() {
    List<Waiter> woken;
    synchronized (this) {
      over = true;
      woken = List.copyOf(waiters);
      waiters.clear();
    }
    for (Waiter waiter : woken) {
      waiter.operation().session().executor().execute(() -> wake(waiter));
    }
  }

  private static void wake(Waiter waiter) {
    if (!waiter.operation().ended()) {
      waiter.wake().accept(waiter.operation());
    }
  }

  /** The fills under way, at most one that can still be joined for each key. Thread-safe. */
  static final class Table {
    private final ConcurrentMap<QueryKey, Fill> byKey = new ConcurrentHashMap<>();

    /** The fill for a key, or null. */
    @Nullable Fill find(QueryKey key) {
      return byKey.get(key);
    }

    /** Adds a fill; an older one with its key cannot be joined any more, but goes on. */
    void begin(Fill fill) {
      byKey.put(fill.lookup().key(), fill);
    }

    /** A fill has ended. */
    void end(Fill fill) {
      byKey.remove(fill.lookup().key(), fill);
      fill.end();
    }

    /** Fills that can be joined now. */
    int size() {
      return byKey.size();
    }
  }
}
