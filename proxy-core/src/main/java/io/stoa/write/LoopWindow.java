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

/** What of a window waits on one event loop. Event-loop confined, but for what posts. */
final class LoopWindow {
  /** Whoever has been answered does not wait longer than this for those who have not. */
  private static final long PATIENCE_MILLIS = 1_000;

  private final WriteWindow window;
  private final EventExecutor loop;
  private final Runnable looks;
  private final @Nullable Transactions together;
  private final Supplier<Duration> longest;
  private Set<WindowedWrite> waiting = new LinkedHashSet<>();
  private Burst last = new Burst(List.of());

  /**
   * Makes an empty one.
   *
   * @param looks has reads go on that waited for writes which have been answered
   * @param together does those of one identity together; null if each is done by itself
   * @param longest how long an operation may be without an answer
   */
  LoopWindow(
      WriteWindow window,
      EventExecutor loop,
      Runnable looks,
      @Nullable Transactions together,
      Supplier<Duration> longest) {
    this.longest = longest;
    this.window = window;
    this.loop = loop;
    this.looks = looks;
    this.together = together;
    window.join(this);
  }

  WriteWindow window() {
    return window;
  }

  EventExecutor loop() {
    return loop;
  }

  /** A write is to wait; false if it may not. */
  boolean add(WindowedWrite write) {
    waiting.add(write); // before: it may close at once
    boolean room = window.enter(loop);
    if (!room) {
      waiting.remove(write);
    }
    return room;
  }

  /** It waits no more: its client has left it. */
  void drop(WindowedWrite write) {
    if (waiting.remove(write)) {
      window.leave();
    }
  }

  /** Runs an action when whatever was sent by now must have been answered. */
  void later(Runnable action) {
    loop.schedule(new GuardedTask(action), 2 * longest.get().toNanos(), TimeUnit.NANOSECONDS);
  }

  /** The window has closed; on any thread. */
  void closed() {
    loop.execute(new GuardedTask(this::burst));
  }

  /** The caches know what has changed; on any thread. */
  void told() {
    loop.execute(new GuardedTask(this::release));
  }

  private void burst() {
    Burst burst = new Burst(List.copyOf(waiting));
    waiting = new LinkedHashSet<>();
    window.taken(burst.writes.size());
    last = burst;
    burst.begin();
  }

  /** Something has been answered on some loop; on any thread. */
  void answered() {
    loop.execute(new GuardedTask(looks));
  }

  private void release() {
    if (last.over && !last.writes.isEmpty()) {
      last.release();
      window.answered();
    }
  }

  /** Writes that are sent together. Event-loop confined. */
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
        loop.schedule(new GuardedTask(this::end), PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        writes.forEach(write -> write.join(this));
        List<WindowedWrite> single = together == null ? writes : together.begin(writes);
        single.forEach(write -> new GuardedTask(write::go).run());
      }
    }

    /** Whether the others do not wait any longer for what has not been answered. */
    boolean over() {
      return over;
    }

    /** One has been answered. */
    void changed(OwnChange change) {
      changed.add(change);
      answered();
    }

    /** Of one nobody knows what became of it. */
    void unknown(OwnChange change) {
      unknown.add(change);
      answered();
    }

    /** One certainly has not happened. */
    void answered() {
      open--;
      if (open == 0) {
        end();
      }
    }

    private void end() {
      if (!over) {
        over = true;
        window.done(changed, unknown);
      }
    }

    private void release() {
      writes.forEach(WindowedWrite::release);
    }
  }
}
