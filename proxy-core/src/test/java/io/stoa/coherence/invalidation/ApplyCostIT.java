// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.coherence.view.InvalidationCause;
import io.stoa.coherence.view.View;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.Samples;
import io.stoa.testing.Soak;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What it costs a coherence domain alone to apply a change, beside readers who look at its views:
 * with more and more cached queries, and with more and more of them concerned. Its sink is told
 * directly, without a directory and a feed, which {@code DirectWriteCostIT} has; in the long form
 * 1000 times a second, and there it is judged what it costs.
 */
@Tag("soak")
class ApplyCostIT {
  private static final int[] SIZES =
      Soak.isLong() ? new int[] {10, 1000, 100_000} : new int[] {10, 1000};
  private static final int[] CONCERNED = {0, 1, 100};
  private static final int CHANGES = Soak.scale(20, 5000);
  private static final int WARM = Soak.scale(0, 5000);
  private static final long PACE_NANOS = TimeUnit.MILLISECONDS.toNanos(Soak.scale(0, 1));
  private static final int READERS = 2;

  /** So many times what it costs with few cached queries it may cost with many. */
  private static final int MAX = 3;

  /** What one size and one number of concerned queries gave. */
  private record Cost(long medianNanos, long killed, int left) {}

  /** Of so many cached queries so many were concerned. */
  private record Load(int size, int concerned) {}

  private final Map<Load, Cost> costs = new HashMap<>();
  private final LongAdder hits = new LongAdder();
  private volatile boolean over;

  @Test
  void theCostGrowsWithTheAffectedViewsOnly() throws InterruptedException {
    for (int size : SIZES) {
      try (MeasuredDomain realm = new MeasuredDomain()) {
        List<View> cached = new ArrayList<>(size);
        for (int number = 0; number < size; number++) {
          cached.add(realm.cached("(uid=p" + number + ")", person(realm, number)));
        }
        List<Thread> readers = readers(cached);
        for (int concerned : CONCERNED) {
          measure(realm, concerned, WARM);
          Cost cost = measure(realm, concerned, CHANGES);
          assertThat(cost.killed()).isEqualTo((long) concerned * CHANGES);
          assertThat(cost.left()).isEqualTo(size);
          costs.put(new Load(size, concerned), cost);
          report(size, concerned, cost);
        }
        over = true;
        for (Thread reader : readers) {
          reader.join();
        }
        over = false;
      }
    }
    assertThat(hits.sum()).isPositive();
    if (Soak.isLong()) {
      assertThat(nanos(SIZES[2], 0)).isLessThanOrEqualTo(MAX * nanos(SIZES[0], 0));
      for (int size : SIZES) {
        assertThat(nanos(size, 100)).isGreaterThan(nanos(size, 1));
      }
    }
  }

  private long nanos(int size, int concerned) {
    return costs.get(new Load(size, concerned)).medianNanos();
  }

  private static ReadResult.Shown person(MeasuredDomain realm, int number) {
    return realm.shown(new Uuid(1, number), "uid=p" + number + "," + MeasuredDomain.CONTEXT);
  }

  private List<Thread> readers(List<View> cached) {
    List<Thread> readers = new ArrayList<>();
    for (int i = 0; i < READERS; i++) {
      readers.add(new Thread(() -> read(cached), "reader-" + i));
    }
    readers.forEach(Thread::start);
    return readers;
  }

  /** As a hit does it: the state of a view, and the lease. */
  private void read(List<View> cached) {
    for (int at = 0; !over; at = (at + 7) % cached.size()) {
      cached.get(at).isLive(System.nanoTime());
      hits.increment();
      LockSupport.parkNanos(1000);
    }
  }

  /** Somebody is changed whom so many cached queries show. */
  private static Cost measure(MeasuredDomain realm, int concerned, int count) {
    Uuid uuid = new Uuid(2, 1);
    String dn = "uid=changed," + MeasuredDomain.CONTEXT;
    long killedBefore = killed(realm);
    long[] nanos = new long[count];
    long due = System.nanoTime();
    for (int i = 0; i < count; i++) {
      for (int query = 0; query < concerned; query++) {
        realm.cached("(&(uid=changed)(cn=c" + query + "))", realm.shown(uuid, dn));
      }
      due += PACE_NANOS;
      LockSupport.parkNanos(due - System.nanoTime());
      nanos[i] = realm.modified(uuid, changed(dn, i));
    }
    long killed = killed(realm) - killedBefore;
    return new Cost(median(nanos), killed, realm.realm().status().views());
  }

  private static long killed(MeasuredDomain realm) {
    return realm.realm().status().invalidations().getOrDefault(InvalidationCause.CHANGE, 0L);
  }

  private static Image changed(String dn, int version) {
    return Samples.image(
        Samples.entry(
            dn,
            "objectClass: person",
            "uid: changed",
            "cn: c0",
            "sn: v" + version,
            "telephoneNumber: " + version,
            "hasSubordinates: FALSE"));
  }

  private static long median(long[] figures) {
    long[] sorted = figures.clone();
    Arrays.sort(sorted);
    return sorted.length == 0 ? 0 : sorted[sorted.length / 2];
  }

  private static void report(int size, int concerned, Cost cost) {
    Soak.record(
        String.format(
            Locale.ROOT,
            "%,d cached queries, %d concerned by each change: %.1f us of the realm's thread for"
                + " each change%s",
            size,
            concerned,
            cost.medianNanos() / 1000.0,
            concerned == 0
                ? ""
                : String.format(
                    Locale.ROOT,
                    ", %.2f us for each concerned query",
                    cost.medianNanos() / 1000.0 / concerned)));
  }
}
