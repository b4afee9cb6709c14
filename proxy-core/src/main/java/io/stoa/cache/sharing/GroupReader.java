// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.feed.event.PrivilegedReader;
import io.stoa.feed.event.PrivilegedReader.Search;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.SearchEntry.AttributeOctets;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads the members of the groups of declared classes periodically.
 *
 * <ol>
 *   <li>A reading expires after the time for which rights may be assumed unchanged. Then the group
 *       has no members.
 *   <li>An unchanged entry is not read whole: its entryCSN is compared first.
 * </ol>
 *
 * <p>Threading: thread-safe.
 */
public final class GroupReader {
  private static final int BASE = 0;
  private static final String VERSION = "entryCSN";
  private static final Set<String> MEMBERS = Set.of("member", "uniquemember");
  private static final byte[] ANY = "(objectClass=*)".getBytes(UTF_8);

  private final ClassTable table;
  private final Function<byte[], @Nullable PrivilegedReader> readers;
  private final long validNanos;
  private final LongSupplier clock;

  /**
   * Creates a reader that reads when {@link #readAll} is called.
   *
   * @param readers reader for an entry, under the identity of its feed; null if none is available
   *     now
   * @param validity time until a reading expires
   * @param clock time in ns, as {@link System#nanoTime}
   */
  public GroupReader(
      ClassTable table,
      Function<byte[], @Nullable PrivilegedReader> readers,
      Duration validity,
      LongSupplier clock) {
    this.table = table;
    this.readers = readers;
    this.validNanos = validity.toNanos();
    this.clock = clock;
  }

  /** True if no class has groups. */
  public boolean isIdle() {
    return table.classStates().stream().allMatch(state -> state.groups().isEmpty());
  }

  /** Starts reading all groups. Must be called often enough that readings do not expire. */
  public void readAll() {
    table.classStates().stream().flatMap(state -> state.groups().stream()).forEach(this::check);
  }

  private void check(Group group) {
    PrivilegedReader reader = readers.apply(group.dn().getBytes(UTF_8));
    Octets version = group.version();
    if (reader == null) {
      return; // the last reading stays valid until it expires
    }
    if (version == null) {
      read(group, reader);
      return;
    }
    long until = clock.getAsLong() + validNanos;
    ServerProfile profile = table.profile();
    reader.search(
        search(group, List.of(VERSION)),
        found -> {
          boolean same = found.size() == 1 && version.equals(value(found.get(0), VERSION));
          if (same && profile == table.profile()) {
            group.extend(version, until);
          } else {
            read(group, reader);
          }
        },
        failed -> {});
  }

  private void read(Group group, PrivilegedReader reader) {
    long until = clock.getAsLong() + validNanos;
    ServerProfile profile = table.profile();
    reader.search(
        search(group, List.of(VERSION, "member", "uniqueMember")),
        found -> onGroup(group, found, profile, until),
        failed -> {});
  }

  private static Search search(Group group, List<String> attributes) {
    return new Search(group.dn().getBytes(UTF_8), BASE, ANY, attributes);
  }

  /** Takes the result of a search. The members of a missing or invisible group are unknown. */
  private void onGroup(Group group, List<SearchEntry> found, ServerProfile profile, long until) {
    if (profile != table.profile()) {
      return; // the rules for the comparison of names changed meanwhile
    }
    boolean changed =
        found.size() == 1
            ? group.update(members(found.get(0), profile), value(found.get(0), VERSION), until)
            : group.clear();
    if (changed) {
      table.onMembersChanged();
    }
  }

  private static Set<Octets> members(SearchEntry entry, ServerProfile profile) {
    Set<Octets> members = new HashSet<>();
    for (AttributeOctets attribute : entry.attributes()) {
      if (MEMBERS.contains(name(attribute))) {
        attribute.values().forEach(dn -> members.add(NormalDn.of(dn, profile).octets()));
      }
    }
    return members;
  }

  private static @Nullable Octets value(SearchEntry entry, String name) {
    return entry.attributes().stream()
        .filter(attribute -> name(attribute).equalsIgnoreCase(name))
        .flatMap(attribute -> attribute.values().stream())
        .findFirst()
        .map(Octets::of)
        .orElse(null);
  }

  private static String name(AttributeOctets attribute) {
    return new String(attribute.type(), UTF_8).toLowerCase(Locale.ROOT);
  }
}
