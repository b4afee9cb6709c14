// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.stoa.server.config.value.ValueType.Scalar;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ValueTypesTest {
  @ParameterizedTest
  @CsvSource({"0, 0", "200ms, 200", "5s, 5000", "90s, 90000", "2m, 120000", "1h, 3600000"})
  void durations(String text, long millis) {
    assertThat(ValueTypes.DURATION.parser().apply(text)).isEqualTo(Duration.ofMillis(millis));
    assertRoundTrip(ValueTypes.DURATION, Duration.ofMillis(millis));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "5", "-5s", "5 s", "1.5s", "5S", "s", "1d", "99999999999999999999s"})
  void noDurations(String text) {
    assertRefused(ValueTypes.DURATION, text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"999999999999999999h"})
  void endlessDurations(String text) {
    assertRefused(ValueTypes.DURATION, text);
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "7, 7", "1KiB, 1024", "4MiB, 4194304", "3GiB, 3221225472", "1025, 1025"})
  void sizes(String text, long octets) {
    assertThat(ValueTypes.SIZE.parser().apply(text)).isEqualTo(octets);
    assertRoundTrip(ValueTypes.SIZE, octets);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-1", "4MB", "4 MiB", "4mib", "MiB", "999999999999999999GiB"})
  void noSizes(String text) {
    assertRefused(ValueTypes.SIZE, text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"2GiB", "2147483648"})
  void sizesThatAreTooLargeForOneResult(String text) {
    assertRefused(ValueTypes.INT_SIZE, text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "1.5", "2147483648", "1_000"})
  void noNumbers(String text) {
    assertRefused(ValueTypes.NUMBER, text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"cn", "x-long-1", "2.5.4.3"})
  void attributes(String text) {
    assertThat(ValueTypes.ATTRIBUTE.parser().apply(text)).isEqualTo(text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "c n", "cn;lang-de", "-cn", "2."})
  void noAttributes(String text) {
    assertRefused(ValueTypes.ATTRIBUTE, text);
  }

  private static <T> void assertRoundTrip(Scalar<T> type, T value) {
    assertThat(type.parser().apply(type.printer().apply(value))).isEqualTo(value);
  }

  private static void assertRefused(Scalar<?> type, String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> type.parser().apply(text))
        .withMessageContaining("'" + text + "'");
  }
}
