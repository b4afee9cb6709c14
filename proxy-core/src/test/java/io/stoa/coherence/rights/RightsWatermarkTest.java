// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.rights;

import static io.stoa.testing.SmallDirectory.upTo;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.csn.Position;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What was read before something changed does not count. */
class RightsWatermarkTest {
  private static final long SETTLE = 400;
  private static final long RIGHTS = 5_000;

  /** Since when something is in a transaction. */
  private long open = Long.MAX_VALUE;

  private long now = 1_000_000;
  private final RightsWatermark watermark =
      new RightsWatermark(
          Duration.ofNanos(RIGHTS), Duration.ofNanos(SETTLE), this::shown, () -> now);

  /** What happens while a thread that looks stands still. */
  private Runnable meanwhile = () -> {};

  private long shown(long asked) {
    meanwhile.run();
    return Math.min(asked, open - 1);
  }

  /** The count of all feeds never falls, although a feed ends. */
  @Test
  void watermarksShareOneCountOfRightsChanges() {
    AtomicLong all = new AtomicLong();
    RightsWatermark ended =
        new RightsWatermark(
            Duration.ofNanos(RIGHTS), Duration.ofNanos(SETTLE), this::shown, () -> now);
    List.of(watermark, ended).forEach(feed -> feed.setSharedCount(all));
    ended.onRightsChange();
    ended.onRepair(Position.NONE);
    watermark.onRightsChange(Position.NONE);
    watermark.onDerivedChange(DerivedData.GROUPS, Position.NONE);
    assertThat(all).hasValue(3);
    assertThat(watermark.revocations()).isOne();
  }

  @Test
  void derivedDataIsCurrentUntilItChanges() {
    assertThat(watermark.isCurrent(DerivedData.ALL, now, now)).isTrue();
    watermark.onDerivedChange(DerivedData.GROUPS, Position.NONE);
    assertThat(watermark.isCurrent(DerivedData.GROUPS, now, now)).isFalse();
    assertThat(watermark.isCurrent(DerivedData.ALL, now, now)).isFalse();
    assertThat(watermark.isCurrent(DerivedData.REFERENCES, now, now)).isTrue();
    assertThat(watermark.isCurrent(DerivedData.NONE, now, now)).isTrue();
  }

  /** The server may show what follows a little after it has told the change. */
  @Test
  void aReadDuringTheSettleTimeDoesNotCount() {
    watermark.onDerivedChange(DerivedData.GROUPS, Position.NONE);
    assertThat(watermark.isCurrent(DerivedData.GROUPS, now + SETTLE - 1, now)).isFalse();
    assertThat(watermark.isCurrent(DerivedData.GROUPS, now + SETTLE, now)).isTrue();
  }

  @Test
  void aServerThatLacksTheChangeIsNotAdmitted() {
    watermark.onDerivedChange(DerivedData.REFERENCES, upTo(5));
    watermark.onDerivedChange(DerivedData.REFERENCES, Position.NONE);
    assertThat(watermark.admits(DerivedData.REFERENCES, upTo(4))).isFalse();
    assertThat(watermark.admits(DerivedData.REFERENCES, Position.NONE)).isFalse();
    assertThat(watermark.admits(DerivedData.REFERENCES, upTo(5))).isTrue();
    assertThat(watermark.admits(DerivedData.GROUPS, Position.NONE)).isTrue();
    assertThat(watermark.admits(DerivedData.NONE, Position.NONE)).isTrue();
  }

  /** A directory that was restored counts otherwise: nobody will ever have it. */
  @Test
  void positionsFromBeforeAGapAreNotRequired() {
    watermark.confirmWatched(now);
    watermark.onDerivedChange(DerivedData.REFERENCES, upTo(5));
    watermark.onRightsChange(upTo(6));
    assertThat(watermark.admitsRights(upTo(5))).isFalse();
    watermark.onGap();
    assertThat(watermark.admits(DerivedData.REFERENCES, upTo(1))).isTrue();
    assertThat(watermark.admitsRights(Position.NONE)).isTrue();
    assertThat(watermark.oldest(now)).isEqualTo(now + SETTLE);
    assertThat(watermark.isCurrent(DerivedData.REFERENCES, now, now)).isFalse();
  }

  @Test
  void rightsExpireUnlessTheyAreWatched() {
    long first = now;
    now += 4 * RIGHTS;
    assertThat(watermark.oldest(now)).isEqualTo(now - RIGHTS);
    watermark.confirmWatched(now);
    assertThat(watermark.oldest(now)).isEqualTo(first);
    assertThat(watermark.bound(now)).isEqualTo(Long.MAX_VALUE);
    now += RIGHTS + 1; // nobody has looked again
    assertThat(watermark.oldest(now)).isEqualTo(now - RIGHTS);
    watermark.confirmWatched(now);
    watermark.clearWatched();
    assertThat(watermark.oldest(now)).isEqualTo(now - RIGHTS);
    assertThat(watermark.bound(now)).isEqualTo(RIGHTS);
  }

