// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Bounds of one server that become others. */
class ServerLimitChangeTest {
  private static final class Waiting implements PoolMember {
    private final AtomicInteger wakeUps = new AtomicInteger();

    @Override
    public void onRoomExpected() {
      wakeUps.incrementAndGet();
    }

    @Override
    public void onIdleWanted() {
      throw new AssertionError("it has none");
    }
  }

  @Test
  void aRaisedLimitWakesAWaitingConnect() {
    ConnectLimiter attempts = new ConnectLimiter(1);
    Waiting waiting = new Waiting();
    assertThat(attempts.tryBegin(new Waiting())).isTrue();
    assertThat(attempts.tryBegin(waiting)).isFalse();
    attempts.setMax(2);
    assertThat(waiting.wakeUps).hasValue(1);
    assertThat(attempts.tryBegin(waiting)).isTrue();
    attempts.setMax(1);
    attempts.onEnded();
    assertThat(attempts.tryBegin(waiting)).as("one is in the making").isFalse();
  }

  @Test
  void aRampOfZeroGivesTheFullWeightAtOnce() {
    Weight weight = new Weight(100, Duration.ofHours(1));
    weight.onState(BackendState.UP, false);
    weight.onState(BackendState.DOWN, false);
    weight.onState(BackendState.UP, false);
    long soon = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
    assertThat(weight.at(soon)).isEqualTo(10);
    weight.setRamp(Duration.ZERO);
    assertThat(weight.at(soon)).isEqualTo(100);
  }
}
