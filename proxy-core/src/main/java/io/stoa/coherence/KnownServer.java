// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence;

import io.stoa.change.Position;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How far one server has got, as it has last said. Written under the lock of {@link Replication},
 * read by any thread (thread-safe).
 */
final class KnownServer {
  /** Who has not told so long after it could be used is read from all the same. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

  final Object group;
  final String name;
  final boolean primary;
  final BooleanSupplier up;

  /** Whether writes go there now. */
  final BooleanSupplier preferred;

  /** Whether it is the primary by which the others of its group are judged, and is not itself. */
  volatile boolean chief;

  /** Empty until it has told one; what it told last after that. */
  volatile Position position = Position.NONE;

  /** When it was asked for the position that it told last. */
  volatile long asked;

  /** What it has was not older than what a primary had then. */
  volatile long asOf;

  /** When that was first seen which it lacks; only if it lags. */
  volatile long missingSince;

  /** Whether its position can be compared with those of primaries. */
  volatile boolean compares;

  volatile boolean lags;
  volatile boolean behind;

  /** When it was first asked in vain for a position that it has told before; only if it hides. */
  volatile long hidesSince;

  volatile boolean hides;

  /** Naming contexts of which it has told, and which it does not have any more as it says. */
  private Set<String> gone = Set.of();

  private long goneSince;

  /** It is new, or has come back, and has not told since how far it has got. */
  private boolean awaited = true;

  private boolean usable;
  private long awaitedSince;

  /** Whether it gets no reads for that. */
  volatile boolean held;

  /** Reads that it was given although it may lack what they had to show. */
  final LongAdder uncovered = new LongAdder();

  KnownServer(
      Object group, String name, BooleanSupplier up, @Nullable BooleanSupplier writes, long now) {
    this.awaitedSince = now;
    this.group = group;
    this.name = name;
    this.primary = writes != null;
    this.preferred = writes == null ? () -> false : writes;
    this.up = up;
    this.usable = up.getAsBoolean();
  }

  /** Whether it has told a position. */
  boolean tells() {
    return !position.isEmpty();
  }

  /** Whether it says that it has fewer naming contexts than before, but not for long enough. */
  boolean seemsToHaveLess() {
    return !gone.isEmpty();
  }

  /**
   * It has told a position.
   *
   * @param asked the naming contexts that it has at present, and was asked for
   * @param nanos for how long it must say so
   * @return of which naming contexts it will tell no more, since it does not have them; none while
   *     that may pass
   */
  Set<String> givesUp(Position told, Set<String> asked, long now, long nanos) {
    Set<String> less = new HashSet<>(position.contexts());
    less.removeAll(told.contexts());
    boolean hides = told.isEmpty() || less.stream().anyMatch(asked::contains);
    Set<String> seen = hides ? Set.of() : less;
    if (!seen.equals(gone)) {
      gone = seen;
      goneSince = now;
    }
    boolean lasts = !seen.isEmpty() && now - goneSince > nanos;
    gone = lasts ? Set.of() : gone;
    return lasts ? seen : Set.of();
  }

  /** It can be used from now on, or cannot. */
  void moved(boolean usable, long now) {
    awaited |= !usable;
    this.usable = usable;
    awaitedSince = now;
  }

  /** It has answered what it was asked then, whether it tells of a position or not. */
  void answered(long asked) {
    awaited &= asked - awaitedSince < 0;
  }

  /**
   * It is waited for no longer than a moment.
   *
   * @param judged whether its position would say how far it is behind
   */
  void hold(boolean judged, long now) {
    awaited &= !usable || now - awaitedSince <= PATIENCE_NANOS;
    held = awaited && judged && !chief;
  }

  /** Whether nothing is known that it lacks, nor to be asked first. */
  boolean keepsUp() {
    return tells() && !lags && !behind && !held;
  }

  /** How far it is behind, in nanoseconds: since when it lacks what a primary has shown. */
  long lag(long now) {
    return lags ? now - missingSince : 0;
  }
}
