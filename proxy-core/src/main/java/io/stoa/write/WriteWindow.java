// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.operation.ChangeListener;
import io.stoa.operation.OwnChange;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Gathers writes of all event loops until it closes (group commit, DeWitt et al., 1984).
 *
 * <p>A window closes after its interval since the first write, at its maximum number of operations,
 * or at a flush.
 *
 * <p>When it closes, all writes are sent at once. After their answers the caches process all
 * changes together, and then the clients are answered. The window does not close again before that.
 *
 * <p>Threading: thread-safe. Each event loop has a part, confined to that loop. The window posts
 * work to the parts.
 */
final class WriteWindow {
  /**
   * Maximum number of waiting writes: 10,000. Writes pile up while the last burst is not answered.
   */
  private static final int MAX_WAITING = 10_000;

  private volatile WindowConfig config;
  private final ChangeListener listener;
  private final TransactionLock transactionLock;
  private final List<LoopWindow> parts = new ArrayList<>();
  private volatile Named named;
  private volatile boolean paused;
  private final List<Flush> flushes = new ArrayList<>();
  private WindowState state = WindowState.EMPTY;
  private int waiting;
  private int openParts;
  private long number;
  private long closedAt;
  private boolean closesAgain;
  private final List<OwnChange> changed = new ArrayList<>();
  private final List<OwnChange> unknown = new ArrayList<>();
  private long closed;
  private long operations;
  private long dropped;
  private final LongAdder transactional = new LongAdder();
  private final LongAdder aborted = new LongAdder();

  /**
   * Creates an empty window.
   *
   * @param transactionLock transaction lock of all windows
   */
  WriteWindow(WindowConfig config, ChangeListener listener, TransactionLock transactionLock) {
    this.transactionLock = transactionLock;
    this.config = config;
    this.listener = listener;
    this.named = Named.of(config, ServerProfile.EXACT);
  }

  /** State of a window. */
  private enum WindowState {
    /** No write waits. */
    EMPTY,
    /** Writes wait for it to close. */
    OPEN,
    /** Closed, with writes that are not all answered. Further writes wait for the next time. */
    BURST
  }

  /**
   * A caller of {@code flush} that waits.
   *
   * @param number number of the burst with its writes
   * @param waited number of writes that waited
   */
  private record Flush(long number, int waited, CompletableFuture<Windows.Flushed> done) {}

  /** The configured names, normalized for one schema. Immutable. */
  private record Named(
      ServerProfile profile, @Nullable NormalDn subtree, @Nullable NormalDn identity) {
    static Named of(WindowConfig config, ServerProfile profile) {
      return new Named(profile, dn(config.subtree(), profile), dn(config.identity(), profile));
    }

    private static @Nullable NormalDn dn(@Nullable String name, ServerProfile profile) {
      return name == null ? null : NormalDn.of(name.getBytes(StandardCharsets.UTF_8), profile);
    }
  }

  WindowConfig config() {
    return config;
  }

  /**
   * Applies new limits for closing. Waiting writes are sent when the earlier of both times has
   * passed.
   *
   * @return true if the limits differ
   */
  synchronized boolean reconfigure(WindowConfig other) {
    WindowConfig next = config.closing(other.every(), other.maxOperations());
    boolean differs = !next.equals(config);
    config = next;
    if (differs && state == WindowState.OPEN) {
      closeAfter(next.every().toNanos(), parts.get(0).loop());
      if (waiting >= next.maxOperations()) {
        close();
      }
    }
    return differs;
  }

  ChangeListener listener() {
    return listener;
  }

  TransactionLock transactionLock() {
    return transactionLock;
  }

  /**
   * True if writes to this entry by this client wait here.
   *
   * @param who name of the client's entry; null if it has none
   */
  boolean covers(NormalDn entry, byte @Nullable [] who, ServerProfile profile) {
    Named current = named;
    if (current.profile() != profile) {
      current = Named.of(config, profile);
      named = current;
    }
    NormalDn subtree = current.subtree();
    NormalDn identity = current.identity();
    return !paused
        && (subtree == null || entry.isBelowOrEqual(subtree))
        && (identity == null || (who != null && NormalDn.of(who, profile).equals(identity)));
  }

  /** Adds the part of an event loop. */
  synchronized void join(LoopWindow loopWindow) {
    parts.add(loopWindow);
  }

  /**
   * Counts a write that begins to wait on an event loop.
   *
   * @return false if the window is full
   */
  synchronized boolean enter(EventExecutor loop) {
    if (waiting >= MAX_WAITING) {
      return false;
    }
    waiting++;
    if (state == WindowState.EMPTY) {
      state = WindowState.OPEN;
      closeAfter(config.every().toNanos(), loop);
    }
    if (paused || waiting >= config.maxOperations()) {
      close();
    }
    return true;
  }

