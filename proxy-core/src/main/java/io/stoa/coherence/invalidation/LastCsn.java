// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Modified;
import io.stoa.feed.event.Change.Source;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.protocol.Uuid;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The last change of each entry that the ring holds, so that no change is applied twice. Its size
 * is that of the ring.
 *
 * <p>Threading: confined to the domain's thread.
 */
public final class LastCsn {
  /**
   * Maximum number of earlier CSNs kept for an entry: 8. If the feed reports more changes before
   * the response to a write through Stoa, the write counts as a clock regression. All views of the
   * entry are then invalidated.
   */
  private static final int MOST_BEFORE = 8;

  /**
   * Time without a change after which the earlier CSNs of an entry are forgotten: 5 s, longer than
   * most responses take. Only entries that change often thus need memory.
   */
  private static final long LATELY_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Map<Uuid, Last> byUuid = new HashMap<>();

  /**
   * The last change of an entry. Immutable.
   *
   * @param complete true if the whole entry was known when the change was applied
   * @param before CSNs of earlier complete changes that only the feed has reported, newest last
   */
  private record Last(RingRecord record, boolean complete, List<Csn> before) {
    /** Returns the CSNs that the next change follows. */
    List<Csn> all() {
      Csn csn = record.change().csn();
      if (csn == null || !complete || record.isRefuted() || !isToldAlone()) {
        return before;
      }
      int first = Math.max(0, before.size() + 1 - MOST_BEFORE);
      return Stream.concat(before.stream().skip(first), Stream.of(csn)).toList();
    }

    /** True if only the feed has reported the change. */
    boolean isToldAlone() {
      return record.change().receipt().source() == Source.FEED;
    }
  }

  /**
   * True if this change or a newer one has been applied completely: the feed reports each write
   * through Stoa once more. A change that only the feed has reported may never have taken effect,
   * so it counts for itself alone.
   */
  public boolean has(Change change) {
    Last last = lastOf(change);
    int order = last == null ? -1 : order(last, change);
    return order == 0 || (order > 0 && last != null && !last.isToldAlone());
  }

  /**
   * True if the feed has already reported this write, and later changes of the entry, so that the
   * write adds nothing. Not for a rename: it names the former name, which the feed does not report.
   */
  public boolean wasToldBefore(Change change) {
    Last last = lastOf(change);
    Csn csn = change.csn();
    return change instanceof Modified
        && change.receipt().source() == Source.OWN_WRITE
        && last != null
        && csn != null
        && last.before().contains(csn);
  }

  /**
   * True if a newer change of the entry has been reported; that one may never have taken effect.
   */
  public boolean hasNewer(Change change) {
    Last last = lastOf(change);
    return last != null && order(last, change) > 0;
  }

  /**
   * True if a newer change of the entry has been reported that another server has made, by its own
   * clock.
   */
  public boolean hasNewerOfAnother(Change change, String origin) {
    return hasNewer(change) && !hasNewerOf(change, origin);
  }

  /**
   * True if a newer change of the entry is known that the same server has made. The newer one may
   * be a write through Stoa.
   */
  public boolean hasNewerOf(Change change, String origin) {
    Last last = lastOf(change);
    Csn known = last == null ? null : last.record().change().csn();
    return known != null && known.origin().equals(origin) && hasNewer(change);
  }

  /** Excludes the last record of the entry from all comparisons. */
  public void refute(Change change) {
    RingRecord last = change.uuid() == null ? null : of(change.uuid());
    if (last != null) {
      last.refute();
    }
  }

  private @Nullable Last lastOf(Change change) {
    Uuid uuid = change.uuid();
    Last last = uuid == null ? null : byUuid.get(uuid);
    return last == null || !last.complete() || last.record().isRefuted() ? null : last;
  }

  /**
   * Returns the order of the last applied state and the change; negative if they cannot be
   * compared.
   */
  private static int order(Last last, Change change) {
    Csn csn = change.csn();
    Csn known = last.record().change().csn();
    return csn == null || known == null ? -1 : known.compareTo(csn);
  }

  /** Called when a record was appended and no newer change of its entry has been reported. */
  public void note(RingRecord record, boolean complete) {
    Uuid uuid = record.uuid();
    if (uuid != null) {
      byUuid.put(uuid, new Last(record, complete, before(record, byUuid.get(uuid))));
    }
  }

  private static List<Csn> before(RingRecord record, @Nullable Last last) {
    if (last == null || record.appendedNanos() - last.record().appendedNanos() > LATELY_NANOS) {
      return List.of();
    }
    return last.all();
  }

  /** Returns the last change of an entry; null if the ring holds none. */
  public @Nullable RingRecord of(Uuid uuid) {
    Last last = byUuid.get(uuid);
    return last == null ? null : last.record();
  }

  /** Removes a record that the ring has forgotten. */
  public void forget(RingRecord record) {
    Uuid uuid = record.uuid();
    if (uuid != null) {
      byUuid.computeIfPresent(uuid, (key, last) -> last.record() == record ? null : last);
    }
  }
}
