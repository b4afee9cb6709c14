// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How long is waited for a server that says nothing, and how often. */
class ReconnectPolicyTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final ReconnectPolicy policy = new ReconnectPolicy(PATIENCE);

  private boolean isTooLong(long seconds) {
    return policy.isTimedOut(Duration.ofSeconds(seconds).toNanos() + 1);
  }

  /** Twice as long whenever the feed begins anew, so that a server that takes long says it then. */
  @Test
  void theTimeoutDoublesWithEachFullRefresh() {
    List<Long> waits = new ArrayList<>();
    for (int i = 0; i < 14; i++) {
      long seconds = 1;
      while (!isTooLong(seconds)) {
        seconds++;
      }
      waits.add(seconds);
      assertThat(policy.countTimeout()).isEqualTo(i % 2 == 1);
    }
    assertThat(waits)
        .containsExactly(
            60L, 60L, 120L, 120L, 240L, 240L, 480L, 480L, 960L, 960L, 960L, 960L, 960L, 960L);
  }

  @Test
  void timeoutsBeforeTheFeedIsLiveDoNotCount() {
    assertThat(policy.countTimeout()).isFalse();
    policy.onLive();
    assertThat(policy.countTimeout()).isFalse();
    assertThat(isTooLong(60)).isTrue();
  }

  /** What it may take once it may take again. */
  @Test
  void staysPatientOnceItIsLive() {
    policy.countTimeout();
    policy.countTimeout();
    policy.onLive();
    assertThat(isTooLong(119)).isFalse();
  }
}
