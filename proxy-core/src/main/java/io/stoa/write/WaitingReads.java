// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

import io.stoa.net.transport.GuardedTask;
import io.stoa.operation.Cancellation;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.operation.Rejection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads of one event loop that wait for writes to be answered.
 *
 * <p>Threading: event loop.
 */
public final class WaitingReads {
  private final Supplier<Duration> longest;
  private final LongSupplier clock;
  private final Set<Read> waiting = new LinkedHashSet<>();

  /**
   * Creates it without reads.
   *
   * @param longest maximum wait of a read
   * @param clock time in nanoseconds, as of {@link System#nanoTime}
   */
  public WaitingReads(Supplier<Duration> longest, LongSupplier clock) {
    this.longest = longest;
    this.clock = clock;
  }

  /**
   * A read that waits.
   *
   * <p>Threading: event loop.
   */
  private final class Read implements Cancellation {
    private final Operation operation;
    private final Consumer<Operation> again;
    private @Nullable Future<?> timer;

    Read(Operation operation, Consumer<Operation> again) {
      this.operation = operation;
      this.again = again;
    }

    @Override
    public void abandon() {
      waiting.remove(this);
      stop();
    }

    private void stop() {
      Future<?> running = timer;
      if (running != null) {
        running.cancel(false);
      }
    }

    @Override
    public boolean forward(Operation cancelRequest) {
      return false;
    }

    private void goOn() {
      stop();
      operation.cancellation(null);
      again.accept(operation);
    }

    private void expire(Rejection reason) {
      if (waiting.remove(this)) {
        operation.cancellation(null);
        operation.sink().reject(reason);
      }
    }
  }

  /**
   * Holds an operation until a write is answered.
   *
   * @param again continues the operation
   */
  void hold(Operation operation, Consumer<Operation> again) {
    Read read = new Read(operation, again);
    waiting.add(read);
    operation.moveTo(OperationState.WAITING);
    operation.cancellation(read);
    long now = clock.getAsLong();
    long own = operation.timeLimitNanos() - (now - operation.receivedNanos());
    long most = longest.get().toNanos() - (now - operation.waitsSince());
    Rejection reason = own < most ? Rejection.TIME_LIMIT : Rejection.UPSTREAM_TIMEOUT;
    read.timer =
        operation
            .session()
            .executor()
            .schedule(
                () -> read.expire(reason), Math.max(0, Math.min(own, most)), TimeUnit.NANOSECONDS);
  }

  /** Continues all reads, since a write was answered. Each may be held again. */
  void resumeAll() {
    List<Read> all = new ArrayList<>(waiting);
    waiting.clear();
    all.forEach(read -> new GuardedTask(read::goOn).run());
  }
}