  @Test
  void answersFromBeforeAChangeOfRightsDoNotCount() {
    watermark.confirmWatched(now);
    watermark.onRightsChange();
    assertThat(watermark.oldest(now)).isEqualTo(now + SETTLE);
    watermark.clearWatched();
    assertThat(watermark.oldest(now)).isEqualTo(now + SETTLE);
  }

  /** What an overlay repairs later than it should is not shown for longer than rights are. */
  @Test
  void aReadAfterAChangeCountsUntilTheRightsBound() {
    watermark.confirmWatched(now);
    watermark.onDerivedChange(DerivedData.REFERENCES, Position.NONE);
    long read = now + SETTLE;
    now = read + RIGHTS - 1;
    assertThat(watermark.isCurrent(DerivedData.REFERENCES, read, now)).isTrue();
    now++;
    assertThat(watermark.isCurrent(DerivedData.REFERENCES, now - 1, now)).isFalse();
    assertThat(watermark.isCurrent(DerivedData.REFERENCES, now, now)).isTrue();
    now += 10 * RIGHTS;
    assertThat(watermark.isCurrent(DerivedData.REFERENCES, now - 9 * RIGHTS, now)).isTrue();
  }

  @Test
  void repeatedChangesDoNotPostponeTheRightsBound() {
    watermark.onDerivedChange(DerivedData.REFERENCES, Position.NONE);
    long first = now + SETTLE;
    now += RIGHTS - 1;
    watermark.onDerivedChange(DerivedData.REFERENCES, Position.NONE);
    long second = now + SETTLE;
    now = first + RIGHTS;
    assertThat(watermark.isCurrent(DerivedData.REFERENCES, second, now)).isFalse();
    assertThat(watermark.isCurrent(DerivedData.REFERENCES, now, now)).isTrue();
    now = first + 2 * RIGHTS;
    assertThat(watermark.isCurrent(DerivedData.REFERENCES, now - 1, now)).isFalse();
    now += 10 * RIGHTS;
    assertThat(watermark.isCurrent(DerivedData.REFERENCES, first + 2 * RIGHTS, now)).isTrue();
  }

  @Test
  void aServerThatLacksAChangeOfRightsIsNotAdmitted() {
    assertThat(watermark.admitsRights(Position.NONE)).isTrue();
    watermark.onRightsChange(upTo(5));
    now += 10 * RIGHTS;
    watermark.onRightsChange();
    assertThat(watermark.admitsRights(upTo(4))).isFalse();
    assertThat(watermark.admitsRights(upTo(5))).isTrue();
  }

  @Test
  void lateRepairsRequireANewRead() {
    watermark.confirmWatched(now);
    watermark.onRepair(Position.NONE);
    long read = now + SETTLE;
    now = read + RIGHTS;
    watermark.confirmWatched(now);
    assertThat(watermark.oldest(now)).isEqualTo(now);
    watermark.onRightsChange();
    assertThat(watermark.oldest(now)).isEqualTo(now + SETTLE);
    now += SETTLE + 5 * RIGHTS;
    watermark.confirmWatched(now);
    assertThat(watermark.oldest(now)).isEqualTo(read + RIGHTS + SETTLE);
  }

  /** Who wants nothing to rest on rights that are not known has nothing asked for in turns. */
  @Test
  void aChangeEndsWithTheSettleTimeIfTheRightsBoundIsZero() {
    RightsWatermark none =
        new RightsWatermark(
            Duration.ZERO, Duration.ofNanos(SETTLE), asked -> Math.min(asked, open - 1), () -> now);
    none.onDerivedChange(DerivedData.GROUPS, Position.NONE);
    none.onRepair(Position.NONE);
    assertThat(none.isCurrent(DerivedData.GROUPS, now, now)).isFalse();
    assertThat(none.isCurrent(DerivedData.GROUPS, now + SETTLE, now)).isTrue();
    assertThat(none.oldest(now)).isEqualTo(now + SETTLE);
    now += SETTLE + 1;
    assertThat(none.isCurrent(DerivedData.GROUPS, now, now)).isTrue();
  }

