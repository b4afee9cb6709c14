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
 * Finds out what changed entries look like now: many at once, and fewer where they are large, so
 * that no more is held than there is room for. An entry that cannot be read by itself either is not
 * known: it does not hold up all others. Confined to the thread of the feed.
 */
final class ChangedEntries {
  static final int MOST = 50;

  /** Octets that are held at once, but for one entry, which may be larger. */
  static final int ROOM = 4 << 20;

  private final SyncTerms sync;
  private final EntryConverter rules;
  private final Set<Uuid> unreadable = new HashSet<>();
  private int pace = MOST;

  ChangedEntries(SyncTerms sync) {
    this.sync = sync;
    this.rules = new EntryConverter(sync.secret());
  }

  /** From where entries come. */
  interface Source {
    /**
     * Reads entries.
     *
     * @param found is given those that are there
     * @return whether these are all; false if the server gives no more at once
     */
    boolean read(List<Uuid> wanted, Consumer<SearchResultEntry> found) throws IOException;
  }

  /**
   * What was found out. Immutable.
   *
   * @param known what entries look like
   * @param asked of which entries that is known, also if it is that they are not there
   */
  record Looks(Map<Uuid, Image> known, Set<Uuid> asked) {}

  /** Reads the first of these, as many as there is room for, one at least. */
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

  /** Whoever fails reads one by one the next time, and leaves out the one with which it fails. */
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

  /** What comes in answer to one question; confined to the thread of the feed. */
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
