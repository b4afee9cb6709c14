// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.net.transport.GuardedTask;
import io.stoa.operation.Operation;
import io.stoa.routing.ReadEligibility.ServerJudge;
import io.stoa.upstream.admission.FairQueue;
import io.stoa.upstream.admission.QueueBound;
import io.stoa.upstream.server.Backend;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads that wait for a replica to catch up: the only server known to have the required writes has
 * just failed.
 *
 * <p>The writes may be on their way to other servers, or be there without a report yet. A read
 * waits for a moment, and then goes on without them.
 *
 * <p>Threading: event loop.
 */
final class ReplicaCatchUpQueue {
  /** Milliseconds between two checks: 10. */
  private static final long PAUSE_MILLIS = 10;

  private final ReadEligibility eligibility;
  private final FairQueue waiting;
  private final Consumer<Operation> resume;
  private boolean checkScheduled;
  private long version;

  /**
   * Creates the queue of one event loop.
   *
   * @param bound limit of all waiting operations
   * @param resume receives operations that go on
   */
  ReplicaCatchUpQueue(ReadEligibility eligibility, QueueBound bound, Consumer<Operation> resume) {
    this.eligibility = eligibility;
    this.waiting = new FairQueue(bound);
    this.resume = resume;
  }

  /**
   * Queues an operation if the chosen server may lack required writes and waiting may help. If it
   * does not wait, the read is counted as one that may miss writes.
   *
   * @param judge judges the servers; null if all have the writes
   * @param chosen the chosen server; null if there is none
   * @param eligible true for servers that may be used at all
   * @return true if the operation waits and will be sent later
   */
  boolean enqueue(
      Operation operation,
      @Nullable ServerJudge judge,
      @Nullable Backend chosen,
      Predicate<Backend> eligible) {
    if (judge == null || chosen == null || judge.test(chosen)) {
      return false;
    }
    boolean waits = eligibility.mayCatchUp(judge, eligible) && add(operation);
    if (!waits) {
      eligibility.countUncovered(chosen);
    }
    return waits;
  }

  /** Queues a bind in the same way; checked only while a server was lost a moment ago. */
  boolean enqueueBind(Operation bind, Backend chosen, Predicate<Backend> eligible) {
    return eligibility.hasRecentLoss()
        && enqueue(bind, eligibility.judgeFor(bind, false), chosen, eligible);
  }

  private boolean add(Operation operation) {
    boolean waits = waiting.add(operation, System.nanoTime());
    if (waits && !checkScheduled) {
      version = eligibility.version();
      scheduleCheck(operation.session().executor());
    }
    return waits;
  }

  private void scheduleCheck(EventExecutor loop) {
    checkScheduled = true;
    eligibility.requestPositions();
    loop.schedule(
        new GuardedTask("queue of reads that wait for a replica", () -> check(loop)),
        PAUSE_MILLIS,
        TimeUnit.MILLISECONDS);
  }

  /**
   * Sends the waiting operations on, if there is news or the time is over. Each may be queued
   * again.
   */
  private void check(EventExecutor loop) {
    checkScheduled = false;
    if (eligibility.hasRecentLoss() && eligibility.version() == version) { // no news, time is left
      scheduleCheck(loop);
      return;
    }
    for (Operation next : waiting.drain()) {
      if (!next.hasEnded()) { // a sent operation may end others of its client
        new GuardedTask("resume a read that waited for a replica", () -> resume.accept(next)).run();
      }
    }
  }
}
