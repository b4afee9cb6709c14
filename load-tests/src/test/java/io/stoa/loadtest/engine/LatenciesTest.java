// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LatenciesTest {
  private static final long MICRO = 1000;
  private static final long SECOND = 1_000_000_000;

  private final Latencies latencies = new Latencies();

  @Test
  void loopsAddUp() {
    record(latencies.newThread(Duration.ZERO), "a", 0, 100 * MICRO);
    record(latencies.newThread(Duration.ZERO), "a", SECOND, SECOND + 300 * MICRO);
    record(latencies.newThread(Duration.ZERO), "b", 2 * SECOND, 4 * SECOND);
    Latencies.Summary a = latencies.byName().get("a");
    assertThat(a.ok()).isEqualTo(2);
    assertThat(a.micros().getMinValue()).isEqualTo(100);
    assertThat(a.micros().getMaxValue()).isEqualTo(300);
    assertThat(a.rate()).isBetween(1.99, 2.0);
    assertThat(latencies.total().ok()).isEqualTo(3);
    assertThat(latencies.total().rate()).isEqualTo(0.75);
  }

  /** An answer that is ten intervals late has kept nine requests from being sent. */
  @Test
  void lateAnswersCountForWhatTheyKeptFromBeingSent() {
    record(latencies.newThread(Duration.ofMillis(100)), "a", 0, SECOND);
    assertThat(latencies.byName().get("a").micros().getTotalCount()).isEqualTo(10);
    assertThat(latencies.byName().get("a").ok()).isEqualTo(1);
  }

  @Test
  void nothingWasSent() {
    assertThat(latencies.total().rate()).isZero();
    assertThat(latencies.byName()).isEmpty();
  }

  private static void record(Latencies.OfThread thread, String name, long begun, long ended) {
    thread.record(name, begun, ended, new LdapAnswer(false), Optional.empty());
  }
}
