// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Modified;
import io.stoa.feed.event.Change.Reporter;
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
  private static final int MAX_EARLIER = 8;

  /**
   * Time without a change after which the earlier CSNs of an entry are forgotten: 5 s, longer than
   * most responses take. Only entries that change often thus need memory.
   */
  private static final long RECENT_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Map<Uuid, LastChange> byUuid = new HashMap<>();

  /**
   * The last change of an entry. Immutable.
   *
   * @param complete true if the whole entry was known when the change was applied
   * @param earlier CSNs of earlier complete changes that only the feed has reported, newest last
   */
  private record LastChange(RingRecord record, boolean complete, List<Csn> earlier) {
    /** Returns the CSNs that the next change follows. */
    List<Csn> all() {
      Csn csn = record.change().csn();
      if (csn == null || !complete || record.isRefuted() || !isFromFeedOnly()) {
        return earlier;
      }
      int first = Math.max(0, earlier.size() + 1 - MAX_EARLIER);
      return Stream.concat(earlier.stream().skip(first), Stream.of(csn)).toList();
    }

    /** True if only the feed has reported the change. */
    boolean isFromFeedOnly() {
      return record.change().receipt().reporter() == Reporter.FEED;
    }
  }

  /**
   * True if this change or a newer one has been applied completely: the feed reports each write
   * through Stoa once more. A change that only the feed has reported may never have taken effect,
   * so it counts for itself alone.
   */
  public boolean has(Change change) {
    LastChange last = lastOf(change);
    int order = last == null ? -1 : order(last, change);
    return order == 0 || (order > 0 && last != null && !last.isFromFeedOnly());
  }

  /**
   * True if the feed has already reported this write, and later changes of the entry, so that the
   * write adds nothing. Not for a rename: it names the former name, which the feed does not report.
   */
  public boolean isOvertaken(Change change) {
    LastChange last = lastOf(change);
    Csn csn = change.csn();
    return change instanceof Modified
        && change.receipt().reporter() == Reporter.OWN_WRITE
        && last != null
        && csn != null
        && last.earlier().contains(csn);
  }

  /**
   * True if a newer change of the entry has been reported; that one may never have taken effect.
   */
  public boolean hasNewer(Change change) {
    LastChange last = lastOf(change);
    return last != null && order(last, change) > 0;
  }

  /**
   * True if a newer change of the entry has been reported that another server has made, by its own
   * clock.
   */
  public boolean hasNewerOfOtherServer(Change change, String origin) {
    return hasNewer(change) && !hasNewerOfServer(change, origin);
  }

  /**
   * True if a newer change of the entry is known that the same server has made. The newer one may
   * be a write through Stoa.
   */
  public boolean hasNewerOfServer(Change change, String origin) {
    LastChange last = lastOf(change);
    Csn lastCsn = last == null ? null : last.record().change().csn();
    return lastCsn != null && lastCsn.origin().equals(origin) && hasNewer(change);
  }

  /** Excludes the last record of the entry from all comparisons. */
  public void refute(Change change) {
    RingRecord last = change.uuid() == null ? null : of(change.uuid());
    if (last != null) {
      last.markRefuted();
    }
  }

  private @Nullable LastChange lastOf(Change change) {
    Uuid uuid = change.uuid();
    LastChange last = uuid == null ? null : byUuid.get(uuid);
    return last == null || !last.complete() || last.record().isRefuted() ? null : last;
  }

  /**
   * Returns the order of the last applied state and the change; negative if they cannot be
   * compared.
   */
  private static int order(LastChange last, Change change) {
    Csn csn = change.csn();
    Csn lastCsn = last.record().change().csn();
    return csn == null || lastCsn == null ? -1 : lastCsn.compareTo(csn);
  }

  /** Called when a record was appended and no newer change of its entry has been reported. */
  public void note(RingRecord record, boolean complete) {
    Uuid uuid = record.uuid();
    if (uuid != null) {
      byUuid.put(uuid, new LastChange(record, complete, before(record, byUuid.get(uuid))));
    }
  }

  private static List<Csn> before(RingRecord record, @Nullable LastChange last) {
    if (last == null || record.appendedNanos() - last.record().appendedNanos() > RECENT_NANOS) {
      return List.of();
    }
    return last.all();
  }

  /** Returns the last change of an entry; null if the ring holds none. */
  public @Nullable RingRecord of(Uuid uuid) {
    LastChange last = byUuid.get(uuid);
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
