// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.maintenance;

import io.stoa.cache.maintenance.Auditor.Asking;
import io.stoa.cache.result.Caches.Kept;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Octets;
import io.stoa.operation.ClientSession;
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
final class MismatchFollowUp implements Auditor.Doubter {
  /** Number of steps in which members are asked: 64, so for eight times the staleness bound. */
  private static final int STEPS = 64;

  private static final int STEPS_IN_BOUND = 8;

  /**
   * Maximum number of concurrent follow-ups: 256. Other mismatches wait for requests of the
   * members.
   */
  private static final int MOST = 256;

  private final List<Place> places;
  private final long stepNanos;
  private final AtomicInteger free = new AtomicInteger(MOST);

  /**
   * Creates the follow-up.
   *
   * @param bound staleness bound of results held by a feed
   */
  MismatchFollowUp(List<Place> places, Duration bound) {
    this.places = places;
    this.stepNanos = bound.toNanos() / STEPS_IN_BOUND;
  }

  /** Action on one event loop. */
  private interface Step {
    void at(Place place, Operation search) throws LdapProtocolException;
  }

  @Override
  public void doubt(Asking asking) {
    act(
        asking.place(),
        asking.client(),
        asking.kept(),
        (place, search) -> place.stage().doubted(search));
    if (free.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      List<Place> all = List.copyOf(places);
      Doubt doubt = new Doubt(asking, new AtomicInteger(all.size()));
      all.forEach(place -> later(place, doubt, STEPS));
    }
  }

  /**
   * A mismatch that is followed up. Threading: thread-safe.
   *
   * @param open number of event loops on which the follow-up has not ended
   */
  private record Doubt(Asking asking, AtomicInteger open) {}

  private void later(Place place, Doubt doubt, int left) {
    if (left > 0) {
      try {
        place.loop().schedule(() -> pass(place, doubt, left), stepNanos, TimeUnit.NANOSECONDS);
      } catch (RejectedExecutionException e) {
        return; // the proxy is shutting down
      }
    } else if (doubt.open().decrementAndGet() == 0) {
      free.incrementAndGet();
    }
  }

  private void pass(Place place, Doubt doubt, int left) {
    Asking asking = doubt.asking();
    Kept kept = asking.kept();
    Octets reader = kept.reader();
    try {
      pass(place, reader == null ? null : place.named(reader), kept);
      pass(place, place.named(asking.client().identity().name()), kept);
      pass(place, place.client(kept), kept);
    } finally {
      later(place, doubt, left - 1);
    }
  }

  private static void pass(Place place, @Nullable ClientSession client, Kept kept) {
    if (client != null) {
      act(place, client, kept, (at, search) -> at.stage().comesBy(search));
    }
  }

  private static void act(Place place, ClientSession client, Kept kept, Step step) {
    Operation search = place.operation(client, kept.request(), ResponseCollector::nothing);
    try {
      step.at(place, search);
    } catch (LdapProtocolException e) {
      return; // the rules changed since the request was decoded
    } finally {
      search.abandon();
    }
  }
}
