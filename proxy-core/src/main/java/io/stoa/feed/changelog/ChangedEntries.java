// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.changelog;

import com.unboundid.ldap.sdk.SearchResultEntry;
import io.stoa.feed.event.FeedKind;
import io.stoa.feed.syncrepl.EntryConverter;
import io.stoa.feed.syncrepl.SyncTerms;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.Uuid;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads changed entries in batches. Batches shrink where entries are large, to bound the memory
 * held.
 *
 * <p>An entry that cannot be read even alone counts as unknown, so that it does not hold up the
 * others.
 *
 * <p>Threading: thread of the feed.
 */
final class ChangedEntries {
  static final int MOST = 50;

  /** Maximum size of one batch: 4 MiB. A single entry may be larger. */
  static final int ROOM = 4 << 20;

  private final SyncTerms sync;
  private final EntryConverter rules;
  private final Set<Uuid> unreadable = new HashSet<>();
  private int pace = MOST;

  ChangedEntries(SyncTerms sync) {
    this.sync = sync;
    this.rules = new EntryConverter(sync.secret());
  }

  /** Source of entries. */
  interface Source {
    /**
     * Reads entries.
     *
     * @param found receives each entry that exists
     * @return true if the answer is complete; false if the server's size limit cut it
     */
    boolean read(List<Uuid> wanted, Consumer<SearchResultEntry> found) throws IOException;
  }

  /**
   * The result of one batch.
   *
   * <p>Threading: immutable.
   *
   * @param known the images of entries
   * @param asked the entries that are settled: read, missing or unreadable
   */
  record Looks(Map<Uuid, Image> known, Set<Uuid> asked) {}

  /** Reads one batch: at least the first of the wanted entries. */
  Looks read(Collection<Uuid> wanted, Source from) throws IOException {
    List<Uuid> first = wanted.stream().distinct().limit(pace).toList();
    List<Uuid> readable = first.stream().filter(one -> !unreadable.contains(one)).toList();
    Intake intake = new Intake();
    boolean all = readable.isEmpty() || read(readable, intake, from);
    Set<Uuid> asked = new HashSet<>(first);
    if (!all || intake.full) {
      asked.removeIf(one -> !unreadable.contains(one) && !intake.looks.containsKey(one));
      pace = Math.max(1, Math.min(pace - 1, intake.looks.size()));
    } else if (intake.octets < ROOM / 2) {
      pace = Math.min(MOST, 2 * pace);
    }
    asked.forEach(unreadable::remove);
    return new Looks(intake.looks, asked);
  }

  /**
   * Reads a batch. After a failure, entries are read one by one; an entry that fails alone is left
   * out.
   */
  private boolean read(List<Uuid> wanted, Intake intake, Source from) throws IOException {
    boolean read = false;
    try {
      boolean all = from.read(wanted, intake::take);
      read = true;
      return all;
    } finally {
      if (!read && wanted.size() == 1) {
        unreadable.addAll(wanted);
      } else if (!read) {
        pace = 1;
      }
    }
  }

  /**
   * Collects one answer.
   *
   * <p>Threading: thread of the feed.
   */
  private final class Intake {
    private final Map<Uuid, Image> looks = new HashMap<>();
    private long octets;
    private boolean full;

    void take(SearchResultEntry found) {
      if (octets >= ROOM) {
        full = true;
        return;
      }
      byte[] op = EntryConverter.octets(found);
      octets += op.length;
      SearchEntry whole = rules.without(op);
      Uuid entry = uuid(found);
      if (entry != null && whole != null) {
        looks.put(entry, sync.rules().image(whole));
      }
    }

    private @Nullable Uuid uuid(SearchResultEntry found) {
      String id = found.getAttributeValue(FeedKind.CHANGELOG.uuidAttribute());
      return id == null ? null : Uuid.parse(id.getBytes(StandardCharsets.US_ASCII));
    }
  }
}
