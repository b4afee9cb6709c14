// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.rights;

import static io.stoa.testing.SmallDirectory.upTo;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.csn.Position;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What was read before something changed does not count. */
class RightsWatermarkTest {
  private static final long SETTLE = 400;
  private static final long RIGHTS = 5_000;

  /** Since when something is in a transaction. */
  private long open = Long.MAX_VALUE;

  private long now = 1_000_000;
  private final RightsWatermark horizon =
      new RightsWatermark(
          Duration.ofNanos(RIGHTS), Duration.ofNanos(SETTLE), this::shown, () -> now);

  /** What happens while a thread that looks stands still. */
  private Runnable meanwhile = () -> {};

  private long shown(long asked) {
    meanwhile.run();
    return Math.min(asked, open - 1);
  }

  @Test
  void whatIsDerivedCountsUntilItChanges() {
    assertThat(horizon.isCurrent(DerivedData.ALL, now, now)).isTrue();
    horizon.onDerivedChange(DerivedData.GROUPS, Position.NONE);
    assertThat(horizon.isCurrent(DerivedData.GROUPS, now, now)).isFalse();
    assertThat(horizon.isCurrent(DerivedData.ALL, now, now)).isFalse();
    assertThat(horizon.isCurrent(DerivedData.REFERENCES, now, now)).isTrue();
    assertThat(horizon.isCurrent(DerivedData.NONE, now, now)).isTrue();
  }

  /** The server may show what follows a little after it has told the change. */
  @Test
  void whatIsReadBeforeItHasSettledDoesNotCount() {
    horizon.onDerivedChange(DerivedData.GROUPS, Position.NONE);
    assertThat(horizon.isCurrent(DerivedData.GROUPS, now + SETTLE - 1, now)).isFalse();
    assertThat(horizon.isCurrent(DerivedData.GROUPS, now + SETTLE, now)).isTrue();
  }

  @Test
  void aServerThatLacksTheChangeShowsNothingThatCounts() {
    horizon.onDerivedChange(DerivedData.REFERENCES, upTo(5));
    horizon.onDerivedChange(DerivedData.REFERENCES, Position.NONE);
    assertThat(horizon.admits(DerivedData.REFERENCES, upTo(4))).isFalse();
    assertThat(horizon.admits(DerivedData.REFERENCES, Position.NONE)).isFalse();
    assertThat(horizon.admits(DerivedData.REFERENCES, upTo(5))).isTrue();
    assertThat(horizon.admits(DerivedData.GROUPS, Position.NONE)).isTrue();
    assertThat(horizon.admits(DerivedData.NONE, Position.NONE)).isTrue();
  }

  /** A directory that was restored counts otherwise: nobody will ever have it. */
  @Test
  void nobodyNeedsToHaveWhatWasToldBeforeAGap() {
    horizon.confirmWatched(now);
    horizon.onDerivedChange(DerivedData.REFERENCES, upTo(5));
    horizon.onRightsChange(upTo(6));
    assertThat(horizon.admitsRights(upTo(5))).isFalse();
    horizon.onGap();
    assertThat(horizon.admits(DerivedData.REFERENCES, upTo(1))).isTrue();
    assertThat(horizon.admitsRights(Position.NONE)).isTrue();
    assertThat(horizon.oldest(now)).isEqualTo(now + SETTLE);
    assertThat(horizon.isCurrent(DerivedData.REFERENCES, now, now)).isFalse();
  }

  @Test
  void rightsAreBoundedUnlessTheyAreWatched() {
    long first = now;
    now += 4 * RIGHTS;
    assertThat(horizon.oldest(now)).isEqualTo(now - RIGHTS);
    horizon.confirmWatched(now);
    assertThat(horizon.oldest(now)).isEqualTo(first);
    assertThat(horizon.bound(now)).isEqualTo(Long.MAX_VALUE);
    now += RIGHTS + 1; // nobody has looked again
    assertThat(horizon.oldest(now)).isEqualTo(now - RIGHTS);
    horizon.confirmWatched(now);
    horizon.clearWatched();
    assertThat(horizon.oldest(now)).isEqualTo(now - RIGHTS);
    assertThat(horizon.bound(now)).isEqualTo(RIGHTS);
  }

