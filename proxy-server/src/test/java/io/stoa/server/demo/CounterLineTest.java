// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CounterLineTest {
  private final CounterLine line = new CounterLine();

  @Test
  void aLineWithoutSearchesSaysSo() {
    assertThat(line.next(new CounterLine.Numbers(0, 0, 0, 4), 2))
        .isEqualTo(
            "operations 0 (0/s)   hits 0 (0/s)   misses 0 (0/s)   hit ratio -"
                + "   upstream operations 4 (2/s), Stoa's own included   (no searches yet)");
  }

  @Test
  void ratesCountSinceThePreviousLine() {
    line.next(new CounterLine.Numbers(100, 50, 50, 60), 2);
    assertThat(line.next(new CounterLine.Numbers(400, 250, 50, 70), 2))
        .isEqualTo(
            "operations 400 (150/s)   hits 250 (100/s)   misses 50 (0/s)   hit ratio 83%"
                + "   upstream operations 70 (5/s), Stoa's own included");
  }
}