  /** Schedules the close, unless the window closes before. */
  private void closeAfter(long nanos, EventExecutor loop) {
    long present = number;
    loop.schedule(() -> onDue(present), nanos, TimeUnit.NANOSECONDS);
  }

  private synchronized void onDue(long burst) {
    if (burst == number) {
      close();
    }
  }

  /** Removes a write that its client has given up. */
  synchronized void leave() {
    waiting--;
    dropped++;
  }

  /** Closes it now, or as soon as it can. */
  synchronized void closeSoon() {
    closesAgain = state == WindowState.BURST;
    close();
  }

  /**
   * Closes it now, or as soon as it can.
   *
   * @return the result, when the waiting writes are over
   */
  synchronized CompletableFuture<Windows.Flushed> flush() {
    // Writes that wait during a burst may belong to it or to the next one. The count cannot tell.
    Flush flush = new Flush(number + 1, waiting, new CompletableFuture<>());
    closeSoon();
    flushes.add(flush);
    if (state == WindowState.EMPTY) {
      completeFlushes(false);
    }
    return flush.done;
  }

  /**
   * Lets writes skip the window, or wait again.
   *
   * @param skip true if writes skip the window
   * @return the result of {@link #flush} if they pass
   */
  CompletableFuture<Windows.Flushed> setPaused(boolean skip) {
    paused = skip;
    return skip ? flush() : CompletableFuture.completedFuture(new Windows.Flushed(0, true));
  }

  /** Closes an open window; does nothing during a burst. The caller holds the lock. */
  private void close() {
    if (state == WindowState.OPEN) {
      state = WindowState.BURST;
      number++;
      closedAt = System.nanoTime();
      openParts = parts.size();
      parts.forEach(LoopWindow::onClosed);
    }
  }

  /** Called when a loop's part has sent its waiting writes. */
  synchronized void onTaken(int count) {
    waiting -= count;
    operations += count;
  }

  /**
   * Called when a loop's part was answered, or no longer waits for the rest. The caches process the
   * changes of all parts before any client is answered.
   *
   * @param changes changes that were made
   * @param uncertain changes of unknown outcome
   */
  synchronized void onPartDone(List<OwnChange> changes, List<OwnChange> uncertain) {
    changed.addAll(changes);
    unknown.addAll(uncertain);
    openParts--;
    if (openParts == 0) {
      report(List.copyOf(changed), List.copyOf(unknown));
    }
  }

  private void report(List<OwnChange> changes, List<OwnChange> uncertain) {
    changed.clear();
    unknown.clear();
    if (!uncertain.isEmpty()) {
      listener.onUnknownOutcome(uncertain);
    }
    if (changes.isEmpty()) {
      onApplied(!uncertain.isEmpty());
    } else {
      closed++;
      listener.onChanges(changes, () -> onApplied(!uncertain.isEmpty()));
    }
  }

  /**
   * Called when the caches have processed the changes. Lets the parts answer their clients.
   *
   * @param unanswered true if a server has not answered the whole burst
   */
  private synchronized void onApplied(boolean unanswered) {
    parts.forEach(LoopWindow::onApplied);
    reopen();
    completeFlushes(unanswered);
  }

  /**
   * Completes the flushes whose burst is over.
   *
   * @param unanswered true if a server has not answered the whole last burst
   */
  private void completeFlushes(boolean unanswered) {
    long lastCompleted = state == WindowState.BURST ? number - 1 : number;
    flushes.removeIf(
        flush ->
            (state == WindowState.EMPTY || flush.number <= lastCompleted)
                && flush.done.complete(new Windows.Flushed(flush.waited, !unanswered)));
  }

  private void reopen() {
    state = waiting > 0 ? WindowState.OPEN : WindowState.EMPTY;
    if (closesAgain || waiting >= config.maxOperations()) {
      close();
    } else if (waiting > 0) {
      long remaining = closedAt + config.every().toNanos() - System.nanoTime();
      closeAfter(Math.max(0, remaining), parts.get(0).loop());
    }
    closesAgain = false;
  }

  /** Called when clients were answered on a loop. Reads on any loop may have waited for that. */
  synchronized void onAnswered() {
    parts.forEach(LoopWindow::onAnswered);
  }

  /** Counts a transaction with the number of its writes; 0 if it failed. */
  void countTransaction(int count) {
    transactional.add(count);
    if (count == 0) {
      aborted.increment();
    }
  }

  synchronized WindowStatus status() {
    return new WindowStatus(
        config,
        waiting,
        state == WindowState.BURST,
        paused,
        closed,
        operations,
        transactional.sum(),
        aborted.sum(),
        dropped);
  }
}
