// SPDX-License-Identifier: Apache-2.0
package io.stoa.replication;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The writes that sessions may have seen, with more sessions than have watermarks of their own. */
class ReadWatermarksTest {
  private final ReadWatermarks watermarks = new ReadWatermarks();

  /** Raises the watermarks of sessions 1 to {@code last}, each to its own number. */
  private void raiseAll(int last) {
    for (int session = 1; session <= last; session++) {
      watermarks.raise(session, session);
    }
  }

  @Test
  void eachSessionHasItsOwnWatermark() {
    raiseAll(ReadWatermarks.MAX);
    watermarks.raise(7, 3);
    assertThat(watermarks.watermark(1)).isEqualTo(1);
    assertThat(watermarks.watermark(7)).isEqualTo(7);
    assertThat(watermarks.watermark(0)).isZero();
  }

  @Test
  void oneSessionMoreEvictsTheLowerHalf() {
    raiseAll(ReadWatermarks.MAX + 1);
    long evicted = ReadWatermarks.MAX / 2 + 1;
    for (int session = 0; session <= ReadWatermarks.MAX + 1; session++) {
      assertThat(watermarks.watermark(session)).isEqualTo(Math.max(session, evicted));
    }
  }

  /** Sessions that come and go while writes never cease do not raise the watermark of all. */
  @Test
  void theWatermarkOfAllFollowsTheOlderHalf() {
    int last = 10 * ReadWatermarks.MAX;
    raiseAll(last);
    assertThat(watermarks.watermark(0)).isBetween(1L, (long) last - ReadWatermarks.MAX / 2);
    watermarks.clear();
    assertThat(watermarks.watermark(last)).isZero();
  }

  @Test
  void equalWatermarksAreEvictedTogether() {
    for (int session = 0; session <= ReadWatermarks.MAX; session++) {
      watermarks.raise(session, 5);
    }
    watermarks.raise("later", 6);
    assertThat(watermarks.watermark(0)).isEqualTo(5);
    assertThat(watermarks.watermark("later")).isEqualTo(6);
  }
}
