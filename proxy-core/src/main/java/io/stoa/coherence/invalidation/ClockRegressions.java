// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.stoa.coherence.invalidation.ChangeRing.Reading;
import io.stoa.feed.event.Change;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.protocol.Uuid;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where a server has counted from an earlier time again than before, since its clock was set back.
 * Of what it counts so no position says who has it: it is covered wherever the later count is, and
 * a server that follows another one ignores it for good. So of what is around its entry nobody is
 * believed but the server that has told it, until the entry is changed with a count that is new, or
 * the ring has forgotten it. Written on the realm's thread; thread-safe for those who ask.
 */
public final class ClockRegressions {
  /** Of so many of a server it is not known any more where they are. */
  private static final int MOST = 1_000;

  /** In the order of the ring; replaced as a whole, so that who asks misses none. */
  private volatile List<Step> steps = List.of();

  /** Of the realm's thread: the entries that they are of. */
  private final Set<Uuid> entries = new HashSet<>();

  /** Of the realm's thread: whether any of them ends where the feed comes further. */
  private boolean late;

  /**
   * One of them. Immutable.
   *
   * @param around says that anything may have changed there
   * @param uuid null if it is not of one entry
   * @param until it may be that it was only known late, if the feed comes further than that; null
   *     if not
   * @param server has it
   * @param everywhere whether it stands for too many to look where they are: it is the last of them
   */
  private record Step(
      RingRecord around,
      @Nullable Uuid uuid,
      @Nullable Csn until,
      @Nullable Object server,
      boolean everywhere) {
    boolean concerns(Reading reading) {
      return everywhere || around.isBroadFor(reading);
    }

    /** Whether nothing is lost if the other one, which was before, is not known any more. */
    boolean standsFor(Step before) {
      return before.server == server && (everywhere || isOfSame(before));
    }

    private boolean isOfSame(Step before) {
      return until == null
          && uuid != null
          && uuid.equals(before.uuid)
          && Objects.equals(around.change().dn(), before.around.change().dn());
    }

    boolean isPassed(Position position, String context) {
      Csn now = until == null ? null : until.lastIn(position, context);
      return until != null && now != null && now.compareTo(until) > 0;
    }

    boolean isUpTo(RingRecord record) {
      return around.seq() <= record.seq();
    }

    Step in(ChangeRing ring) {
      RingRecord again = ring.append(around.change(), around.appendedNanos());
      return new Step(again, uuid, until, server, everywhere);
    }
  }

  /** There is none. */
  public ClockRegressions() {}

  /**
   * There are those of a ring that another one takes the place of, which forgets them in its turn.
   * To be called before anything else is appended to that.
   */
  public void goOn(ClockRegressions before, ChangeRing ring) {
    keep(before.steps.stream().map(step -> step.in(ring)).toList());
  }

  /**
   * A server has counted a change from an earlier time again.
   *
   * @param around says that anything may have changed there; the last of its ring
   * @param until null if the feed has told it
   * @param server where it was read, or from where the feed comes, compared by identity
   */
  public void add(RingRecord around, Change change, @Nullable Csn until, @Nullable Object server) {
    Step step =
        areMany(server)
            ? new Step(around, null, null, server, true)
            : new Step(around, change.uuid(), until, server, false);
    Stream<Step> others = steps.stream().filter(it -> !step.standsFor(it));
    keep(Stream.concat(others, Stream.of(step)).toList());
  }

  private boolean areMany(@Nullable Object server) {
    List<Step> same = steps.stream().filter(it -> it.server() == server).toList();
    return same.size() >= MOST || same.stream().anyMatch(Step::everywhere);
  }

  private void keep(List<Step> next) {
    steps = next;
    entries.clear();
    late = false;
    for (Step step : next) {
      Uuid uuid = step.uuid();
      if (uuid != null) {
        entries.add(uuid);
      }
      late |= step.until() != null;
    }
  }

  private void remove(Predicate<Step> over) {
    List<Step> rest = steps.stream().filter(over.negate()).toList();
    if (rest.size() < steps.size()) {
      keep(rest);
    }
  }

  /** The entry was changed with a count that nobody has whose position is not as late. */
  public void passed(Change change) {
    Uuid uuid = change.uuid();
    if (uuid != null && entries.contains(uuid)) {
      remove(step -> uuid.equals(step.uuid()));
    }
  }

  /**
   * The feed has come so far.
   *
   * @param context as positions name it
   */
  public void covered(Position position, String context) {
    if (late) {
      remove(step -> step.isPassed(position, context));
    }
  }

  /** The ring holds it no longer, nor what was appended before it. */
  public void forget(RingRecord record) {
    List<Step> now = steps;
    if (!now.isEmpty() && now.get(0).isUpTo(record)) {
      remove(step -> step.isUpTo(record));
    }
  }

  /** Whether who answers may lack one of them that concerns what he answers. */
  public boolean mayLack(Reading reading, Object server) {
    return steps.stream().anyMatch(it -> it.server() != server && it.concerns(reading));
  }
}
