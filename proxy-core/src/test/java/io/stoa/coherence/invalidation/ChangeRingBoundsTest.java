// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import static io.stoa.testing.SmallDirectory.CONTEXT;
import static io.stoa.testing.SmallDirectory.modified;
import static io.stoa.testing.SmallDirectory.person;
import static io.stoa.testing.SmallDirectory.query;
import static io.stoa.testing.SmallDirectory.upTo;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.coherence.invalidation.ChangeRing.Bounds;
import io.stoa.coherence.invalidation.ChangeRing.ReadSummary;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.filter.Query;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the ring keeps stays within bounds, and what it does not keep is not relied on. */
class ChangeRingBoundsTest {
  private static final Query ALL = query("dc=x", 2, "(objectClass=person)");
  private static final Duration KEEP = Duration.ofSeconds(10);
  private static final Duration IMAGES = Duration.ofSeconds(1);
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final List<RingRecord> forgotten = new ArrayList<>();

  private ChangeRing ring(int records, long octets) {
    Bounds bounds = new Bounds(KEEP, records, IMAGES, octets);
    return new ChangeRing(bounds, CONTEXT, upTo(0), forgotten::add);
  }

  private static void append(ChangeRing ring, int number, Image image, long now) {
    ring.append(modified(number, image, number), now);
    ring.covered(upTo(number));
  }

  private static void append(ChangeRing ring, int from, int to, long now) {
    for (int number = from; number <= to; number++) {
      append(ring, number, person("cn=a" + number + ",dc=x", "Miller"), now);
    }
  }

  private static ReadSummary had(int number) {
    return new ReadSummary(ALL, Map.of(), false, upTo(number), 3600 * SECOND);
  }

  @Test
  void keepsYoungChangesAndAMinimumOfOldOnes() {
    ChangeRing ring = ring(10, 1 << 30);
    append(ring, 1, 100, 0);
    assertThat(ring.size()).isEqualTo(100);
    append(ring, 101, 105, 11 * SECOND);
    assertThat(ring.size()).isEqualTo(10);
    assertThat(forgotten).hasSize(95).extracting(RingRecord::seq).isSorted();
    ring.removeAged(3600 * SECOND);
    assertThat(ring.size()).isEqualTo(10);
  }

  @Test
  void readersThatMayLackForgottenChangesAreIncomplete() {
    ChangeRing ring = ring(10, 1 << 30);
    append(ring, 1, 100, 0);
    assertThat(ring.isComplete(had(0))).isTrue();
    append(ring, 101, 105, 11 * SECOND);
    assertThat(ring.floor()).isEqualTo(upTo(95));
    assertThat(ring.isComplete(had(94))).isFalse();
    assertThat(ring.isComplete(had(95))).isTrue();
  }

  @Test
  void noPositionCoversUnsettledForgottenChanges() {
    ChangeRing ring = ring(10, 20_000);
    append(ring, 1, 1_000, 5 * SECOND);
    ReadSummary early = new ReadSummary(ALL, Map.of(), false, upTo(1_000), 5 * SECOND);
    assertThat(ring.isComplete(early)).isFalse();
    ReadSummary later = new ReadSummary(ALL, Map.of(), false, upTo(1_000), 5 * SECOND + 1);
    assertThat(ring.isComplete(later)).isTrue();
  }

  @Test
  void staysWithinItsMemoryLimit() {
    ChangeRing ring = ring(1_000_000, 100_000);
    append(ring, 1, 10_000, 0);
    assertThat(ring.octets()).isLessThanOrEqualTo(75_000);
    assertThat(ring.size()).isBetween(1, 1_000);
    assertThat(forgotten).hasSize(10_000 - ring.size());
  }

  @Test
  void forgetsImagesBeforeChanges() {
    ChangeRing ring = ring(10, 1 << 30);
    append(ring, 1, 3, 0);
    assertThat(ring.relevantTo(had(0))).allMatch(it -> it.change().image() != null);
    assertThat(ring.hasImages()).isTrue();
    ring.removeAged(SECOND);
    assertThat(ring.hasImages()).isFalse();
    assertThat(ring.relevantTo(had(0))).hasSize(3).allMatch(it -> it.change().image() == null);
  }

  @Test
  void largeEntriesTakeNoMoreThanTheRoomForImages() {
    ChangeRing ring = ring(10, 400_000);
    for (int number = 1; number <= 20; number++) {
      append(ring, number, person("cn=a,dc=x", "x".repeat(30_000)), 0);
    }
    long withImage =
        ring.relevantTo(new ReadSummary(ALL, Map.of(), false, upTo(0), 0)).stream()
            .filter(it -> it.change().image() != null)
            .count();
    assertThat(withImage).isBetween(1L, 3L);
    assertThat(ring.size()).isEqualTo(20);
  }

  @Test
  void changesKeepNoCookie() {
    ChangeRing ring = ring(10, 1 << 30);
    append(ring, 1, 1, 0);
    assertThat(ring.relevantTo(had(0)).get(0).change().receipt().cookie()).isNull();
  }
}
