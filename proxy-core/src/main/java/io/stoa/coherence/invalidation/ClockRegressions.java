// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.stoa.coherence.invalidation.ChangeRing.ReadSummary;
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
 * Remembers where a server has assigned CSNs from an earlier time than before, because its clock
 * was set back.
 *
 * <p>The position of a server does not tell whether it has such a change: the later CSN covers it,
 * and a replica ignores the change for good. So for reads around its entry only the server that
 * reported the change is trusted. This ends when the entry is changed with a new CSN, or when the
 * ring has forgotten the record.
 *
 * <p>Threading: written on the domain's thread; thread-safe for queries.
 */
public final class ClockRegressions {
  /**
   * Maximum number of regressions of one server whose entries are remembered: 1,000. With more, the
   * whole naming context is concerned.
   */
  private static final int MAX_PER_SERVER = 1_000;

  /** Ordered as in the ring. Replaced as a whole, so that a concurrent query misses none. */
  private volatile List<Regression> regressions = List.of();

  /** The entries with a regression. Confined to the domain's thread. */
  private final Set<Uuid> entries = new HashSet<>();

  /** True if any of them ends when the feed passes a CSN. Confined to the domain's thread. */
  private boolean anyEndsByPosition;

  /**
   * One regression. Immutable.
   *
   * @param around a record that says that anything around the entry may have changed
   * @param uuid the entry; null if the regression is not of a single entry
   * @param until CSN after which a write through Stoa looked set back. Once the feed passes this
   *     CSN, the regression ends: the write was perhaps only known late. Null if it ends otherwise
   * @param server the server that has the change
   * @param everywhere true if it stands for too many to tell their entries apart, and is the last
   *     of them
   */
  private record Regression(
      RingRecord around,
      @Nullable Uuid uuid,
      @Nullable Csn until,
      @Nullable Object server,
      boolean everywhere) {
    boolean concerns(ReadSummary summary) {
      return everywhere || around.isBroadFor(summary);
    }

    /** True if this regression makes an earlier one redundant. */
    boolean supersedes(Regression before) {
      return before.server == server && (everywhere || isOfSame(before));
    }

    private boolean isOfSame(Regression before) {
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

    Regression in(ChangeRing ring) {
      RingRecord appended = ring.append(around.change(), around.appendedNanos());
      return new Regression(appended, uuid, until, server, everywhere);
    }
  }

  /** Makes an empty set. */
  public ClockRegressions() {}

  /**
   * Takes over the regressions of a former ring into its successor, which forgets them in turn.
   * Must be called before anything else is appended to the new ring.
   */
  public void takeOver(ClockRegressions before, ChangeRing ring) {
    keep(before.regressions.stream().map(regression -> regression.in(ring)).toList());
  }

  /**
   * Adds a regression.
   *
   * @param record the record that says that anything may have changed there; the last of its ring
   * @param until the CSN whose coverage ends the regression; null if the feed has reported the
   *     change
   * @param server the server where it was read, or from which the feed comes; compared by identity
   */
  public void add(RingRecord record, Change change, @Nullable Csn until, @Nullable Object server) {
    Regression regression =
        isOverLimit(server)
            ? new Regression(record, null, null, server, true)
            : new Regression(record, change.uuid(), until, server, false);
    Stream<Regression> others = regressions.stream().filter(it -> !regression.supersedes(it));
    keep(Stream.concat(others, Stream.of(regression)).toList());
  }

  private boolean isOverLimit(@Nullable Object server) {
    List<Regression> ofServer = regressions.stream().filter(it -> it.server() == server).toList();
    return ofServer.size() >= MAX_PER_SERVER || ofServer.stream().anyMatch(Regression::everywhere);
  }

  private void keep(List<Regression> next) {
    regressions = next;
    entries.clear();
    anyEndsByPosition = false;
    for (Regression regression : next) {
      Uuid uuid = regression.uuid();
      if (uuid != null) {
        entries.add(uuid);
      }
      anyEndsByPosition |= regression.until() != null;
    }
  }

  private void remove(Predicate<Regression> isOver) {
    List<Regression> remaining = regressions.stream().filter(isOver.negate()).toList();
    if (remaining.size() < regressions.size()) {
      keep(remaining);
    }
  }

  /**
   * Ends the regressions of an entry that was changed with a CSN that no earlier position covers.
   */
  public void onNewCsn(Change change) {
    Uuid uuid = change.uuid();
    if (uuid != null && entries.contains(uuid)) {
      remove(regression -> uuid.equals(regression.uuid()));
    }
  }

  /**
   * Ends the regressions whose {@code until} the feed has passed.
   *
   * @param context the naming context, as positions name it
   */
  public void onCovered(Position position, String context) {
    if (anyEndsByPosition) {
      remove(regression -> regression.isPassed(position, context));
    }
  }

  /** Removes the regressions of a record that leaves the ring, and of all earlier ones. */
  public void forget(RingRecord record) {
    List<Regression> now = regressions;
    if (!now.isEmpty() && now.get(0).isUpTo(record)) {
      remove(regression -> regression.isUpTo(record));
    }
  }

  /** True if a server may lack a regressed change that concerns a read. */
  public boolean mayLack(ReadSummary summary, Object server) {
    return regressions.stream().anyMatch(it -> it.server() != server && it.concerns(summary));
  }
}
