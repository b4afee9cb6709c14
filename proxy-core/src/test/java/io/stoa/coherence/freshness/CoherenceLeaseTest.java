// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.freshness;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.csn.Position;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Until when what a feed vouches for may be served; times are in milliseconds. */
class CoherenceLeaseTest {
  private static final long MILLI = 1_000_000;
  private static final long MARGIN = 20;
  private static final Object A = "a";
  private static final Object B = "b";

  private final CoherenceLease lease =
      new CoherenceLease(Duration.ofSeconds(1), () -> MARGIN * MILLI);

  private static Position at(int mark) {
    return at("1", mark);
  }

  private static Position at(String origin, int mark) {
    return Position.of(Map.of("x#" + origin, String.format("%09d", mark)));
  }

  private void proved(Object server, long millis, Position position) {
    lease.onPosition(server, millis * MILLI, position);
  }

  private boolean live(long millis) {
    return lease.isLive(millis * MILLI);
  }

  private long asOf() {
    return lease.asOf() == CoherenceLease.NEVER ? -1 : lease.asOf() / MILLI;
  }

  private CoherenceLeaseTest() {
    lease.setWritable(Set.of(A));
  }

  @Test
  void isNotLiveBeforeAProof() {
    assertThat(live(0)).isFalse();
    lease.onApplied(at(5));
    assertThat(live(0)).isFalse();
    assertThat(asOf()).isEqualTo(-1);
  }

  @Test
  void aServerWithoutAPositionProvesNothing() {
    lease.onApplied(at(5));
    proved(A, 100, Position.NONE);
    assertThat(live(100)).isFalse();
  }

  @Test
  void holdsForTheBoundFromWhenTheQuestionWasSent() {
    lease.onApplied(at(5));
    proved(A, 100, at(5));
    assertThat(asOf()).isEqualTo(100 - MARGIN);
    assertThat(live(100)).isTrue();
    assertThat(live(100 - MARGIN + 1000)).isTrue();
    assertThat(live(100 - MARGIN + 1001)).isFalse();
  }

  @Test
  void theFeedMustCoverThePosition() {
    lease.onApplied(at(4));
    proved(A, 100, at(5));
    assertThat(live(100)).isFalse();
    lease.onApplied(at(5));
    assertThat(asOf()).isEqualTo(100 - MARGIN);
    assertThat(live(150)).isTrue();
  }

  @Test
  void theFeedMustCoverThePositionOfEachOrigin() {
    Position both = at("1", 3).merge(at("2", 7));
    proved(A, 100, both);
    lease.onApplied(at("1", 9));
    assertThat(live(100)).isFalse();
    lease.onApplied(at("2", 7));
    assertThat(live(100)).isTrue();
  }

  /** A feed that is always a little late proves what was asked a little earlier. */
  @Test
  void aFeedThatAlwaysLagsProvesEarlierPositions() {
    for (int turn = 1; turn < 200; turn++) {
      proved(A, turn * 250L, at(turn));
      lease.onApplied(at(turn - 1));
      assertThat(asOf()).isEqualTo(turn == 1 ? -1 : (turn - 1) * 250L - MARGIN);
    }
  }

  @Test
  void aFeedFarBehindProvesThePositionsItReaches() {
    for (int turn = 1; turn < 200; turn++) {
      proved(A, turn * 250L, at(turn));
    }
    lease.onApplied(at(1));
    assertThat(asOf()).isEqualTo(250 - MARGIN);
    lease.onApplied(at(199));
    assertThat(asOf()).isEqualTo(199 * 250L - MARGIN);
  }

  @Test
  void everyWritableServerMustProveTheLease() {
    lease.setWritable(Set.of(A, B));
    lease.onApplied(at(5));
    proved(A, 500, at(5));
    assertThat(live(500)).isFalse();
    proved(B, 100, at(5));
    assertThat(asOf()).isEqualTo(100 - MARGIN);
    proved(B, 600, at(5));
    assertThat(asOf()).isEqualTo(500 - MARGIN);
    lease.setWritable(Set.of(B));
    assertThat(asOf()).isEqualTo(600 - MARGIN);
    lease.setWritable(Set.of(A, B));
    assertThat(live(600)).isFalse();
    lease.setWritable(Set.of());
    assertThat(live(600)).isFalse();
  }

  @Test
  void positionsOfReadOnlyServersAreIgnored() {
    lease.onApplied(at(5));
    proved(B, 100, at(5));
    assertThat(live(100)).isFalse();
  }

  @Test
  void anAnswerThatComesLateTakesNothingBack() {
    lease.onApplied(at(5));
    proved(A, 400, at(5));
    proved(A, 100, at(4));
    assertThat(asOf()).isEqualTo(400 - MARGIN);
  }

