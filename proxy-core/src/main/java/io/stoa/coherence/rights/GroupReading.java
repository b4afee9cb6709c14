// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.rights;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.feed.event.PrivilegedReader;
import io.stoa.feed.event.PrivilegedReader.Search;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.SearchEntry.AttributeOctets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the entries that decide about rights, one after the other, as the account of a feed.
 *
 * <ol>
 *   <li>The account must see each entry, since a feed reports nothing about entries it cannot see.
 *   <li>The members are read on request, because a directory that repairs names in groups does not
 *       report that.
 * </ol>
 *
 * <p>Threading: one instance for each reading; confined to the thread that handles the responses,
 * since each step follows the one before.
 */
final class GroupReading {
  /** Maximum number of members at one server: 5,000. More are not read again and again. */
  static final int MAX_MEMBERS = 5_000;

  private static final int BASE = 0;
  private static final byte[] ANYTHING = "(objectClass=*)".getBytes(UTF_8);
  private static final String AUTHZ_TO = "authzTo";

  private final PrivilegedReader reader;
  private final @Nullable String account;
  private final boolean readMembers;
  private final Consumer<Runnable> guard;
  private final Consumer<GroupResult> done;
  private final Map<String, Set<Octets>> members = new HashMap<>();
  private String server = "";
  private int count;
  private boolean tooManyMembers;
  private boolean emptyGroup;

  /**
   * Makes a reading.
   *
   * @param account DN of the account that acts for clients; null if there is none
   * @param readMembers true if the members are to be read
   * @param guard runs the steps that follow a response
   * @param done called once with the result
   */
  GroupReading(
      PrivilegedReader reader,
      @Nullable String account,
      boolean readMembers,
      Consumer<Runnable> guard,
      Consumer<GroupResult> done) {
    this.reader = reader;
    this.account = account;
    this.readMembers = readMembers;
    this.guard = guard;
    this.done = done;
  }

  /**
   * Result of a reading. Immutable.
   *
   * @param hidden the reason why a deciding entry cannot be read; null if all can
   * @param members the members of each entry at each server; null if not known
   * @param crowded true if there are too many members
   */
  record GroupResult(
      @Nullable String hidden, @Nullable Map<String, Set<Octets>> members, boolean crowded) {}

  /**
   * An entry at one server. Immutable.
   *
   * @param server name of the server; empty for the feed's server, where the entry must be visible
   */
  private record GroupLocation(String dn, String server, PrivilegedReader reader) {
    boolean isFeedServer() {
      return server.isEmpty();
    }
  }

  /**
   * Reads the entries. The result is reported when all are read, or one cannot be read.
   *
   * @param others the other servers that may answer: each repairs names by itself
   */
  void read(List<String> entries, List<RightsWatch.Server> others) {
    List<GroupLocation> locations = new ArrayList<>();
    entries.forEach(dn -> locations.add(new GroupLocation(dn, "", reader)));
    if (readMembers) {
      for (RightsWatch.Server other : others) {
        entries.forEach(dn -> locations.add(new GroupLocation(dn, other.name(), other.reader())));
      }
    }
    readNext(locations);
  }

  /**
   * Reads the next entry. At the feed's server all entries are looked for, even if their members
   * are not wanted any more.
   */
  private void readNext(List<GroupLocation> locations) {
    if (locations.isEmpty()
        || ((tooManyMembers || emptyGroup) && !locations.get(0).isFeedServer())) {
      boolean hasMembers = readMembers && !tooManyMembers && !emptyGroup;
      done.accept(new GroupResult(null, hasMembers ? Map.copyOf(members) : null, tooManyMembers));
      return;
    }
    GroupLocation next = locations.get(0);
    boolean withMembers = readMembers && !tooManyMembers && !next.dn().equals(account);
    next.reader()
        .search(
            new Search(next.dn().getBytes(UTF_8), BASE, ANYTHING, attributes(withMembers)),
            found -> guard.accept(() -> onRead(next, found, locations)),
            failure -> guard.accept(() -> onFailed(next, withMembers, failure.text(), locations)));
  }

  private static List<String> attributes(boolean withMembers) {
    List<String> attributes = new ArrayList<>(List.of("entryUUID", AUTHZ_TO));
    attributes.addAll(withMembers ? AccessRule.membersOfGroups() : List.of());
    return attributes;
  }

  /**
   * Handles an entry that cannot be read. The members may be the cause, so it is read again without
   * them.
   */
  private void onFailed(
      GroupLocation location, boolean withMembers, String why, List<GroupLocation> locations) {
    if (withMembers) {
      tooManyMembers = true;
      readNext(locations);
    } else {
      String serverText = location.isFeedServer() ? "" : " at " + location.server();
      endHidden("the feed account cannot read " + location.dn() + serverText + ": " + why);
    }
  }

  private void onRead(
      GroupLocation location, List<SearchEntry> found, List<GroupLocation> locations) {
    String dn = location.dn();
    if (found.isEmpty() && location.isFeedServer()) {
      endHidden("the feed account does not see " + dn);
    } else if (dn.equals(account)
        && location.isFeedServer()
        && !AuthzToRules.areStatic(found.get(0))) {
      endHidden(
          AUTHZ_TO
              + " of "
              + dn
              + " is not visible to the feed account, or has values other than dn: and "
              + "dn.STYLE:");
    } else {
      note(location, found);
      readNext(locations.subList(1, locations.size()));
    }
  }

  /** Notes the members. An entry that shows none may have members that are hidden. */
  private void note(GroupLocation location, List<SearchEntry> found) {
    if (location.dn().equals(account) || tooManyMembers) {
      return;
    }
    Set<Octets> names = new HashSet<>();
    found.forEach(entry -> collect(entry, names));
    count = location.server().equals(server) ? count + names.size() : names.size();
    server = location.server();
    tooManyMembers = count > MAX_MEMBERS;
    emptyGroup |= names.isEmpty();
    members.put(location.server() + ' ' + location.dn(), Set.copyOf(names));
  }

  private static void collect(SearchEntry entry, Set<Octets> names) {
    for (AttributeOctets attribute : entry.attributes()) {
      String type = new String(attribute.type(), UTF_8).toLowerCase(Locale.ROOT);
      if (AccessRule.isMember(type)) {
        attribute.values().forEach(value -> names.add(Octets.of(value)));
      }
    }
  }

  private void endHidden(String hidden) {
    done.accept(new GroupResult(hidden, null, false));
  }
}
