// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What does not hold when it is looked at after its time is over fails, and nothing else. */
class AwaitTest {
  private final AtomicInteger looks = new AtomicInteger();

  @Test
  void aConditionIsCheckedOnceMoreAfterTheTimeout() {
    Await.until("it holds", Duration.ZERO, () -> looks.incrementAndGet() == 2);
    assertThat(looks).hasValue(2);
  }

  @Test
  void aConditionThatStaysFalseFails() {
    assertThatThrownBy(() -> Await.until("it holds", Duration.ZERO, () -> isLooked(3)))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("it holds");
    assertThat(looks).hasValue(2);
  }

  private boolean isLooked(int times) {
    return looks.incrementAndGet() == times;
  }
}
