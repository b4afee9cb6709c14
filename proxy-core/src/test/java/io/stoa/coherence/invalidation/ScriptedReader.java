// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import static io.stoa.testing.SmallDirectory.csn;
import static io.stoa.testing.SmallDirectory.entry;
import static io.stoa.testing.SmallDirectory.uuid;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.feed.event.PrivilegedReader;
import io.stoa.ldap.protocol.SearchEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** What the account of a feed is shown: which entries, and in which state. Not thread-safe. */
final class ScriptedReader implements PrivilegedReader {
  private final Map<String, String[]> directory = new TreeMap<>();

  /** The filters of what was asked for. */
  final List<String> asked = new ArrayList<>();

  /** Whether it is given no answer. */
  boolean broken;

  void has(String name, int entry, int csn) {
    directory.put(name, new String[] {uuid(entry).toString(), csn(csn).text()});
  }

  void lacks(String name) {
    directory.remove(name);
  }

  void lacksAllBelow(String name) {
    directory.keySet().removeIf(one -> one.endsWith(name));
  }

  @Override
  public void search(
      Search search, Consumer<List<SearchEntry>> found, Consumer<ReadFailure> failed) {
    String base = new String(search.base(), UTF_8);
    String filter = new String(search.filter(), UTF_8);
    List<SearchEntry> entries = new ArrayList<>();
    directory.forEach(
        (name, state) -> {
          if (search.scope() == 0 ? name.equals(base) : filter.contains(state[0])) {
            entries.add(entry(name, Map.of("entryUUID", state[0], "entryCSN", state[1])));
          }
        });
    asked.add(filter);
    if (broken) {
      failed.accept(ReadFailure.withoutResult("no"));
    } else {
      found.accept(entries);
    }
  }
}
