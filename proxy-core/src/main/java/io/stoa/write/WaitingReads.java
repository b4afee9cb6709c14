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
  private final Supplier<Duration> timeout;
  private final LongSupplier clock;
  private final Set<Read> waiting = new LinkedHashSet<>();

  /**
   * Creates it without reads.
   *
   * @param timeout maximum wait of a read
   * @param clock time in nanoseconds, as of {@link System#nanoTime}
   */
  public WaitingReads(Supplier<Duration> timeout, LongSupplier clock) {
    this.timeout = timeout;
    this.clock = clock;
  }

  /**
   * A read that waits.
   *
   * <p>Threading: event loop.
   */
  private final class Read implements Cancellation {
    private final Operation operation;
    private final Consumer<Operation> resume;
    private @Nullable Future<?> timer;

    Read(Operation operation, Consumer<Operation> resume) {
      this.operation = operation;
      this.resume = resume;
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

    private void resumeRead() {
      stop();
      operation.setCancellation(null);
      resume.accept(operation);
    }

    private void expire(Rejection reason) {
      if (waiting.remove(this)) {
        operation.setCancellation(null);
        operation.sink().reject(reason);
      }
    }
  }

  /**
   * Holds an operation until a write is answered.
   *
   * @param resume continues the operation
   */
  void hold(Operation operation, Consumer<Operation> resume) {
    Read read = new Read(operation, resume);
    waiting.add(read);
    operation.moveTo(OperationState.WAITING);
    operation.setCancellation(read);
    long now = clock.getAsLong();
    long remaining = operation.timeLimitNanos() - (now - operation.receivedNanos());
    long maxWait = timeout.get().toNanos() - (now - operation.waitsSince());
    Rejection reason = remaining < maxWait ? Rejection.TIME_LIMIT : Rejection.UPSTREAM_TIMEOUT;
    read.timer =
        operation
            .session()
            .executor()
            .schedule(
                () -> read.expire(reason),
                Math.max(0, Math.min(remaining, maxWait)),
                TimeUnit.NANOSECONDS);
  }

  /** Continues all reads, since a write was answered. Each may be held again. */
  void resumeAll() {
    List<Read> reads = new ArrayList<>(waiting);
    waiting.clear();
    reads.forEach(read -> new GuardedTask("resume a read behind writes", read::resumeRead).run());
  }
}
