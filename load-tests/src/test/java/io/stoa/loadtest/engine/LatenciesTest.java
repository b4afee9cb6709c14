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
  void latenciesOfEventLoopsAddUp() {
    record(latencies.newThread(), "a", 0, 100 * MICRO);
    record(latencies.newThread(), "a", SECOND, SECOND + 300 * MICRO);
    record(latencies.newThread(), "b", 2 * SECOND, 4 * SECOND);
    Latencies.Summary a = latencies.byName().get("a");
    assertThat(a.ok()).isEqualTo(2);
    assertThat(a.micros().getMinValue()).isEqualTo(100);
    assertThat(a.micros().getMaxValue()).isEqualTo(300);
    assertThat(a.rate()).isBetween(1.99, 2.0);
    assertThat(latencies.total().ok()).isEqualTo(3);
    assertThat(latencies.total().rate()).isEqualTo(0.75);
  }

  @Test
  void onlyRequestsThatEndInTheWindowCount() {
    Latencies windowed = Latencies.ofAWindow();
    Latencies.OfThread thread = windowed.newThread();
    long now = System.nanoTime();
    record(thread, "a", now, now);
    windowed.open(Duration.ofSeconds(1), Duration.ofSeconds(4));
    windowed.open(Duration.ofSeconds(9), Duration.ofSeconds(9));
    long opened = windowed.byName().get("a").first() - SECOND;
    record(thread, "a", opened, opened + SECOND / 2);
    record(thread, "a", opened, opened + 2 * SECOND);
    record(thread, "a", opened, opened + 4 * SECOND);
    record(thread, "a", opened, opened + 6 * SECOND);
    Latencies.Summary a = windowed.byName().get("a");
    assertThat(a.ok()).isEqualTo(5);
    assertThat(a.counted()).isEqualTo(2);
    assertThat(a.rate()).isEqualTo(0.5);
  }

  @Test
  void windowThatEndsBeforeItBeginsHoldsNothing() {
    Latencies windowed = Latencies.ofAWindow();
    windowed.open(Duration.ofSeconds(1), Duration.ofSeconds(4));
    windowed.close();
    long now = System.nanoTime();
    record(windowed.newThread(), "a", now, now + 2 * SECOND);
    assertThat(windowed.total().rate()).isZero();
    assertThat(windowed.total().ok()).isEqualTo(1);
  }

  @Test
  void anEmptyRecordingHasNoResults() {
    assertThat(latencies.total().rate()).isZero();
    assertThat(latencies.byName()).isEmpty();
  }

  private static void record(Latencies.OfThread thread, String name, long begun, long ended) {
    thread.record(name, begun, ended, new LdapAnswer(false), Optional.empty());
  }
}
