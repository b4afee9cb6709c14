// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.stoa.write.WindowConfig.Batch;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The limits of a window's configuration, and the first value beyond each. */
class WindowConfigTest {
  private static WindowConfig window(long millis, int operations) {
    Duration every = Duration.ofMillis(millis);
    return new WindowConfig("w", null, null, every, operations, Batch.SINGLE, false);
  }

  @ParameterizedTest
  @CsvSource({"20, 1", "10000, 10000"})
  void theLimitsThemselvesAreAccepted(long millis, int operations) {
    assertThat(window(millis, operations).every()).hasMillis(millis);
  }

  @ParameterizedTest
  @CsvSource({
    "19, 1, every 19 ms is below 20 ms",
    "10001, 1, every 10001 ms is above 10 s",
    "20, 0, maxOperations 0 is out of range 1 to 10000",
    "20, 10001, maxOperations 10001 is out of range 1 to 10000"
  })
  void valuesBeyondTheLimitsAreRefused(long millis, int operations, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> window(millis, operations))
        .withMessage(message);
  }
}
