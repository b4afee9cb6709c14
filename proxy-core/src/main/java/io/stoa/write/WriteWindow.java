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
 * Gathers writes of all event loops until it closes. Then all go upstream at once; when they have
 * been answered the caches hear of it, once, and after that the clients. It does not close again
 * before. Each loop has a part of it, which is confined to that loop; this hands work from one to
 * the others, by posting. Thread-safe.
 */
final class WriteWindow {
  /** More than so many may not wait, while what has gone upstream is not answered. */
  private static final int MOST_WAITING = 10_000;

  private volatile WindowConfig config;
  private final ChangeListener listener;
  private final TransactionLock baton;
  private final List<LoopWindow> parts = new ArrayList<>();
  private volatile Named named;
  private volatile boolean paused;
  private final List<Flush> flushes = new ArrayList<>();
  private State state = State.EMPTY;
  private int waiting;
  private int undone;
  private long number;
  private long closedAt;
  private boolean flushed;
  private final List<OwnChange> changed = new ArrayList<>();
  private final List<OwnChange> unknown = new ArrayList<>();
  private long closed;
  private long operations;
  private long dropped;
  private final LongAdder together = new LongAdder();
  private final LongAdder aborted = new LongAdder();

  /**
   * Makes an empty one.
   *
   * @param baton of all windows
   */
  WriteWindow(WindowConfig config, ChangeListener listener, TransactionLock baton) {
    this.baton = baton;
    this.config = config;
    this.listener = listener;
    this.named = Named.of(config, ServerProfile.EXACT);
  }

  /** Where a window is. */
  private enum State {
    /** Nothing waits. */
    EMPTY,
    /** Writes wait for it to close. */
    OPEN,
    /** It has closed, and what waited has not all been answered; others wait for the next time. */
    BURST
  }

  /**
   * Somebody waits for what waited.
   *
   * @param number of the burst in which it goes
   * @param waited writes that waited
   */
  private record Flush(long number, int waited, CompletableFuture<Windows.Flushed> done) {}

