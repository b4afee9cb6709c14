// SPDX-License-Identifier: Apache-2.0
package io.stoa.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.csn.Position;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PrimaryTimelineTest {
  private static final int MARKS = 2_000;

  private final PrimaryTimeline timeline = new PrimaryTimeline();

  private static Position position(int mark) {
    return Position.of(Map.of("origin", "20261128120000.%06dZ".formatted(mark)));
  }

  @Test
  void lagIsNeverUnderstatedWhereMarksWereDropped() {
    IntStream.range(0, MARKS).forEach(i -> timeline.observe(position(i), 10L * i, 10L * i - 3));
    for (int reached = 0; reached + 1 < MARKS; reached++) {
      PrimaryTimeline.FirstSeen missing = timeline.firstMissing(position(reached));
      assertThat(missing).isNotNull();
      assertThat(missing.seen()).isLessThanOrEqualTo(10L * (reached + 1));
      assertThat(missing.notBefore()).isLessThanOrEqualTo(10L * (reached + 1) - 3);
    }
    assertThat(timeline.firstMissing(position(MARKS - 1))).isNull();
  }
}
