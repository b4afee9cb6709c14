// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation.digest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Estimates of distinct hashes. */
class DistinctCountTest {
  @Test
  void isEmptyAtFirst() {
    assertThat(new DistinctCount().estimate()).isZero();
  }

  /** The bound is four standard errors. */
  @ParameterizedTest
  @ValueSource(ints = {1, 10, 300, 2_000, 3_000, 100_000, 2_000_000})
  void estimatesTheNumber(int number) {
    DistinctCount count = new DistinctCount();
    int[] hashes = new SplittableRandom(number).ints(number, 0, Integer.MAX_VALUE).toArray();
    for (int round = 0; round < 2; round++) {
      for (int hash : hashes) {
        count.add(hash);
      }
    }
    assertThat(count.estimate()).isCloseTo(number, within(Math.max(1L, number * 13L / 100)));
  }
}
