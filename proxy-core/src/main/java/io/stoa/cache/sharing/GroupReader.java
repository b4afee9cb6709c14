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
 * Reads again and again who belongs to the groups of declared classes. What could not be read for
 * as long as rights may be taken for what they were is not known: then nobody belongs to it. An
 * entry that has not changed is not read whole. Thread-safe.
 */
public final class GroupReader {
  private static final int BASE = 0;
  private static final String VERSION = "entryCSN";
  private static final Set<String> MEMBERS = Set.of("member", "uniquemember");
  private static final byte[] ANY = "(objectClass=*)".getBytes(UTF_8);

  private final ClassTable table;
  private final Function<byte[], @Nullable PrivilegedReader> readers;
  private final long knownNanos;
  private final LongSupplier clock;

  /**
   * Makes one, which reads when it is told to.
   *
   * @param readers as whom an entry is read; null if it cannot be now
   * @param known how long what was read is taken for what is
   * @param clock in the time of {@link System#nanoTime}
   */
  public GroupReader(
      ClassTable table,
      Function<byte[], @Nullable PrivilegedReader> readers,
      Duration known,
      LongSupplier clock) {
    this.table = table;
    this.readers = readers;
    this.knownNanos = known.toNanos();
    this.clock = clock;
  }

  /** Whether there is nothing to be read. */
  public boolean isIdle() {
    return table.declared().stream().allMatch(declared -> declared.groups().isEmpty());
  }

  /** Begins to read all groups; often enough, and what was read stays known. */
  public void turn() {
    table.declared().stream().flatMap(declared -> declared.groups().stream()).forEach(this::look);
  }

  private void look(Group group) {
    PrivilegedReader reader = readers.apply(group.dn().getBytes(UTF_8));
    Octets version = group.version();
    if (reader == null) {
      return; // it is known for as long as it is
    }
    if (version == null) {
      read(group, reader);
      return;
    }
    long until = clock.getAsLong() + knownNanos;
    ServerProfile profile = table.profile();
    reader.search(
        search(group, List.of(VERSION)),
        found -> {
          boolean same = found.size() == 1 && version.equals(value(found.get(0), VERSION));
          if (same && profile == table.profile()) {
            group.same(version, until);
          } else {
            read(group, reader);
          }
        },
        failed -> {});
  }

  private void read(Group group, PrivilegedReader reader) {
    long until = clock.getAsLong() + knownNanos;
    ServerProfile profile = table.profile();
    reader.search(
        search(group, List.of(VERSION, "member", "uniqueMember")),
        found -> heard(group, found, profile, until),
        failed -> {});
  }

  private static Search search(Group group, List<String> attributes) {
    return new Search(group.dn().getBytes(UTF_8), BASE, ANY, attributes);
  }

  /** One that is not there, or that nobody shows, is one of which nothing is known. */
  private void heard(Group group, List<SearchEntry> found, ServerProfile profile, long until) {
    if (profile != table.profile()) {
      return; // names are compared in another way by now
    }
    boolean news =
        found.size() == 1
            ? group.read(members(found.get(0), profile), value(found.get(0), VERSION), until)
            : group.unknown();
    if (news) {
      table.membersChanged();
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
