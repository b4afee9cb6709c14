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
 * What members of a class share was found not to be what the directory gives one of them. That is
 * looked into as if the member had been given it; and so that it is known soon, nobody waits until
 * those who can say more come by with requests of their own. Thread-safe.
 */
final class MismatchFollowUp implements Auditor.Doubter {
  /** In each step the members are asked that are to be, eight times the bound long. */
  private static final int STEPS = 64;

  private static final int STEPS_IN_BOUND = 8;

  /** So many are followed up at once; others wait until those concerned come by themselves. */
  private static final int MOST = 256;

  private final List<Place> places;
  private final long stepNanos;
  private final AtomicInteger free = new AtomicInteger(MOST);

  /**
   * Makes it.
   *
   * @param bound how old may be what rests on a feed
   */
  MismatchFollowUp(List<Place> places, Duration bound) {
    this.places = places;
    this.stepNanos = bound.toNanos() / STEPS_IN_BOUND;
  }

  /** What is asked of a place. */
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

  /** One that is followed up, and at how many places that has not come to its end. Thread-safe. */
  private record Doubt(Asking asking, AtomicInteger open) {}

  private void later(Place place, Doubt doubt, int left) {
    if (left > 0) {
      try {
        place.loop().schedule(() -> pass(place, doubt, left), stepNanos, TimeUnit.NANOSECONDS);
      } catch (RejectedExecutionException e) {
        return; // the proxy ends
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
      return; // the rules by which it was understood are others now
    } finally {
      search.abandon();
    }
  }
}
