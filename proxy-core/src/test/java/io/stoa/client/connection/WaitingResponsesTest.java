// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How long clients may hold up servers, by a clock that the test moves. */
class WaitingResponsesTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final WaitingResponses waiting = new WaitingResponses(100);
  private final long now = System.nanoTime();

  @Test
  void theStallLimitShrinksWithHeldOperations() {
    assertThat(waiting.maxStallNanos(1, now)).isEqualTo(10 * SECOND);
    waiting.hold(1);
    assertThat(waiting.maxStallNanos(1, now)).isEqualTo(10 * SECOND / 4);
    waiting.hold(3);
    assertThat(waiting.maxStallNanos(0, now)).isEqualTo(SECOND);
    assertThat(waiting.maxHoldNanos(60 * SECOND)).isEqualTo(15 * SECOND);
    waiting.hold(96);
    assertThat(waiting.maxHoldNanos(60 * SECOND)).isEqualTo(5 * SECOND);
  }

  @Test
  void recentDisconnectionsShortenTheStallLimit() {
    waiting.onDisconnected(now);
    waiting.onDisconnected(now);
    assertThat(waiting.maxStallNanos(0, now + SECOND)).isEqualTo(10 * SECOND / 4);
    assertThat(waiting.maxStallNanos(0, now + 31 * SECOND)).isEqualTo(10 * SECOND);
  }

  @Test
  void theStallLimitIsZeroAboveTheTotalLimit() {
    waiting.add(100);
    assertThat(waiting.isExceeded()).isFalse();
    waiting.add(1);
    assertThat(waiting.isExceeded()).isTrue();
    assertThat(waiting.maxStallNanos(1, now)).isZero();
    waiting.add(-1);
    assertThat(waiting.isExceeded()).isFalse();
  }
}
