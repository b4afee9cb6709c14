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
  private static final int MOST = 256;

  private final List<MaintenanceLoop> places;
  private final long stepNanos;
  private final AtomicInteger free = new AtomicInteger(MOST);

  /**
   * Creates the follow-up.
   *
   * @param bound staleness bound of results held by a feed
   */
  MismatchFollowUp(List<MaintenanceLoop> places, Duration bound) {
    this.places = places;
    this.stepNanos = bound.toNanos() / STEPS_IN_BOUND;
  }

  /** Action on one event loop. */
  private interface ClientAction {
    void at(MaintenanceLoop maintenanceLoop, Operation search);
  }

  @Override
  public void onMismatch(AuditRequest asking) {
    act(
        asking.maintenanceLoop(),
        asking.client(),
        asking.kept(),
        (maintenanceLoop, search) -> maintenanceLoop.stage().onMismatch(search));
    if (free.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      List<MaintenanceLoop> all = List.copyOf(places);
      FollowUp doubt = new FollowUp(asking, new AtomicInteger(all.size()));
      all.forEach(maintenanceLoop -> later(maintenanceLoop, doubt, STEPS));
    }
  }

  /**
   * A mismatch that is followed up. Threading: thread-safe.
   *
   * @param open number of event loops on which the follow-up has not ended
   */
  private record FollowUp(AuditRequest asking, AtomicInteger open) {}

  private void later(MaintenanceLoop maintenanceLoop, FollowUp doubt, int left) {
    if (left > 0) {
      try {
        maintenanceLoop
            .loop()
            .schedule(
                () -> askMembers(maintenanceLoop, doubt, left), stepNanos, TimeUnit.NANOSECONDS);
      } catch (RejectedExecutionException e) {
        return; // the proxy is shutting down
      }
    } else if (doubt.open().decrementAndGet() == 0) {
      free.incrementAndGet();
    }
  }

  private void askMembers(MaintenanceLoop maintenanceLoop, FollowUp doubt, int left) {
    AuditRequest asking = doubt.asking();
    CachedResultRef kept = asking.kept();
    Octets reader = kept.reader();
    try {
      askMembers(maintenanceLoop, reader == null ? null : maintenanceLoop.named(reader), kept);
      askMembers(maintenanceLoop, maintenanceLoop.named(asking.client().identity().name()), kept);
      askMembers(maintenanceLoop, maintenanceLoop.client(kept), kept);
    } finally {
      later(maintenanceLoop, doubt, left - 1);
    }
  }

  private static void askMembers(
      MaintenanceLoop maintenanceLoop, @Nullable ClientSession client, CachedResultRef kept) {
    if (client != null) {
      act(maintenanceLoop, client, kept, (at, search) -> at.stage().onClientAvailable(search));
    }
  }

  private static void act(
      MaintenanceLoop maintenanceLoop,
      ClientSession client,
      CachedResultRef kept,
      ClientAction step) {
    Operation search = maintenanceLoop.operation(client, kept.request());
    try {
      step.at(maintenanceLoop, search);
    } catch (MalformedRequestException e) {
      return; // the rules changed since the request was decoded
    } finally {
      search.abandon();
    }
  }
}
