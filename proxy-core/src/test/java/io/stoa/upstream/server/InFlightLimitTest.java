// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a cap makes of refusals and answers, by a clock that the test moves. */
class InFlightLimitTest {
  private static final long TRIP = TimeUnit.MILLISECONDS.toNanos(2);

  private final InFlightLimit limit = new InFlightLimit(0);
  private long now = TimeUnit.DAYS.toNanos(1);

  /** Refused after a round trip with so many under way. */
  private boolean refused(int underWay) {
    now += TRIP;
    return limit.onRefused(now - TRIP, now, underWay);
  }

  /** As many are done in one round trip as may be under way. */
  private void roundTrips(int count) {
    for (int i = 0; i < count; i++) {
      now += TRIP;
      int fit = limit.cap();
      for (int done = 0; done < fit; done++) {
        limit.onCompleted(now - TRIP + 1, now, true);
      }
    }
  }

  @Test
  void noLimitHoldsBeforeTheFirstRefusal() {
    limit.onCompleted(now - TRIP, now, true);
    assertThat(limit.cap()).isEqualTo(InFlightLimit.NONE);
    assertThat(refused(40)).isTrue();
    assertThat(limit.cap()).isEqualTo(30);
    assertThat(limit.decreases()).isOne();
  }

  @Test
  void refusalsOfFewOperationsSetNoLimit() {
    assertThat(refused(4)).isFalse();
    assertThat(limit.cap()).isEqualTo(InFlightLimit.NONE);
    assertThat(refused(5)).isTrue();
    assertThat(limit.cap()).isEqualTo(4);
    assertThat(refused(5)).isTrue();
    assertThat(limit.cap()).isEqualTo(4);
  }

  /** Sixty-four at once before a server that does eight: what it left is what it takes. */
  @Test
  void refusalsOfOneRoundTripDecreaseOnce() {
    long sent = now;
    now += TRIP;
    for (int underWay = 64; underWay > 8; underWay--) {
      limit.onRefused(sent, now, underWay);
    }
    assertThat(limit.cap()).isEqualTo(8);
    assertThat(limit.decreases()).isOne();
  }

  @Test
  void theLimitGrowsByOnePerRoundTrip() {
    refused(40);
    roundTrips(5);
    assertThat(limit.cap()).isBetween(34, 35);
  }

  @Test
  void theLimitGrowsSlowlyNearTheLastRefusal() {
    refused(9);
    roundTrips(3);
    assertThat(limit.cap()).isEqualTo(8);
    roundTrips(5);
    assertThat(limit.cap()).isEqualTo(8);
    roundTrips(20);
    assertThat(limit.cap()).isGreaterThanOrEqualTo(10);
    int before = limit.cap();
    roundTrips(10);
    assertThat(limit.cap()).isBetween(before + 8, before + 10);
  }

  @Test
  void answersToRequestsBeforeADecreaseDoNotCount() {
    refused(40);
    for (int i = 0; i < 1_000; i++) {
      limit.onCompleted(now - TRIP, now, true);
    }
    assertThat(limit.cap()).isEqualTo(30);
  }

  @Test
  void anUnusedLimitIsLiftedAfterThirtySeconds() {
    refused(40);
    now += TimeUnit.SECONDS.toNanos(29);
    limit.onCompleted(now - TRIP, now, false);
    assertThat(limit.cap()).isEqualTo(30);
    now += TimeUnit.SECONDS.toNanos(2);
    limit.onCompleted(now - TRIP, now, false);
    assertThat(limit.cap()).isEqualTo(InFlightLimit.NONE);
  }

  @Test
  void timeoutsDecreaseTheLimitOncePerSecond() {
    limit.onTimeout(now, 40);
    limit.onTimeout(now, 40);
    assertThat(limit.cap()).isEqualTo(30);
    now += TimeUnit.SECONDS.toNanos(2);
    limit.onTimeout(now, 40);
    assertThat(limit.cap()).isEqualTo(22);
  }

  @Test
  void theConfiguredLimitAlwaysHolds() {
    InFlightLimit configured = new InFlightLimit(10);
    assertThat(configured.cap()).isEqualTo(10);
    configured.onRefused(now, now, 8);
    assertThat(configured.cap()).isEqualTo(6);
    configured.clear();
    assertThat(configured.cap()).isEqualTo(10);
  }
}
