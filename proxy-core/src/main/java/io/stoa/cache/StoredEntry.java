// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache;

import io.stoa.match.AttributeSelection;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An entry as the last few searches returned it, each read for itself: attributes of different reads
 * are never put together, or an entry would appear that never existed. Immutable.
 */
record StoredEntry(EntryKey key, EntryRead[] reads) {
  /** So many different selections of one entry are kept; applications that use it are few. */
  private static final int MOST_READS = 4;

  private static final int OVERHEAD = 160;
  private static final int READ_OVERHEAD = 72;

  /** The newest read that is complete for the selection, and belongs to the epoch; or null. */
  @Nullable EntryRead find(AttributeSelection selection, long epoch) {
    EntryRead covering = null;
    for (EntryRead read : reads) {
      if (read.epoch() == epoch) {
        if (read.selection().equals(selection)) {
          return read;
        }
        if (covering == null && read.selection().covers(selection)) {
          covering = read;
        }
      }
    }
    return covering;
  }

  /** The entry with one more read, which comes first and replaces those that it covers. */
  StoredEntry with(EntryRead newest) {
    if (reads[0].epoch() > newest.epoch()) {
      return this;
    }
    List<EntryRead> kept = new ArrayList<>(MOST_READS);
    kept.add(newest);
    for (EntryRead read : reads) {
      boolean useful =
          read.epoch() == newest.epoch() && !newest.selection().covers(read.selection());
      if (useful && kept.size() < MOST_READS) {
        kept.add(read);
      }
    }
    return new StoredEntry(key, kept.toArray(EntryRead[]::new));
  }

  /** Whether a read could still be served. */
  boolean alive(long epoch, long oldestNanos) {
    for (EntryRead read : reads) {
      if (read.epoch() == epoch && read.sentNanos() - oldestNanos >= 0) {
        return true;
      }
    }
    return false;
  }

  /** Memory that the entry takes, estimated in octets. */
  int size() {
    int size = OVERHEAD + key.size();
    for (EntryRead read : reads) {
      size += READ_OVERHEAD + read.op().length;
    }
    return size;
  }
}