  @Test
  void whatWasGivenBeforeRightsChangedDoesNotCount() {
    horizon.confirmWatched(now);
    horizon.onRightsChange();
    assertThat(horizon.oldest(now)).isEqualTo(now + SETTLE);
    horizon.clearWatched();
    assertThat(horizon.oldest(now)).isEqualTo(now + SETTLE);
  }

  /** What an overlay repairs later than it should is not shown for longer than rights are. */
  @Test
  void whatIsReadAfterAChangeCountsForAWhile() {
    horizon.confirmWatched(now);
    horizon.onDerivedChange(DerivedData.REFERENCES, Position.NONE);
    long read = now + SETTLE;
    now = read + RIGHTS - 1;
    assertThat(horizon.isCurrent(DerivedData.REFERENCES, read, now)).isTrue();
    now++;
    assertThat(horizon.isCurrent(DerivedData.REFERENCES, now - 1, now)).isFalse();
    assertThat(horizon.isCurrent(DerivedData.REFERENCES, now, now)).isTrue();
    now += 10 * RIGHTS;
    assertThat(horizon.isCurrent(DerivedData.REFERENCES, now - 9 * RIGHTS, now)).isTrue();
  }

  @Test
  void changesThatFollowEachOtherDoNotPutThatOff() {
    horizon.onDerivedChange(DerivedData.REFERENCES, Position.NONE);
    long first = now + SETTLE;
    now += RIGHTS - 1;
    horizon.onDerivedChange(DerivedData.REFERENCES, Position.NONE);
    long second = now + SETTLE;
    now = first + RIGHTS;
    assertThat(horizon.isCurrent(DerivedData.REFERENCES, second, now)).isFalse();
    assertThat(horizon.isCurrent(DerivedData.REFERENCES, now, now)).isTrue();
    now = first + 2 * RIGHTS;
    assertThat(horizon.isCurrent(DerivedData.REFERENCES, now - 1, now)).isFalse();
    now += 10 * RIGHTS;
    assertThat(horizon.isCurrent(DerivedData.REFERENCES, first + 2 * RIGHTS, now)).isTrue();
  }

  @Test
  void aServerThatLacksAChangeOfRightsShowsThemAsTheyWere() {
    assertThat(horizon.admitsRights(Position.NONE)).isTrue();
    horizon.onRightsChange(upTo(5));
    now += 10 * RIGHTS;
    horizon.onRightsChange();
    assertThat(horizon.admitsRights(upTo(4))).isFalse();
    assertThat(horizon.admitsRights(upTo(5))).isTrue();
  }

  @Test
  void membersThatAreRepairedLateAreAskedForAgain() {
    horizon.confirmWatched(now);
    horizon.onRepair(Position.NONE);
    long read = now + SETTLE;
    now = read + RIGHTS;
    horizon.confirmWatched(now);
    assertThat(horizon.oldest(now)).isEqualTo(now);
    horizon.onRightsChange();
    assertThat(horizon.oldest(now)).isEqualTo(now + SETTLE);
    now += SETTLE + 5 * RIGHTS;
    horizon.confirmWatched(now);
    assertThat(horizon.oldest(now)).isEqualTo(read + RIGHTS + SETTLE);
  }

