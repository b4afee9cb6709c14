// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.freshness;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Twice the slowest write of the last minute, and at least 20 ms. */
class WriteLatencyTest {
  private long now = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(30);
  private final WriteLatency latency = new WriteLatency(() -> now);

  private void took(long millis) {
    latency.record(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  private long margin() {
    return TimeUnit.NANOSECONDS.toMillis(latency.getAsLong());
  }

  private void pass(long seconds) {
    now += TimeUnit.SECONDS.toNanos(seconds);
  }

  @Test
  void isNeverLessThanTwentyMilliseconds() {
    assertThat(margin()).isEqualTo(20);
    took(3);
    assertThat(margin()).isEqualTo(20);
  }

  @Test
  void isTwiceTheSlowest() {
    took(30);
    took(200);
    took(10);
    assertThat(margin()).isEqualTo(400);
  }

  @Test
  void forgetsAfterAMinute() {
    took(200);
    pass(30);
    took(100);
    pass(30);
    assertThat(margin()).isEqualTo(400);
    pass(10);
    assertThat(margin()).isEqualTo(200);
    pass(40);
    assertThat(margin()).isEqualTo(20);
    pass(10_000);
    assertThat(margin()).isEqualTo(20);
    took(50);
    assertThat(margin()).isEqualTo(100);
  }
}
