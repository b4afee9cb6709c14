// SPDX-License-Identifier: Apache-2.0
package io.stoa.realm;

import io.stoa.change.Change;
import io.stoa.change.Csn;
import io.stoa.change.RingRecord;
import io.stoa.filter.Uuid;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The last change of each entry that the ring holds, so that the same one is not applied twice. As
 * large as the ring. Confined to the realm's thread.
 */
final class LastCsn {
  private final Map<Uuid, Last> byUuid = new HashMap<>();

  /** Whether it was applied with all that the entry looked like is known when it came. */
  private record Last(RingRecord record, boolean complete) {}

  /**
   * Whether this, or something newer, has been applied, and nothing was unknown then: an own write
   * comes once more by the feed.
   */
  boolean has(Change change) {
    Uuid uuid = change.uuid();
    Csn csn = change.csn();
    Last last = uuid == null ? null : byUuid.get(uuid);
    if (last == null || csn == null || !last.complete()) {
      return false;
    }
    Csn known = last.record().change().csn();
    return known != null && known.compareTo(csn) >= 0;
  }

  /** It has been appended. */
  void note(RingRecord record, boolean complete) {
    Uuid uuid = record.uuid();
    if (uuid != null) {
      byUuid.put(uuid, new Last(record, complete));
    }
  }

  /** The last change of an entry; null if the ring holds none. */
  @Nullable RingRecord of(Uuid uuid) {
    Last last = byUuid.get(uuid);
    return last == null ? null : last.record();
  }

  /** The ring holds it no longer. */
  void forget(RingRecord record) {
    Uuid uuid = record.uuid();
    if (uuid != null) {
      byUuid.computeIfPresent(uuid, (key, last) -> last.record() == record ? null : last);
    }
  }
}
