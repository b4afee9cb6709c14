// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation.digest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.protocol.FilterNode;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.operation.event.CacheOutcome;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The digests of the most frequent patterns. */
class DigestTableTest {
  private static final int MICROS = 1_000;

  private final DigestTable table = new DigestTable();

  private static SearchOp search(String attribute) {
    FilterNode filter = new FilterNode.Equality(attribute.getBytes(UTF_8), new byte[] {'v'});
    return new SearchOp(new byte[0], 2, 0, 0, 0, false, filter, List.of());
  }

  private static void miss(SearchDigest digest) {
    digest.add(CacheOutcome.MISS, new SearchDigest.Answer(1, 100, 0), 50 * MICROS, 40 * MICROS);
  }

  private DigestStatus of(String attribute) {
    return table.status().stream()
        .filter(one -> one.pattern() != null && one.pattern().filter().contains(attribute + "="))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void equalPatternsHaveOneDigest() {
    assertThat(table.digest(search("UID"))).isSameAs(table.digest(search("uid")));
    assertThat(table.digest(search("uid"))).isNotSameAs(table.digest(search("cn")));
  }

  @Test
  void outcomesAreCountedApart() {
    SearchDigest digest = table.digest(search("uid"));
    digest.add(CacheOutcome.MISS, new SearchDigest.Answer(2, 100, 0), 50 * MICROS, 40 * MICROS);
    digest.add(CacheOutcome.BYPASS, new SearchDigest.Answer(0, 20, 32), 90 * MICROS, 80 * MICROS);
    digest.add(CacheOutcome.JOINED, new SearchDigest.Answer(1, 50, 0), 30 * MICROS, 0);
    digest.add(CacheOutcome.STALE, new SearchDigest.Answer(1, 50, 0), 10 * MICROS, 0);
    DigestBatch batch = new DigestBatch();
    batch.add(digest, 3, true, 0);
    batch.addOctets(digest, 300);
    batch.complete(12 * MICROS, System.nanoTime(), Octets.EMPTY, () -> Octets.EMPTY);
    DigestStatus status = of("uid");
    assertThat(status.searches()).isEqualTo(5);
    assertThat(status.hits()).isEqualTo(2);
    assertThat(status.misses()).isEqualTo(1);
    assertThat(status.joined()).isEqualTo(1);
    assertThat(status.bypassed()).isEqualTo(1);
    assertThat(status.entries()).isEqualTo(7);
    assertThat(status.octets()).isEqualTo(520);
    assertThat(status.empty()).isEqualTo(1);
    assertThat(status.failed()).isEqualTo(2);
    assertThat(status.upstream().toNanos()).isEqualTo(120 * MICROS);
    assertThat(status.hitTimes().total().toNanos()).isEqualTo(22 * MICROS);
    assertThat(status.missTimes().total().toNanos()).isEqualTo(170 * MICROS);
  }

  /** Whatever is replaced, no search is forgotten. */
  @Test
  void theTableIsBoundedAndKeepsTheFrequentOnes() {
    int patterns = 3 * DigestTable.MAX_PATTERNS;
    for (int i = 0; i < patterns; i++) {
      miss(table.digest(search("rare" + i)));
      miss(table.digest(search("frequent")));
    }
    List<DigestStatus> all = table.status();
    assertThat(all).hasSize(DigestTable.MAX_PATTERNS + 1);
    assertThat(of("frequent").searches()).isEqualTo(patterns);
    assertThat(all.get(0).pattern()).isEqualTo(of("frequent").pattern());
    assertThat(all.get(all.size() - 1).pattern()).isNull();
    assertThat(all.stream().mapToLong(DigestStatus::searches).sum()).isEqualTo(2L * patterns);
    assertThat(table.isFull()).isTrue();
  }

  @Test
  void theCostliestPatternsComeFirst() {
    miss(table.digest(search("once")));
    miss(table.digest(search("twice")));
    miss(table.digest(search("twice")));
    table.digest(search("hit")).add(CacheOutcome.HIT, new SearchDigest.Answer(1, 1, 0), MICROS, 0);
    assertThat(table.costliest(10))
        .extracting(status -> status.pattern().filter())
        .containsExactly("(twice=?)", "(once=?)");
    assertThat(table.costliest(1)).hasSize(1);
  }

  @Test
  void aReplacedDigestIsNoLongerTracked() {
    SearchDigest first = table.digest(search("first"));
    for (int i = 0; i < DigestTable.MAX_PATTERNS; i++) {
      SearchDigest digest = table.digest(search("other" + i));
      miss(digest);
    }
    assertThat(first.handle().digest()).as("no template keeps it").isNull();
    assertThat(table.digest(search("first"))).isNotSameAs(first);
    long before = table.statusOfOthers().searches();
    miss(first); // was in flight
    assertThat(table.statusOfOthers().searches()).isEqualTo(before + 1);
  }

  @Test
  void theRecentTimeFollowsTheLastHundred() {
    SearchDigest digest = table.digest(search("uid"));
    sent(digest, 900, 1); // the first one opens the connection
    sent(digest, 14, 100);
    assertThat(millis()).isBetween(11.0, 17.0);
    sent(digest, 700, 3); // outliers
    assertThat(millis()).isLessThan(20.0);
    sent(digest, 1, 100);
    assertThat(millis()).isBetween(0.8, 1.2);
  }

  private double millis() {
    return of("uid").recent().toNanos() / 1e6;
  }

  private static void sent(SearchDigest digest, int millis, int searches) {
    for (int count = 0; count < searches; count++) {
      long nanos = millis * 1_000_000L;
      digest.add(CacheOutcome.MISS, new SearchDigest.Answer(1, 100, 0), nanos, nanos);
    }
  }

  @Test
  void abandonedSearchesAreNoAnswers() {
    table
        .digest(search("uid"))
        .add(CacheOutcome.MISS, new SearchDigest.Answer(0, 0, -1), MICROS, MICROS);
    assertThat(of("uid").failed()).isOne();
    assertThat(of("uid").empty()).isZero();
  }

  @Test
  void aResetForgetsAll() {
    SearchDigest before = table.digest(search("uid"));
    miss(before);
    table.reset();
    assertThat(before.handle().digest()).isNull();
    assertThat(table.status()).singleElement().extracting(DigestStatus::searches).isEqualTo(0L);
    miss(before); // was in flight
    assertThat(table.status()).singleElement().extracting(DigestStatus::searches).isEqualTo(1L);
  }

  /** The batch keeps the counts of all patterns of a read, and ends early without room. */
  @Test
  void aReadMayHaveManyPatterns() {
    DigestBatch batch = new DigestBatch();
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < 20; i++) {
        SearchDigest digest = table.digest(search("a" + i));
        batch.add(digest, 1, false, System.nanoTime());
        batch.addOctets(digest, 10);
      }
      batch.complete(MICROS, System.nanoTime(), Octets.EMPTY, () -> Octets.EMPTY);
    }
    for (int i = 0; i < 20; i++) {
      assertThat(of("a" + i).hits()).isEqualTo(2);
      assertThat(of("a" + i).octets()).isEqualTo(20);
      assertThat(of("a" + i).hitTimes().p50()).isPositive();
    }
  }
}
