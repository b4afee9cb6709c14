// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import java.util.PriorityQueue;

/**
 * A clock that stands still while anything is done, and all that is to be done later.
 * Thread-confined.
 */
final class VirtualTime {
  /** Not 0, which stands for never in some places. */
  static final long START = 1_000_000_000_000L;

  private final PriorityQueue<Task> tasks = new PriorityQueue<>();
  private final StatelessRandom draws;
  private long now = START;
  private long count;

  /** What happens at the same time happens in an order that is drawn. */
  VirtualTime(StatelessRandom draws) {
    this.draws = draws;
  }

  private record Task(long at, long tie, Runnable work) implements Comparable<Task> {
    @Override
    public int compareTo(Task other) {
      int first = Long.compare(at, other.at);
      return first == 0 ? Long.compare(tie, other.tie) : first;
    }
  }

  /** In nanoseconds. */
  long now() {
    return now;
  }

  /** Has something done at a time, or now if that is over. */
  void at(long when, Runnable work) {
    long tie = draws.one(StatelessRandom.Stream.TIE, count++);
    tasks.add(new Task(Math.max(when, now), tie, work));
  }

  /** Has something done after a time. */
  void after(long nanos, Runnable work) {
    at(now + nanos, work);
  }

  /** Does all that is to be done until then. */
  void runUntil(long end) {
    Task next = tasks.peek();
    while (next != null && next.at() <= end) {
      tasks.remove();
      now = next.at();
      ThreadLocalSeed.set(next.tie());
      next.work().run();
      next = tasks.peek();
    }
    now = end;
  }
}
