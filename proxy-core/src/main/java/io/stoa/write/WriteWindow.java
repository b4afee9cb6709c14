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
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Gathers writes of all event loops until it closes (group commit, DeWitt et al., 1984).
 *
 * <p>A window closes after its interval since the first write, at its maximum number of operations,
 * or at a flush. Then all waiting writes are sent at once. While its maximum number of operations
 * is unanswered, or a transaction is in progress, it stays open: for a second at most.
 *
 * <p>Answers are held until a report: the caches process all answered changes together, and then
 * the clients are answered. A report begins when no write is unanswered, and at the latest after
 * {@link #patience}. So a slow burst does not leave the directory idle: clients of answered writes
 * send the next ones meanwhile.
 *
 * <p>Threading: thread-safe. Each event loop has a part, confined to that loop. The window posts
 * work to the parts.
 */
final class WriteWindow {
  /** Maximum number of waiting writes: 10,000. Writes pile up while earlier ones are unanswered. */
  private static final int MAX_WAITING = 10_000;

  /** Maximum time for which answered writes wait for the unanswered ones of a burst: 1 s. */
  private static final long MAX_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Share of the interval of the window for which answered writes wait for the others: 1/4. */
  private static final int PATIENCE_SHARE = 4;

  private volatile WindowConfig config;
  private final ChangeListener listener;
  private final TransactionLock transactionLock;
  private final List<LoopWindow> parts = new ArrayList<>();
  private volatile Named named;
  private volatile boolean paused;
  private final List<Flush> flushes = new ArrayList<>();
  private WindowState state = WindowState.EMPTY;
  private int waiting;

  /** True if the window closes as soon as it can. */
  private boolean due;

  /** True if it has not closed for a second, so that it waits for no answer. */
  private boolean overdue;

  /** Number of the present opening. The timer of an earlier one has no effect. */
  private long opening;

  /** Number of the last burst: the writes of one closing. */
  private long number;

  /** Parts that have not taken their writes of the last burst yet. */
  private int takingParts;

  /** Writes of the last burst that the other parts have taken. */
  private int taken;

  /** Number of parts with writes that are not over, by the number of the burst. */
  private final NavigableMap<Long, Integer> unfinished = new TreeMap<>();

  /** Number of the last burst with a write of unknown outcome. */
  private long lastUncertain;

  /** Writes that were sent and are not answered. */
  private int inFlight;

  /** Transactions that have begun to wait for the lock, and are not over. */
  private int runningTransactions;

  /** Answered writes that no report has taken yet. */
  private int held;

  /** True while a timer for the next report runs. */
  private boolean reportScheduled;

  /** True if a report begins as soon as no other one is in progress. */
  private boolean reportDue;

  /** True from the beginning of a report until the caches have processed it. */
  private boolean reporting;

  /** Parts that have not handed over their answered writes to the present report. */
  private int reportingParts;

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
    /** The event loops take their waiting writes. */
    CLOSING
  }

  /**
   * A caller of {@code flush} that waits.
   *
   * @param first number of the first burst that may have its writes
   * @param last number of the last one
   * @param waited number of writes that waited
   */
  private record Flush(
      long first, long last, int waited, CompletableFuture<Windows.Flushed> done) {}

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
      due |= waiting >= next.maxOperations();
      closeIfDue();
    }
    return differs;
  }

  /** Returns the maximum time in ns for which answered writes wait for others. */
  long patience() {
    return Math.min(MAX_PATIENCE_NANOS, config.every().toNanos() / PATIENCE_SHARE);
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
      open(loop);
    }
    boolean full = state == WindowState.OPEN && waiting >= config.maxOperations();
    due |= full || paused || isFlushing();
    closeIfDue();
    return true;
  }

  /** True if a flush awaits a burst that has not begun: it includes writes that begin to wait. */
  private boolean isFlushing() {
    return flushes.stream().anyMatch(flush -> flush.last > number);
  }

  private void open(EventExecutor loop) {
    state = WindowState.OPEN;
    opening++;
    closeAfter(config.every().toNanos(), loop);
  }

  /** Schedules the close, unless the window closes before. */
  private void closeAfter(long nanos, EventExecutor loop) {
    long present = opening;
    loop.schedule(() -> onDue(present), nanos, TimeUnit.NANOSECONDS);
  }

  private synchronized void onDue(long openingThen) {
    if (openingThen == opening && state == WindowState.OPEN) {
      closeSoon();
    }
  }

  /** Removes a write that its client has given up. */
  synchronized void leave() {
    waiting--;
    dropped++;
  }

  /** Closes it now, or as soon as it can. */
  synchronized void closeSoon() {
    due = state != WindowState.EMPTY;
    closeIfDue();
  }

  /**
   * Closes it now, or as soon as it can.
   *
   * @return the result, when the waiting writes are over
   */
  synchronized CompletableFuture<Windows.Flushed> flush() {
    // Unfinished writes of earlier bursts may have waited before. The count cannot tell.
    long first = unfinished.isEmpty() ? number + 1 : unfinished.firstKey();
    Flush flush = new Flush(first, number + 1, waiting, new CompletableFuture<>());
    closeSoon();
    flushes.add(flush);
    completeFlushes();
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

  /**
   * Closes an open window that is due. While too many writes are unanswered, or a transaction is in
   * progress, it stays open for a second at most: a server that hangs delays the writes of others
   * no longer.
   */
  private void closeIfDue() {
    boolean busy = inFlight >= config.maxOperations() || runningTransactions > 0;
    if (due && state == WindowState.OPEN && (overdue || !busy)) {
      due = false;
      overdue = false;
      state = WindowState.CLOSING;
      number++;
      takingParts = parts.size();
      taken = 0;
      unfinished.put(number, parts.size());
      parts.forEach(part -> part.onClosed(number));
      long present = number;
      Runnable onOverdue = () -> onOverdue(present);
      parts.get(0).loop().schedule(onOverdue, MAX_PATIENCE_NANOS, TimeUnit.NANOSECONDS);
    }
  }

  private synchronized void onOverdue(long burst) {
    overdue = burst == number;
    closeIfDue();
  }

  /** Called when a loop's part has taken its waiting writes, before it sends them. */
  synchronized void onTaken(int count) {
    waiting -= count;
    inFlight += count;
    operations += count;
    taken += count;
    takingParts--;
    if (takingParts == 0) {
      closed += taken > 0 ? 1 : 0;
      onClosed();
    }
  }

  private void onClosed() {
    if (waiting == 0) {
      state = WindowState.EMPTY;
      due = false;
    } else {
      open(parts.get(0).loop());
      due |= waiting >= config.maxOperations();
      closeIfDue();
    }
  }

  /**
   * Called when a sent write was answered, or given up.
   *
   * @param holds true if its result waits for a report
   * @param loop the event loop of the write
   */
  synchronized void onAnswered(boolean holds, EventExecutor loop) {
    inFlight--;
    held += holds ? 1 : 0;
    if (inFlight == 0) {
      reportDue = true;
      report();
    } else if (holds && !reportScheduled) {
      reportScheduled = true;
      loop.schedule(this::onReportDue, patience(), TimeUnit.NANOSECONDS);
    }
    closeIfDue();
  }

  private synchronized void onReportDue() {
    reportScheduled = false;
    reportDue = true;
    report();
  }

  /**
   * Begins a report if it is due. While another one is in progress it stays due, since that one may
   * lack writes that are answered now.
   */
  private void report() {
    if (reportDue && !reporting) {
      reportDue = false;
      if (held > 0) {
        reporting = true;
        reportingParts = parts.size();
        parts.forEach(LoopWindow::onReport);
      }
    }
  }

  /**
   * Called with the answered writes of a loop's part. The caches process the changes of all parts
   * before any client is answered.
   *
   * @param changes changes that were made
   * @param uncertain changes of unknown outcome
   */
  synchronized void onReported(List<OwnChange> changes, List<OwnChange> uncertain) {
    held -= changes.size() + uncertain.size();
    changed.addAll(changes);
    unknown.addAll(uncertain);
    reportingParts--;
    if (reportingParts == 0) {
      tellCaches(List.copyOf(changed), List.copyOf(unknown));
    }
  }

  private void tellCaches(List<OwnChange> changes, List<OwnChange> uncertain) {
    changed.clear();
    unknown.clear();
    if (!uncertain.isEmpty()) {
      listener.onUnknownOutcome(uncertain);
    }
    if (changes.isEmpty()) {
      onApplied();
    } else {
      listener.onChanges(changes, this::onApplied);
    }
  }

  /** Called when the caches have processed the changes. Lets the parts answer their clients. */
  private synchronized void onApplied() {
    parts.forEach(LoopWindow::onApplied);
    reporting = false;
    reportDue |= inFlight == 0;
    report();
  }

  /**
   * Called when all writes of a loop's part of a burst are over: their clients were answered, or
   * have given them up.
   *
   * @param uncertain true if the outcome of one is unknown
   */
  synchronized void onFinished(long burst, boolean uncertain) {
    unfinished.computeIfPresent(burst, (same, count) -> count == 1 ? null : count - 1);
    lastUncertain = uncertain ? Math.max(burst, lastUncertain) : lastUncertain;
    completeFlushes();
  }

  /** Completes the flushes of which no write is left. */
  private void completeFlushes() {
    long finished = unfinished.isEmpty() ? number : unfinished.firstKey() - 1;
    boolean none = state == WindowState.EMPTY && unfinished.isEmpty();
    flushes.removeIf(
        flush ->
            (none || flush.last <= finished)
                && flush.done.complete(
                    new Windows.Flushed(flush.waited, lastUncertain < flush.first)));
  }

  /** Called when clients were answered on a loop. Reads on any loop may have waited for that. */
  synchronized void resumeReads() {
    parts.forEach(LoopWindow::onClientsAnswered);
  }

  /** Called when writes begin to wait for their transaction. */
  synchronized void beginTransaction() {
    runningTransactions++;
  }

  /** Called when these writes are performed, or are sent by themselves. */
  synchronized void endTransaction() {
    runningTransactions--;
    closeIfDue();
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
        !unfinished.isEmpty(),
        paused,
        closed,
        operations,
        transactional.sum(),
        aborted.sum(),
        dropped);
  }
}
