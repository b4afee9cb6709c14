// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.net.transport.GuardedTask;
import io.stoa.operation.OwnChange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The part of a write window that waits on one event loop.
 *
 * <p>Threading: event loop, except for the methods that say "any thread".
 */
final class LoopWindow {
  /** Maximum time for which answered writes wait for the unanswered ones of a burst: 1 s. */
  private static final long PATIENCE_MILLIS = 1_000;

  private final WriteWindow window;
  private final EventExecutor loop;
  private final Runnable resumeReads;
  private final @Nullable Transactions transactions;
  private final Supplier<Duration> timeout;
  private Set<WindowedWrite> waiting = new LinkedHashSet<>();
  private Burst last = new Burst(List.of());

  /**
   * Creates an empty part.
   *
   * @param resumeReads lets reads that waited for answered writes go on
   * @param transactions performs writes of one identity in transactions; null if each is sent by
   *     itself
   * @param timeout maximum time of an operation without an answer
   */
  LoopWindow(
      WriteWindow window,
      EventExecutor loop,
      Runnable resumeReads,
      @Nullable Transactions transactions,
      Supplier<Duration> timeout) {
    this.timeout = timeout;
    this.window = window;
    this.loop = loop;
    this.resumeReads = resumeReads;
    this.transactions = transactions;
    window.join(this);
  }

  WriteWindow window() {
    return window;
  }

  EventExecutor loop() {
    return loop;
  }

  /** Adds a write that waits; false if the window is full. */
  boolean add(WindowedWrite write) {
    waiting.add(write); // first: it may close at once
    boolean room = window.enter(loop);
    if (!room) {
      waiting.remove(write);
    }
    return room;
  }

  /** Removes a waiting write that its client has given up. */
  void drop(WindowedWrite write) {
    if (waiting.remove(write)) {
      window.leave();
    }
  }

  /** Runs an action when all requests sent by now are answered or overdue. */
  void runAfterDeadline(Runnable action) {
    loop.schedule(
        new GuardedTask("deadline of a write window", action),
        2 * timeout.get().toNanos(),
        TimeUnit.NANOSECONDS);
  }

  /** Called on any thread when the window has closed. */
  void onClosed() {
    loop.execute(new GuardedTask("burst of a write window", this::burst));
  }

  /** Called on any thread when the caches have processed the changes. */
  void onApplied() {
    loop.execute(new GuardedTask("release of a write window", this::release));
  }

  private void burst() {
    Burst burst = new Burst(List.copyOf(waiting));
    waiting = new LinkedHashSet<>();
    window.onTaken(burst.writes.size());
    last = burst;
    burst.begin();
  }

  /** Called on any thread when a write was answered on some loop. */
  void onAnswered() {
    loop.execute(new GuardedTask("reads behind a write window", resumeReads));
  }

  private void release() {
    if (last.over && !last.writes.isEmpty()) {
      last.release();
      window.onAnswered();
    }
  }

  /**
   * Writes that are sent together.
   *
   * <p>Threading: event loop.
   */
  final class Burst {
    private final List<WindowedWrite> writes;
    private int open;
    private boolean over;
    private final List<OwnChange> changed = new ArrayList<>();
    private final List<OwnChange> unknown = new ArrayList<>();

    private Burst(List<WindowedWrite> writes) {
      this.writes = writes;
      this.open = writes.size();
    }

    private void begin() {
      if (open == 0) {
        end();
      } else {
        loop.schedule(
            new GuardedTask("end of a write window", this::end),
            PATIENCE_MILLIS,
            TimeUnit.MILLISECONDS);
        writes.forEach(write -> write.onClosed(this));
        List<WindowedWrite> single = transactions == null ? writes : transactions.begin(writes);
        single.forEach(write -> new GuardedTask("send a write of a window", write::send).run());
      }
    }

    /** True if the burst no longer waits for unanswered writes. */
    boolean isOver() {
      return over;
    }

    /** Called when a write was answered. */
    void onChange(OwnChange change) {
      changed.add(change);
      onNoChange();
    }

    /** Called when the outcome of a write is unknown. */
    void onUnknown(OwnChange change) {
      unknown.add(change);
      onNoChange();
    }

    /** Called when a write has certainly not taken effect. */
    void onNoChange() {
      open--;
      if (open == 0) {
        end();
      }
    }

    private void end() {
      if (!over) {
        over = true;
        window.onPartDone(changed, unknown);
      }
    }

    private void release() {
      writes.forEach(WindowedWrite::release);
    }
  }
}
