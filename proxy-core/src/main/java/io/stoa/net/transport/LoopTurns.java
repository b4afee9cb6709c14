// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.transport;

import io.netty.util.concurrent.EventExecutor;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Runs an action on many elements in short turns of an event loop, which serves its connections
 * between the turns.
 *
 * <p>Threading: event loop.
 *
 * @param <T> the type of an element
 */
public final class LoopTurns<T> {
  /**
   * Maximum nanoseconds of one turn: 100,000. Several runs at the same time still take less than 1
   * ms.
   */
  private static final long TURN_NANOS = 100_000;

  private final EventExecutor loop;
  private final List<T> elements;
  private final Consumer<? super T> action;
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private int next;

  private LoopTurns(EventExecutor loop, List<T> elements, Consumer<? super T> action) {
    this.loop = loop;
    this.elements = elements;
    this.action = action;
  }

  /** Runs the action for each element, in order. The first turn is taken at once. */
  public static <T> CompletableFuture<Void> forEach(
      EventExecutor loop, List<T> elements, Consumer<? super T> action) {
    LoopTurns<T> turns = new LoopTurns<>(loop, elements, action);
    turns.take();
    return turns.done;
  }

  /**
   * Runs the task after the loop has served its connections once more. A task that is only posted
   * runs before that: the loop empties its queue first.
   */
  public static void runNextTurn(EventExecutor loop, Runnable task) {
    loop.schedule(task, 0, TimeUnit.NANOSECONDS);
  }

  /** True if a turn that began at a time of {@link System#nanoTime} has taken long enough. */
  public static boolean isOver(long start) {
    return System.nanoTime() - start > TURN_NANOS;
  }

  private void take() {
    long start = System.nanoTime();
    try {
      do {
        if (next < elements.size()) {
          action.accept(elements.get(next++));
        }
      } while (next < elements.size() && !isOver(start));
    } catch (RuntimeException e) {
      done.completeExceptionally(e);
      return;
    }
    if (next < elements.size()) {
      runNextTurn(loop, this::take);
    } else {
      done.complete(null);
    }
  }
}
