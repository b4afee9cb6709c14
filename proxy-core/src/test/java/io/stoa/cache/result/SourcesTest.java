// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.csn.Position;
import io.stoa.operation.ReadSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** From where an answer comes whose parts were read at many times. */
class SourcesTest {
  private static ReadSource at(String server, String one, String other, long tick) {
    return new ReadSource(server, Position.of(Map.of("x#1", one, "x#2", other)), tick, tick);
  }

  @Test
  void repeatedReadsFromOneServerAreOneSource() {
    ReadSource first = at("a", "050", "050", 50);
    Sources sources = new Sources(List.of(first));
    for (int i = 0; i < 100; i++) {
      String mark = String.format("%03d", i);
      sources.add(List.of(at("a", mark, mark, i)));
    }
    assertThat(sources.all()).hasSize(1);
    ReadSource all = sources.all().get(0);
    assertThat(all.position()).isEqualTo(at("a", "000", "000", 0).position());
    assertThat(all.tick()).isZero();
    assertThat(all.behindNanos()).isEqualTo(99);
  }

  @Test
  void eachServerIsASource() {
    Sources sources = new Sources(List.of());
    sources.add(List.of(at("a", "5", "5", 5), at("b", "6", "6", 6)));
    sources.add(List.of(at("b", "4", "4", 7), at("a", "8", "8", 8)));
    assertThat(sources.all())
        .containsExactly(
            at("a", "5", "5", 5).merge(at("a", "8", "8", 8)),
            at("b", "6", "6", 6).merge(at("b", "4", "4", 7)));
  }

  /** Neither position says what was had both times; nor does one without an origin of the other. */
  @Test
  void aMergedPositionCoversOnlyTheCommonPart() {
    ReadSource both = at("a", "5", "2", 1).merge(at("a", "3", "4", 2));
    assertThat(both.position()).isEqualTo(at("a", "3", "2", 1).position());
    ReadSource less = new ReadSource("a", Position.of(Map.of("x#2", "9")), 0, 3);
    assertThat(both.merge(less).position()).isEqualTo(Position.of(Map.of("x#2", "2")));
    assertThat(both.merge(new ReadSource("a", Position.NONE, 0, 3)).position().isEmpty()).isTrue();
  }
}
