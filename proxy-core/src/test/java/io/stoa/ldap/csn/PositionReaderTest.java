// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.csn;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Values are as slapd 2.5, 389-ds 2.3 and Samba 4.17 give them. */
class PositionReaderTest {
  private static final String CONTEXT = "dc=example,dc=com";
  private static final String EARLY = "20261120193511.087321Z#000000#001#000000";
  private static final String LATE = "20261120193511.087322Z#000000#001#000000";
  private static final String OTHER = "20261120193400.000001Z#000000#002#000000";

  private static Position csn(String... values) {
    return PositionReader.ofContextCsn(CONTEXT, List.of(values));
  }

  @Test
  void aContextCsnIsAVectorByServerIds() {
    assertThat(csn(EARLY, OTHER).marks())
        .containsEntry(CONTEXT + "#001", EARLY)
        .containsEntry(CONTEXT + "#002", OTHER)
        .hasSize(2);
  }

  @Test
  void aLaterPositionCoversAnEarlierOne() {
    assertThat(csn(LATE, OTHER).covers(csn(EARLY))).isTrue();
    assertThat(csn(EARLY).covers(csn(EARLY))).isTrue();
    assertThat(csn(EARLY).covers(csn(LATE))).isFalse();
    assertThat(csn(LATE).covers(csn(OTHER))).isFalse();
    assertThat(csn(EARLY).merge(csn(LATE, OTHER))).isEqualTo(csn(LATE, OTHER));
  }

  @Test
  void invalidMarksAreIgnored() {
    assertThat(csn("", "20261120Z", "x#y#z#w", "9".repeat(10_000)).isEmpty()).isTrue();
    assertThat(PositionReader.of(CONTEXT, new byte[] {1, 2}).isEmpty()).isTrue();
    assertThat(PositionReader.ofUsn("s", "12x").isEmpty()).isTrue();
    assertThat(PositionReader.ofUsn("s", "9".repeat(30)).isEmpty()).isTrue();
  }

  @Test
  void anUpdateVectorIsOneByReplicas() {
    Position ruv =
        PositionReader.ofRuv(
            CONTEXT,
            List.of(
                "{replicageneration} 655f1c2a000000010000",
                "{replica 1 ldap://one.example.com:389} 655f1c2b000000010000 655f1c4b000200010000",
                "{replica 2 ldap://two.example.com:389}",
                "{replica 3} 655f1c2b000000030000 655f1c3b000000030000 655f1c3b"));
    assertThat(ruv.marks())
        .containsEntry(CONTEXT + "#655f1c2a000000010000/1", "655f1c4b000200010000")
        .containsEntry(CONTEXT + "#655f1c2a000000010000/3", "655f1c3b000000030000")
        .hasSize(2);
  }

  @Test
  void usnsOfTwoControllersAreNotComparable() {
    Position one = PositionReader.ofUsn("CN=NTDS Settings,CN=DC1", "3821");
    Position later = PositionReader.ofUsn("CN=NTDS Settings,CN=DC1", "12000");
    Position other = PositionReader.ofUsn("CN=NTDS Settings,CN=DC2", "99");
    assertThat(later.covers(one)).isTrue();
    assertThat(one.covers(later)).isFalse();
    assertThat(one.comparableWith(other)).isFalse();
    assertThat(one.comparableWith(later)).isFalse();
  }

  @Test
  void positionsAreComparedInTheSameNamingContexts() {
    Position second = PositionReader.ofContextCsn("o=second", List.of(EARLY));
    assertThat(csn(EARLY).comparableWith(csn(OTHER))).isTrue();
    assertThat(csn(EARLY).comparableWith(second)).isFalse();
    assertThat(csn(EARLY).merge(second).comparableWith(second)).isTrue();
    assertThat(Position.NONE.comparableWith(second)).isFalse();
    assertThat(second.comparableWith(Position.NONE)).isFalse();
  }
}