  /** Its names, as one directory compares them. Immutable. */
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
   * From now on it closes as another one does; what waits, when the time of either has passed.
   *
   * @return whether that differs
   */
  synchronized boolean closeAs(WindowConfig other) {
    WindowConfig next = config.closing(other.every(), other.maxOperations());
    boolean differs = !next.equals(config);
    config = next;
    if (differs && state == State.OPEN) {
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

  TransactionLock baton() {
    return baton;
  }

  /**
   * Whether writes of that entry by that client wait here.
   *
   * @param who null if the client is known by no name
   */
  boolean takes(NormalDn entry, byte @Nullable [] who, ServerProfile profile) {
    Named own = named;
    if (own.profile() != profile) {
      own = Named.of(config, profile);
      named = own;
    }
    NormalDn subtree = own.subtree();
    NormalDn identity = own.identity();
    return !paused
        && (subtree == null || entry.isBelowOrEqual(subtree))
        && (identity == null || (who != null && NormalDn.of(who, profile).equals(identity)));
  }

  /** Makes one more loop's part known. */
  synchronized void join(LoopWindow part) {
    parts.add(part);
  }

  /**
   * A write begins to wait, on that loop.
   *
   * @return false if as many wait as may
   */
  synchronized boolean enter(EventExecutor loop) {
    if (waiting >= MOST_WAITING) {
      return false;
    }
    waiting++;
    if (state == State.EMPTY) {
      state = State.OPEN;
      closeAfter(config.every().toNanos(), loop);
    }
    if (paused || waiting >= config.maxOperations()) {
      close();
    }
    return true;
  }

  /** Closes it so much later, unless it has closed before. */
  private void closeAfter(long nanos, EventExecutor loop) {
    long present = number;
    loop.schedule(() -> due(present), nanos, TimeUnit.NANOSECONDS);
  }

  private synchronized void due(long which) {
    if (which == number) {
      close();
    }
  }

  /** A write does not wait any more: its client has left it. */
  synchronized void leave() {
    waiting--;
    dropped++;
  }

  /** Closes it now, or as soon as it can. */
  synchronized void hurry() {
    flushed = state == State.BURST;
    close();
  }

  /**
   * The same.
   *
   * @return what has become of what waited, when that is over
   */
  synchronized CompletableFuture<Windows.Flushed> flush() {
    // What waits during a burst may be of it, or wait for the next one: that is not known here.
    Flush flush = new Flush(number + 1, waiting, new CompletableFuture<>());
    hurry();
    flushes.add(flush);
    if (state == State.EMPTY) {
      tellFlushed(false);
    }
    return flush.done;
  }

  /**
   * From now on writes pass it at once, or wait again.
   *
   * @return as of {@link #flush} if they pass
   */
  CompletableFuture<Windows.Flushed> paused(boolean pass) {
    paused = pass;
    return pass ? flush() : CompletableFuture.completedFuture(new Windows.Flushed(0, true));
  }

  /** Whoever calls holds the lock. While a burst is under way it stays as it is. */
  private void close() {
    if (state == State.OPEN) {
      state = State.BURST;
      number++;
      closedAt = System.nanoTime();
      undone = parts.size();
      parts.forEach(LoopWindow::closed);
    }
  }

  /** A loop's part takes so many that wait. */
  synchronized void taken(int count) {
    waiting -= count;
    operations += count;
  }

  /**
   * A loop's part has been answered, or waits no longer for the rest. The caches hear of all before
   * any client does.
   *
   * @param has what has been done there
   * @param may what may still be done
   */
  synchronized void done(List<OwnChange> has, List<OwnChange> may) {
    changed.addAll(has);
    unknown.addAll(may);
    undone--;
    if (undone == 0) {
      tell(List.copyOf(changed), List.copyOf(unknown));
    }
  }

  private void tell(List<OwnChange> has, List<OwnChange> may) {
    changed.clear();
    unknown.clear();
    if (!may.isEmpty()) {
      listener.outcomeUnknown(may);
    }
    if (has.isEmpty()) {
      told(!may.isEmpty());
    } else {
      closed++;
      listener.changed(has, () -> told(!may.isEmpty()));
    }
  }

  /**
   * So may the clients.
   *
   * @param open whether a server has not answered all of the burst
   */
  private synchronized void told(boolean open) {
    parts.forEach(LoopWindow::told);
    goOn();
    tellFlushed(open);
  }

  /**
   * Nothing waits any more, or what is under way is of a later burst than what somebody waits for.
   *
   * @param open whether a server has not answered all of the last burst
   */
  private void tellFlushed(boolean open) {
    long over = state == State.BURST ? number - 1 : number;
    flushes.removeIf(
        flush ->
            (state == State.EMPTY || flush.number <= over)
                && flush.done.complete(new Windows.Flushed(flush.waited, !open)));
  }

  private void goOn() {
    state = waiting > 0 ? State.OPEN : State.EMPTY;
    if (flushed || waiting >= config.maxOperations()) {
      close();
    } else if (waiting > 0) {
      long left = closedAt + config.every().toNanos() - System.nanoTime();
      closeAfter(Math.max(0, left), parts.get(0).loop());
    }
    flushed = false;
  }

  /** Clients have been answered on a loop: reads may have waited for that on any. */
  synchronized void answered() {
    parts.forEach(LoopWindow::answered);
  }

  /** A transaction is over: so many writes were done in it; none if it failed. */
  void transacted(int count) {
    together.add(count);
    if (count == 0) {
      aborted.increment();
    }
  }

  synchronized WindowStatus status() {
    return new WindowStatus(
        config,
        waiting,
        state == State.BURST,
        paused,
        closed,
        operations,
        together.sum(),
        aborted.sum(),
        dropped);
  }
}
