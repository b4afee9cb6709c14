// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.accesslog;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.feed.accesslog.LogChanges.EntryState;
import io.stoa.feed.accesslog.LogFeed.Anchor;
import io.stoa.feed.event.FeedKind;
import io.stoa.feed.event.PrivilegedReader;
import io.stoa.feed.event.PrivilegedReader.Search;
import io.stoa.feed.syncrepl.SyncContext;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.Uuid;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads the entries of records with the account of the feed.
 *
 * <p>Threading: immutable.
 *
 * @param base the naming context
 */
record LogReader(PrivilegedReader reader, SyncContext terms, byte[] base) {
  private static final int BASE = 0;
  private static final int SUB = 2;
  private static final String UUID = "entryUUID";

  /**
   * Reads entries.
   *
   * @param found receives a supplier of the entries that exist, on any thread; the receiver calls
   *     the supplier on its own thread
   */
  void read(Collection<Uuid> wanted, Consumer<Supplier<Map<Uuid, EntryState>>> found) {
    StringBuilder filter = new StringBuilder("(|");
    wanted.forEach(entry -> filter.append(FeedKind.ACCESSLOG.entryFilter(entry)));
    byte[] any = filter.append(')').toString().getBytes(US_ASCII);
    reader.search(
        new Search(base, SUB, any, List.of("*", "+")),
        entries -> found.accept(() -> entries(entries)),
        why -> found.accept(Map::of));
  }

  private Map<Uuid, EntryState> entries(List<SearchEntry> entries) {
    Map<Uuid, EntryState> states = new HashMap<>();
    for (SearchEntry entry : entries) {
      Uuid id = uuid(entry);
      byte[] text = LogRecord.value(entry, "entryCSN");
      Csn csn = text == null ? null : Csn.parse(text);
      if (id != null && csn != null) {
        states.put(id, new EntryState(terms.rules().image(entry), csn));
      }
    }
    return states;
  }

  /**
   * Checks that a record is still in the log.
   *
   * @param receiver receives the result on any thread; false if the record cannot be read
   */
  void checkExists(@Nullable Anchor anchor, Consumer<Boolean> receiver) {
    if (anchor == null) {
      receiver.accept(false);
      return;
    }
    byte[] any = "(objectClass=*)".getBytes(US_ASCII);
    reader.search(
        new Search(anchor.dn(), BASE, any, List.of(UUID)),
        found -> receiver.accept(found.size() == 1 && anchor.id().equals(uuid(found.get(0)))),
        why -> receiver.accept(false));
  }

  /**
   * Reads the position of a log.
   *
   * @param receiver receives the position on any thread; not called if none can be read
   */
  void readPosition(String log, Consumer<Position> receiver) {
    reader.readPosition(
        log.getBytes(UTF_8),
        terms.context(),
        position -> {
          if (!position.isEmpty()) {
            receiver.accept(position);
          }
        });
  }

  private static @Nullable Uuid uuid(SearchEntry entry) {
    byte[] text = LogRecord.value(entry, UUID);
    return text == null ? null : Uuid.parse(text);
  }
}
