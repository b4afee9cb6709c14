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
 * The last change of each entry that the ring holds, so that the same one is not applied twice. As
 * large as the ring. Confined to the realm's thread.
 */
public final class LastCsn {
  /**
   * Where more was told of an entry before who changed it had his answer, his change is taken for
   * one that was counted back: whatever shows the entry is void.
   */
  private static final int MOST_BEFORE = 8;

  /**
   * The same where nothing was told of it for so long, which is longer than an answer mostly takes:
   * so no more is kept than of what changes often at present.
   */
  private static final long LATELY_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Map<Uuid, Last> byUuid = new HashMap<>();

  /**
   * Immutable.
   *
   * @param complete whether it was applied with all that the entry looked like is known when it
   *     came
   * @param before what the feed has told in full of the entry before that, the newest last
   */
  private record Last(RingRecord record, boolean complete, List<Csn> before) {
    /** What the next change comes after. */
    List<Csn> all() {
      Csn csn = record.change().csn();
      if (csn == null || !complete || record.isRefuted() || !isToldAlone()) {
        return before;
      }
      int first = Math.max(0, before.size() + 1 - MOST_BEFORE);
      return Stream.concat(before.stream().skip(first), Stream.of(csn)).toList();
    }

    /** Whether nobody but the feed has told it. */
    boolean isToldAlone() {
      return record.change().receipt().source() == Source.FEED;
    }
  }

  /**
   * Whether this, or something newer, has been applied, and nothing was unknown then: an own write
   * comes once more by the feed. What the feed alone has told may never have been: it stands for
   * nothing but itself.
   */
  public boolean has(Change change) {
    Last last = lastOf(change);
    int order = last == null ? -1 : order(last, change);
    return order == 0 || (order > 0 && last != null && !last.isToldAlone());
  }

  /**
   * Whether who has written through Stoa knows nothing new of what an entry looks like: the feed
   * was quicker, and has told even what followed. Who has renamed it knows by what name it was
   * known, which the feed does not tell.
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

  /** Whether something newer has been told, which may never have been. */
  public boolean hasNewer(Change change) {
    Last last = lastOf(change);
    return last != null && order(last, change) > 0;
  }

  /** The same of what was done at another server, by a clock of its own. */
  public boolean hasNewerOfAnother(Change change, String origin) {
    return hasNewer(change) && !hasNewerOf(change, origin);
  }

  /** The same of what was done at that server; it may have been done through Stoa. */
  public boolean hasNewerOf(Change change, String origin) {
    Last last = lastOf(change);
    Csn known = last == null ? null : last.record().change().csn();
    return known != null && known.origin().equals(origin) && hasNewer(change);
  }

  /** What was told of the entry before is not to be compared with anything any more. */
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

  /** How the state that was applied last compares; negative if that cannot be said. */
  private static int order(Last last, Change change) {
    Csn csn = change.csn();
    Csn known = last.record().change().csn();
    return csn == null || known == null ? -1 : known.compareTo(csn);
  }

  /** It has been appended, and nothing newer has been told. */
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

  /** The last change of an entry; null if the ring holds none. */
  public @Nullable RingRecord of(Uuid uuid) {
    Last last = byUuid.get(uuid);
    return last == null ? null : last.record();
  }

  /** The ring holds it no longer. */
  public void forget(RingRecord record) {
    Uuid uuid = record.uuid();
    if (uuid != null) {
      byUuid.computeIfPresent(uuid, (key, last) -> last.record() == record ? null : last);
    }
  }
}
