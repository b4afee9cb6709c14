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
  private final WriteWindow window;
  private final EventExecutor loop;
  private final Runnable resumeReads;
  private final @Nullable Transactions transactions;
  private final Supplier<Duration> timeout;
  private Set<WindowedWrite> waiting = new LinkedHashSet<>();

  /** Answered writes that wait for the next report. */
  private AnsweredWrites answered = new AnsweredWrites();

  /** Writes of the present report. */
  private AnsweredWrites reported = new AnsweredWrites();

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

  /**
   * Called on any thread when the window has closed.
   *
   * @param number number of the burst
   */
  void onClosed(long number) {
    loop.execute(new GuardedTask("burst of a write window", () -> burst(number)));
  }

  /** Called on any thread when a report begins. */
  void onReport() {
    loop.execute(new GuardedTask("report of a write window", this::report));
  }

  /** Called on any thread when the caches have processed the changes of the report. */
  void onApplied() {
    loop.execute(new GuardedTask("release of a write window", this::release));
  }

  private void burst(long number) {
    Burst burst = new Burst(number, List.copyOf(waiting));
    waiting = new LinkedHashSet<>();
    window.onTaken(burst.writes.size());
    burst.begin();
  }

  private void report() {
    reported = answered;
    answered = new AnsweredWrites();
    window.onReported(reported.changed, reported.unknown);
  }

  private void release() {
    AnsweredWrites released = reported;
    reported = new AnsweredWrites();
    released.writes.forEach(
        write -> new GuardedTask("answer to a write of a window", write::release).run());
    if (!released.writes.isEmpty()) {
      window.resumeReads();
    }
  }

  /** Called on any thread when a write was answered on some loop. */
  void onClientsAnswered() {
    loop.execute(new GuardedTask("reads behind a write window", resumeReads));
  }

  /** Answered writes, and their changes. Threading: event loop. */
  private static final class AnsweredWrites {
    private final List<WindowedWrite> writes = new ArrayList<>();
    private final List<OwnChange> changed = new ArrayList<>();
    private final List<OwnChange> unknown = new ArrayList<>();
  }

  /**
   * Writes that are sent together.
   *
   * <p>Threading: event loop.
   */
  final class Burst {
    private final long number;
    private final List<WindowedWrite> writes;
    private int open;
    private boolean uncertain;

    private Burst(long number, List<WindowedWrite> writes) {
      this.number = number;
      this.writes = writes;
      this.open = writes.size();
    }

    private void begin() {
      if (open == 0) {
        window.onFinished(number, false);
        return;
      }
      writes.forEach(write -> write.onClosed(this));
      List<WindowedWrite> single = transactions == null ? writes : transactions.begin(writes);
      single.forEach(write -> new GuardedTask("send a write of a window", write::send).run());
    }

    /** Called when a write was answered. Its result waits for the next report. */
    void onChange(WindowedWrite write, OwnChange change) {
      answered.changed.add(change);
      hold(write);
    }

    /** Called when the outcome of a write is unknown. Its result waits for the next report. */
    void onUnknown(WindowedWrite write, OwnChange change) {
      uncertain = true;
      answered.unknown.add(change);
      hold(write);
    }

    private void hold(WindowedWrite write) {
      answered.writes.add(write);
      window.onAnswered(true, loop);
    }

    /** Called when a write has ended by itself. */
    void onSingleEnd() {
      window.onAnswered(false, loop);
      onFinished();
    }

    /** Called when a write is over. */
    void onFinished() {
      open--;
      if (open == 0) {
        window.onFinished(number, uncertain);
      }
    }
  }
}