  /** It is void, whatever its age: it is not to be given by that either. */
  @Test
  void revokedAnswersDoNotCountByAgeEither() {
    Derivation shown = Derivation.of(watermark, DerivedData.GROUPS, List.of());
    Derivation other = Derivation.of(watermark, DerivedData.NONE, List.of());
    long read = now;
    now++;
    assertThat(shown.stillCounts(read, now)).isTrue();
    watermark.onDerivedChange(DerivedData.GROUPS, Position.NONE);
    assertThat(shown.stillCounts(read, now)).isFalse();
    assertThat(other.stillCounts(read, now)).isTrue();
    watermark.onRightsChange();
    assertThat(other.stillCounts(read, now)).isFalse();
  }

  @Test
  void aReadBeforeTheEndOfATransactionDoesNotCount() {
    open = now;
    watermark.onDerivedChange(DerivedData.GROUPS, Position.NONE);
    watermark.onRightsChange();
    now += 10 * SETTLE;
    assertThat(watermark.isCurrent(DerivedData.GROUPS, now, now)).isFalse();
    assertThat(watermark.isCurrent(DerivedData.REFERENCES, now, now)).isTrue();
    assertThat(watermark.haveRightsChanged(now, now)).isTrue();
    assertThat(watermark.oldest(now)).isGreaterThan(now);
    long meanwhile = now;
    now += SETTLE;
    open = Long.MAX_VALUE;
    watermark.run();
    assertThat(watermark.isCurrent(DerivedData.GROUPS, meanwhile, now)).isFalse();
    assertThat(watermark.haveRightsChanged(meanwhile, now)).isTrue();
    assertThat(watermark.isCurrent(DerivedData.GROUPS, now, now)).isTrue();
    assertThat(watermark.haveRightsChanged(now, now)).isFalse();
  }

  /** Who looks finds it over, though nobody has said so. */
  @Test
  void aTransactionThatEndsEarlyCountsAfterTheSettleTime() {
    open = now;
    watermark.onRightsChange();
    long settled = now + SETTLE;
    now += SETTLE / 2;
    open = Long.MAX_VALUE;
    assertThat(watermark.haveRightsChanged(settled - 1, now)).isTrue();
    now = settled;
    assertThat(watermark.haveRightsChanged(settled - 1, now)).isTrue();
    assertThat(watermark.haveRightsChanged(settled, now)).isFalse();
  }

  /** What is repaired after a change is repaired after all of its transaction. */
  @Test
  void theRightsBoundBeginsAtTheEndOfTheTransaction() {
    open = now;
    watermark.onRepair(Position.NONE);
    now += 1;
    watermark.onRightsChange();
    now += 10 * RIGHTS;
    assertThat(watermark.haveRightsChanged(now, now)).isTrue();
    open = Long.MAX_VALUE;
    watermark.run();
    long first = now;
    assertThat(watermark.haveRightsChanged(first, now)).isFalse();
    now += RIGHTS;
    assertThat(watermark.haveRightsChanged(first, now)).isTrue();
    assertThat(watermark.haveRightsChanged(now, now)).isFalse();
  }

  /** Only the last of what was told is awaited: whatever was told before it is over then. */
  @Test
  void aLaterChangeIsAwaitedToo() {
    open = now;
    watermark.onRightsChange();
    now += SETTLE;
    watermark.onRightsChange();
    open = now; // the first is over
    now += SETTLE;
    assertThat(watermark.haveRightsChanged(now, now)).isTrue();
    open = now;
    assertThat(watermark.haveRightsChanged(now, now)).isFalse();
  }

  /** What the directory repairs after the first change is looked for again, whoever asks when. */
  @Test
  void aTransactionThatEndsDuringAnotherChangeIsNotForgotten() {
    open = now;
    watermark.onRepair(Position.NONE);
    now += 9_000;
    meanwhile =
        () ->
            meanwhile =
                () -> {
                  open = Long.MAX_VALUE; // before the second look
                };
    watermark.onRightsChange();
    meanwhile = () -> {};
    open = Long.MAX_VALUE;
    now += 2 * SETTLE;
    watermark.run();
    long read = now;
    now += RIGHTS;
    assertThat(watermark.haveRightsChanged(read, now)).isTrue();
  }

  /** It is shown by the rights that somebody had before, and was over only then. */
  @Test
  void aReadBeforeTheEndDoesNotCountThoughTheCheckWasLate() {
    open = now;
    watermark.onRightsChange();
    now += 4_000;
    long read = now + 500;
    meanwhile =
        () -> {
          now += 1_000;
          open = Long.MAX_VALUE;
          meanwhile = () -> {};
        };
    watermark.run();
    assertThat(watermark.haveRightsChanged(read, now)).isTrue();
    assertThat(watermark.haveRightsChanged(now, now)).isFalse();
  }
}
