// SPDX-License-Identifier: Apache-2.0
package io.stoa.replication;

import io.stoa.ldap.csn.Position;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * How far one server has got, as it has last said. Written under the lock of {@link Replication},
 * read by any thread (thread-safe).
 */
final class ReplicaState {
  /** Who has not answered so long after it could be used is read from all the same. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Whoever was asked, and has not answered for so long, may lack whatever it has not told of. */
  private static final long UNHEARD_NANOS = TimeUnit.SECONDS.toNanos(1);

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

  /** Whether it has answered since, without any position or with less than before. */
  private boolean mute;

  private boolean usable;
  private long awaitedSince;
  private long movedAt;

  /** Whether what it took is given up, since it does not tell any more who may have it. */
  boolean forsaken;

  /** Since when it was asked in vain; only if it was. */
  private long unheardSince;

  private boolean unheard;

  /** Whether it gets no reads for that. */
  volatile boolean held;

  /** Reads that it was given although it may lack what they had to show. */
  final LongAdder uncovered = new LongAdder();

  ReplicaState(
      Object group, String name, BooleanSupplier up, @Nullable BooleanSupplier writes, long now) {
    this.awaitedSince = now;
    this.movedAt = now;
    this.group = group;
    this.name = name;
    this.primary = writes != null;
    this.preferred = writes == null ? () -> false : writes;
    this.up = up;
    this.usable = up.getAsBoolean();
  }

  /** Looked for whenever a server tells: a stream would take longer than the rest. */
  static List<ReplicaState> primaries(Collection<ReplicaState> all, Object group) {
    List<ReplicaState> primaries = new ArrayList<>(all.size());
    for (ReplicaState known : all) {
      if (known.primary && known.group == group) {
        primaries.add(known);
      }
    }
    return primaries;
  }

  /** The only one of some that is so, or the first; null if none is. */
  static @Nullable ReplicaState only(List<ReplicaState> some, Predicate<ReplicaState> which) {
    for (ReplicaState one : some) {
      if (which.test(one)) {
        return one;
      }
    }
    return null;
  }

  /** Whether it has told a position. */
  boolean tells() {
    return !position.isEmpty();
  }

  /** Whether its position can be compared with those of primaries, among all servers. */
  boolean comparesWith(Collection<ReplicaState> all) {
    boolean told = false;
    for (ReplicaState other : all) {
      if (other.primary && other.group == group && other.tells()) {
        told = true;
        if (!position.comparableWith(other.position)) {
          return false;
        }
      }
    }
    return told;
  }

  /** It does not tell any more. By one that judged the others they cannot be judged any more. */
  void forsake() {
    forsaken = true;
    if (chief) {
      position = Position.NONE;
      hides = false;
    }
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
    boolean hides = told.isEmpty() || !Collections.disjoint(less, asked);
    Set<String> seen = hides ? Set.of() : less;
    if (!seen.equals(gone)) {
      gone = seen;
      goneSince = now;
    }
    boolean lasts = !seen.isEmpty() && now - goneSince > nanos;
    gone = lasts ? Set.of() : gone;
    return lasts ? seen : Set.of();
  }

  /** It can be used from now on, or cannot, or is another way of one of these. */
  void moved(boolean usable, long now) {
    movedAt = now;
    if (usable != this.usable) {
      awaited |= !usable;
      mute &= usable;
      unheard = false;
      awaitedSince = now;
      this.usable = usable;
    }
  }

  /** It is about to be asked. */
  void asking(long now) {
    unheardSince = unheard ? unheardSince : now;
    unheard = true;
  }

  /** Whether it has been asked in vain for long. */
  boolean unheard(long now) {
    return unheard && now - unheardSince > UNHEARD_NANOS;
  }

  /** It has answered what it was asked then, whether it tells of a position or not. */
  void answered(long asked) {
    boolean since = asked - awaitedSince >= 0;
    unheard &= !since;
    mute = since ? hides || !tells() : mute;
    awaited &= !since || mute;
  }

  /**
   * It is waited for: for a moment if it does not answer, and longer if it does without telling
   * what others tell, as one that is being loaded; and as long as that lasts, if it has told
   * before.
   *
   * @param judged whether its position would say how far it is behind
   * @param longest how long in nanoseconds
   * @return whether it is to be read from although it has not told
   */
  boolean hold(boolean judged, long now, long longest) {
    long patience = mute ? longest : PATIENCE_NANOS;
    boolean given = awaited && usable && !hides && now - awaitedSince > patience;
    boolean before = held;
    awaited &= !given;
    held = awaited && judged && !chief;
    return given && before && mute;
  }

  /** Whether nothing is known that it lacks, by what it was asked after it had moved last. */
  boolean keepsUp() {
    return tells() && !lags && !behind && !held && asked - movedAt >= 0;
  }

  /** How far it is behind, in nanoseconds: since when it lacks what a primary has shown. */
  long lag(long now) {
    return lags ? now - missingSince : 0;
  }
}
