// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.tracking;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.csn.Position;
import io.stoa.operation.ReadSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The server whose position vouches for an answer. */
class FeedCoverageTest {
  private static final Position OLDER = position(1);
  private static final Position NEWER = position(2);

  private static Position position(int second) {
    String csn = "2026010100000%d.000000Z#000000#001#000000".formatted(second);
    return Position.of(Map.of("dc=x#001", csn));
  }

  private static FeedCoverage coverage(Object onlyServer) {
    return new FeedCoverage(null, null, null, null, null, () -> true, () -> true, onlyServer);
  }

  private static ReadSource read(Object server, Position position) {
    return new ReadSource(server, position, 0, 0);
  }

  @Test
  void severalReadsOfAServerCountAsTheOldest() {
    FeedCoverage coverage = coverage(null);
    List<ReadSource> reads = List.of(read("a", NEWER), read("a", OLDER));
    assertThat(coverage.source(reads)).isEqualTo(read("a", OLDER));
    assertThat(coverage.source(List.of(reads.get(0)))).isEqualTo(read("a", NEWER));
  }

  @Test
  void noServerVouchesForTheAnswerOfSeveral() {
    FeedCoverage coverage = coverage(null);
    assertThat(coverage.source(List.of(read("a", NEWER), read("b", NEWER)))).isNull();
  }

  @Test
  void theOnlyServerNeedsNoPosition() {
    assertThat(coverage("a").source(List.of())).isEqualTo(read("a", Position.NONE));
    assertThat(coverage(null).source(List.of())).isNull();
  }
}
