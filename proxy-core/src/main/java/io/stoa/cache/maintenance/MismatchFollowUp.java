// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.maintenance;

import io.stoa.cache.maintenance.Auditor.AuditRequest;
import io.stoa.cache.result.Caches.CachedResultRef;
import io.stoa.ldap.protocol.Octets;
import io.stoa.operation.ClientSession;
import io.stoa.operation.MalformedRequestException;
import io.stoa.operation.Operation;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Follows up a mismatch that the audit found in a result of a sharing class. The mismatch is
 * investigated as if the member had been served the result. The members concerned are asked in
 * short steps, without waiting for their next request.
 *
 * <p>Threading: thread-safe.
 */
final class MismatchFollowUp implements Auditor.MismatchListener {
  /** Number of steps in which members are asked: 64, so for eight times the staleness bound. */
  private static final int STEPS = 64;

  private static final int STEPS_IN_BOUND = 8;

  /**
   * Maximum number of concurrent follow-ups: 256. Other mismatches wait for requests of the
   * members.
   */
  private static final int MAX = 256;

  private final List<MaintenanceLoop> loops;
  private final long stepNanos;
  private final AtomicInteger freeFollowUps = new AtomicInteger(MAX);

  /**
   * Creates the follow-up.
   *
   * @param stalenessBound staleness bound of results held by a feed
   */
  MismatchFollowUp(List<MaintenanceLoop> loops, Duration stalenessBound) {
    this.loops = loops;
    this.stepNanos = stalenessBound.toNanos() / STEPS_IN_BOUND;
  }

  /** Action on one event loop. */
  private interface ClientAction {
    void run(MaintenanceLoop maintenanceLoop, Operation search);
  }

  @Override
  public void onMismatch(AuditRequest request) {
    act(
        request.maintenanceLoop(),
        request.client(),
        request.kept(),
        (maintenanceLoop, search) -> maintenanceLoop.stage().onMismatch(search));
    if (freeFollowUps.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      List<MaintenanceLoop> all = List.copyOf(loops);
      FollowUp followUp = new FollowUp(request, new AtomicInteger(all.size()));
      all.forEach(maintenanceLoop -> scheduleStep(maintenanceLoop, followUp, STEPS));
    }
  }

  /**
   * A mismatch that is followed up. Threading: thread-safe.
   *
   * @param open number of event loops on which the follow-up has not ended
   */
  private record FollowUp(AuditRequest asking, AtomicInteger open) {}

  private void scheduleStep(MaintenanceLoop maintenanceLoop, FollowUp followUp, int stepsLeft) {
    if (stepsLeft > 0) {
      try {
        maintenanceLoop
            .loop()
            .schedule(
                () -> askMembers(maintenanceLoop, followUp, stepsLeft),
                stepNanos,
                TimeUnit.NANOSECONDS);
      } catch (RejectedExecutionException e) {
        return; // the proxy is shutting down
      }
    } else if (followUp.open().decrementAndGet() == 0) {
      freeFollowUps.incrementAndGet();
    }
  }

  private void askMembers(MaintenanceLoop maintenanceLoop, FollowUp followUp, int stepsLeft) {
    AuditRequest request = followUp.asking();
    CachedResultRef result = request.kept();
    Octets reader = result.reader();
    try {
      askMembers(
          maintenanceLoop, reader == null ? null : maintenanceLoop.clientNamed(reader), result);
      askMembers(
          maintenanceLoop, maintenanceLoop.clientNamed(request.client().identity().name()), result);
      askMembers(maintenanceLoop, maintenanceLoop.client(result), result);
    } finally {
      scheduleStep(maintenanceLoop, followUp, stepsLeft - 1);
    }
  }

  private static void askMembers(
      MaintenanceLoop maintenanceLoop, @Nullable ClientSession client, CachedResultRef result) {
    if (client != null) {
      act(
          maintenanceLoop,
          client,
          result,
          (loop, search) -> loop.stage().onClientAvailable(search));
    }
  }

  private static void act(
      MaintenanceLoop maintenanceLoop,
      ClientSession client,
      CachedResultRef result,
      ClientAction action) {
    Operation search = maintenanceLoop.operation(client, result.request());
    try {
      action.run(maintenanceLoop, search);
    } catch (MalformedRequestException e) {
      return; // the rules changed since the request was decoded
    } finally {
      search.abandon();
    }
  }
}
