// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Bounds of one server that become others. */
class BoundsTest {
  private static final class Waiting implements PoolMember {
    private final AtomicInteger told = new AtomicInteger();

    @Override
    public void roomExpected() {
      told.incrementAndGet();
    }

    @Override
    public void idleWanted() {
      throw new AssertionError("it has none");
    }
  }

  @Test
  void whoWaitsToMakeAConnectionHearsOfMoreRoom() {
    ConnectLimiter attempts = new ConnectLimiter(1);
    Waiting waiting = new Waiting();
    assertThat(attempts.begin(new Waiting())).isTrue();
    assertThat(attempts.begin(waiting)).isFalse();
    attempts.most(2);
    assertThat(waiting.told).hasValue(1);
    assertThat(attempts.begin(waiting)).isTrue();
    attempts.most(1);
    attempts.ended();
    assertThat(attempts.begin(waiting)).as("one is in the making").isFalse();
  }

  @Test
  void aServerThatHasReturnedGetsItsPartWhenItIsSaid() {
    Weight weight = new Weight(100, Duration.ofHours(1));
    weight.moved(BackendState.UP, false);
    weight.moved(BackendState.DOWN, false);
    weight.moved(BackendState.UP, false);
    long soon = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
    assertThat(weight.at(soon)).isEqualTo(10);
    weight.ramp(Duration.ZERO);
    assertThat(weight.at(soon)).isEqualTo(100);
  }
}