  /** Who wants nothing to rest on rights that are not known has nothing asked for in turns. */
  @Test
  void withoutTimeForRightsAChangeIsOverWhenItHasSettled() {
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
  void whatIsVoidDoesNotCountByItsAgeEither() {
    Derivation shown = Derivation.of(horizon, DerivedData.GROUPS, List.of());
    Derivation other = Derivation.of(horizon, DerivedData.NONE, List.of());
    long read = now;
    now++;
    assertThat(shown.stillCounts(read, now)).isTrue();
    horizon.onDerivedChange(DerivedData.GROUPS, Position.NONE);
    assertThat(shown.stillCounts(read, now)).isFalse();
    assertThat(other.stillCounts(read, now)).isTrue();
    horizon.onRightsChange();
    assertThat(other.stillCounts(read, now)).isFalse();
  }

  @Test
  void whatIsReadBeforeATransactionIsOverDoesNotCount() {
    open = now;
    horizon.onDerivedChange(DerivedData.GROUPS, Position.NONE);
    horizon.onRightsChange();
    now += 10 * SETTLE;
    assertThat(horizon.isCurrent(DerivedData.GROUPS, now, now)).isFalse();
    assertThat(horizon.isCurrent(DerivedData.REFERENCES, now, now)).isTrue();
    assertThat(horizon.haveRightsChanged(now, now)).isTrue();
    assertThat(horizon.oldest(now)).isGreaterThan(now);
    long meanwhile = now;
    now += SETTLE;
    open = Long.MAX_VALUE;
    horizon.run();
    assertThat(horizon.isCurrent(DerivedData.GROUPS, meanwhile, now)).isFalse();
    assertThat(horizon.haveRightsChanged(meanwhile, now)).isTrue();
    assertThat(horizon.isCurrent(DerivedData.GROUPS, now, now)).isTrue();
    assertThat(horizon.haveRightsChanged(now, now)).isFalse();
  }

  /** Who looks finds it over, though nobody has said so. */
  @Test
  void whatIsOverBeforeItHasSettledCountsWhenItHas() {
    open = now;
    horizon.onRightsChange();
    long settled = now + SETTLE;
    now += SETTLE / 2;
    open = Long.MAX_VALUE;
    assertThat(horizon.haveRightsChanged(settled - 1, now)).isTrue();
    now = settled;
    assertThat(horizon.haveRightsChanged(settled - 1, now)).isTrue();
    assertThat(horizon.haveRightsChanged(settled, now)).isFalse();
  }

  /** What is repaired after a change is repaired after all of its transaction. */
  @Test
  void turnsBeginWhenTheTransactionIsOver() {
    open = now;
    horizon.onRepair(Position.NONE);
    now += 1;
    horizon.onRightsChange();
    now += 10 * RIGHTS;
    assertThat(horizon.haveRightsChanged(now, now)).isTrue();
    open = Long.MAX_VALUE;
    horizon.run();
    long first = now;
    assertThat(horizon.haveRightsChanged(first, now)).isFalse();
    now += RIGHTS;
    assertThat(horizon.haveRightsChanged(first, now)).isTrue();
    assertThat(horizon.haveRightsChanged(now, now)).isFalse();
  }

  /** Only the last of what was told is awaited: whatever was told before it is over then. */
  @Test
  void aLaterChangeIsAwaitedToo() {
    open = now;
    horizon.onRightsChange();
    now += SETTLE;
    horizon.onRightsChange();
    open = now; // the first is over
    now += SETTLE;
    assertThat(horizon.haveRightsChanged(now, now)).isTrue();
    open = now;
    assertThat(horizon.haveRightsChanged(now, now)).isFalse();
  }

  /** What the directory repairs after the first change is looked for again, whoever asks when. */
  @Test
  void aTransactionThatEndsWhileAnotherChangeIsToldIsNotForgotten() {
    open = now;
    horizon.onRepair(Position.NONE);
    now += 9_000;
    meanwhile =
        () ->
            meanwhile =
                () -> {
                  open = Long.MAX_VALUE; // before the second look
                };
    horizon.onRightsChange();
    meanwhile = () -> {};
    open = Long.MAX_VALUE;
    now += 2 * SETTLE;
    horizon.run();
    long read = now;
    now += RIGHTS;
    assertThat(horizon.haveRightsChanged(read, now)).isTrue();
  }

  /** It is shown by the rights that somebody had before, and was over only then. */
  @Test
  void whatWasReadBeforeTheEndDoesNotCountThoughWhoLooksHasStoodStill() {
    open = now;
    horizon.onRightsChange();
    now += 4_000;
    long read = now + 500;
    meanwhile =
        () -> {
          now += 1_000;
          open = Long.MAX_VALUE;
          meanwhile = () -> {};
        };
    horizon.run();
    assertThat(horizon.haveRightsChanged(read, now)).isTrue();
    assertThat(horizon.haveRightsChanged(now, now)).isFalse();
  }
}