  /** Restored from a backup, or told by another one behind the same address. */
  @Test
  void aLowerPositionOfARestoredServerCounts() {
    proved(A, 100, at(9));
    lease.onApplied(at(5));
    proved(A, 200, at(4));
    assertThat(asOf()).isEqualTo(200 - MARGIN);
  }

  @Test
  void aGapRevokesEveryProof() {
    lease.onApplied(at(5));
    proved(A, 100, at(5));
    lease.onGapApplied();
    assertThat(live(100)).isFalse();
    proved(A, 200, at(5));
    assertThat(live(200)).isFalse();
    lease.onApplied(at(5));
    assertThat(asOf()).isEqualTo(200 - MARGIN);
  }

  /** The server has less than before: what it tells is covered by what has not been undone yet. */
  @Test
  void noProofCountsBetweenAGapAndItsRevocation() {
    lease.onApplied(at(5));
    proved(A, 100, at(5));
    lease.onGap();
    assertThat(live(100)).isFalse();
    lease.onApplied(at(6)); // had been said before the gap
    proved(A, 200, at(2));
    assertThat(live(200)).isFalse();
    lease.onGap();
    lease.onGapApplied();
    proved(A, 200, at(2));
    lease.onApplied(at(2));
    assertThat(live(200)).isFalse();
    lease.onGapApplied();
    lease.onApplied(at(2));
    proved(A, 300, at(2));
    assertThat(asOf()).isEqualTo(300 - MARGIN);
  }

  /** A pause of the process is nothing but time that has passed. */
  @Test
  void isNotLiveAfterAPause() {
    lease.onApplied(at(5));
    proved(A, 100, at(5));
    assertThat(live(10_100)).isFalse();
    proved(A, 100, at(5));
    assertThat(live(10_100)).isFalse();
  }

  @Test
  void clockValuesMayOverflow() {
    long end = Long.MAX_VALUE - 10 * MILLI;
    lease.onApplied(at(5));
    lease.onPosition(A, end, at(5));
    assertThat(lease.isLive(end + 20 * MILLI)).isTrue();
    lease.onPosition(A, end + 500 * MILLI, at(5));
    assertThat(lease.asOf()).isEqualTo(end + 480 * MILLI);
    assertThat(lease.isLive(end + 1400 * MILLI)).isTrue();
    assertThat(lease.isLive(end + 1500 * MILLI)).isFalse();
  }

  /**
   * Writes, questions, answers and messages in any order and however late: whenever it is live,
   * every write older than the bound has been applied.
   */
  @Test
  void aLiveLeaseCoversEveryWriteOlderThanTheBound() {
    for (int seed = 0; seed < 300; seed++) {
      new History(seed).run();
    }
  }

  /** One random history (confined to the test). */
  private static final class History {
    private final Random random;
    private final CoherenceLease lease = new CoherenceLease(Duration.ofNanos(100), () -> 0);

    /** When the writes of each server were acknowledged. */
    private final Map<Integer, TreeMap<Integer, Long>> written = new TreeMap<>();

    private final int[] applied = new int[2];
    private long now;

    History(int seed) {
      random = new Random(seed);
      lease.setWritable(Set.of(0, 1));
      written.put(0, new TreeMap<>());
      written.put(1, new TreeMap<>());
    }

    void run() {
      TreeMap<Long, Runnable> answers = new TreeMap<>();
      for (int step = 0; step < 400; step++) {
        now += random.nextInt(20);
        int server = random.nextInt(2);
        switch (random.nextInt(4)) {
          case 0 -> written.get(server).put(written.get(server).size() + 1, now);
          case 1 -> ask(server, answers);
          case 2 -> {
            applied[server] = Math.min(applied[server] + 1, written.get(server).size());
            lease.onApplied(at(String.valueOf(server), applied[server]));
          }
          default -> answers.headMap(now, true).values().removeIf(this::run);
        }
        check();
      }
    }

    private boolean run(Runnable answer) {
      answer.run();
      return true;
    }

    private void ask(int server, Map<Long, Runnable> answers) {
      long t0 = now;
      int mark = written.get(server).size();
      Position told = at(String.valueOf(server), mark);
      answers.put(now + random.nextInt(60), () -> lease.onPosition(server, t0, told));
    }

    private void check() {
      if (lease.isLive(now)) {
        for (int server = 0; server < 2; server++) {
          for (Map.Entry<Integer, Long> write : written.get(server).entrySet()) {
            assertThat(write.getKey() <= applied[server] || now - write.getValue() <= 100).isTrue();
          }
        }
      }
    }
  }
}
