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
 * Reads the entries that decide who may see what, one after the other, as the account of a feed:
 * whether it sees them, since of those that it does not nobody tells it anything; and who is in
 * them, if that is wanted, since a directory that repairs names in groups tells nobody. For one
 * reading, and confined to whoever takes its answers: each step follows the one before.
 */
final class GroupReading {
  /** Where there are more at one server, they are not looked at again and again. */
  static final int MOST_MEMBERS = 5_000;

  private static final int BASE = 0;
  private static final byte[] ANYTHING = "(objectClass=*)".getBytes(UTF_8);
  private static final String AUTHZ_TO = "authzTo";

  private final PrivilegedReader reader;
  private final @Nullable String account;
  private final boolean wanted;
  private final Consumer<Runnable> guard;
  private final Consumer<Found> done;
  private final Map<String, Set<Octets>> members = new HashMap<>();
  private String server = "";
  private int count;
  private boolean crowded;
  private boolean unseen;

  /**
   * Makes one.
   *
   * @param account DN of the account that acts for clients; null if there is none
   * @param wanted whether members are to be read
   * @param guard runs what follows an answer
   * @param done hears what was found, once
   */
  GroupReading(
      PrivilegedReader reader,
      @Nullable String account,
      boolean wanted,
      Consumer<Runnable> guard,
      Consumer<Found> done) {
    this.reader = reader;
    this.account = account;
    this.wanted = wanted;
    this.guard = guard;
    this.done = done;
  }

  /**
   * Of all of them. Immutable.
   *
   * @param hidden why not all that decides can be read; null if it can
   * @param members who is in each, at each server; null if that is not known
   * @param crowded whether they are too many
   */
  record Found(
      @Nullable String hidden, @Nullable Map<String, Set<Octets>> members, boolean crowded) {}

  /**
   * An entry at one server. Immutable.
   *
   * @param server tells it from others; empty where the feed comes from, and the entry must be seen
   */
  private record Place(String dn, String server, PrivilegedReader reader) {
    boolean tells() {
      return server.isEmpty();
    }
  }

  /**
   * Reads these, and hears what was found when all are read, or one could not be.
   *
   * @param others those that may answer, too: each repairs names by itself
   */
  void read(List<String> entries, List<RightsWatch.Server> others) {
    List<Place> places = new ArrayList<>();
    entries.forEach(dn -> places.add(new Place(dn, "", reader)));
    if (wanted) {
      for (RightsWatch.Server other : others) {
        entries.forEach(dn -> places.add(new Place(dn, other.name(), other.reader())));
      }
    }
    readNext(places);
  }

  /** Where the feed comes from all of them are looked for, whatever becomes of their members. */
  private void readNext(List<Place> places) {
    if (places.isEmpty() || ((crowded || unseen) && !places.get(0).tells())) {
      boolean known = wanted && !crowded && !unseen;
      done.accept(new Found(null, known ? Map.copyOf(members) : null, crowded));
      return;
    }
    Place next = places.get(0);
    boolean all = wanted && !crowded && !next.dn().equals(account);
    next.reader()
        .search(
            new Search(next.dn().getBytes(UTF_8), BASE, ANYTHING, attributes(all)),
            seen -> guard.accept(() -> seen(next, seen, places)),
            why -> guard.accept(() -> failed(next, all, why, places)));
  }

  private static List<String> attributes(boolean all) {
    List<String> attributes = new ArrayList<>(List.of("entryUUID", AUTHZ_TO));
    attributes.addAll(all ? AccessRule.membersOfGroups() : List.of());
    return attributes;
  }

  /** It may be the members that cannot be had: nobody is to lose more than these. */
  private void failed(Place place, boolean all, String why, List<Place> places) {
    if (all) {
      crowded = true;
      readNext(places);
    } else {
      String where = place.tells() ? "" : " at " + place.server();
      hide("the account cannot read " + place.dn() + where + ": " + why);
    }
  }

  private void seen(Place place, List<SearchEntry> seen, List<Place> places) {
    String dn = place.dn();
    if (seen.isEmpty() && place.tells()) {
      hide("the account does not see " + dn);
    } else if (dn.equals(account) && place.tells() && !AuthzToRules.isKnown(seen.get(0))) {
      hide(AUTHZ_TO + " of " + dn + " is hidden, or has other than dn. forms");
    } else {
      note(place, seen);
      readNext(places.subList(1, places.size()));
    }
  }

  /** One in which nobody is seen may have members that are hidden. */
  private void note(Place place, List<SearchEntry> seen) {
    if (place.dn().equals(account) || crowded) {
      return;
    }
    Set<Octets> names = new HashSet<>();
    seen.forEach(entry -> collect(entry, names));
    count = place.server().equals(server) ? count + names.size() : names.size();
    server = place.server();
    crowded = count > MOST_MEMBERS;
    unseen |= names.isEmpty();
    members.put(place.server() + ' ' + place.dn(), Set.copyOf(names));
  }

  private static void collect(SearchEntry entry, Set<Octets> names) {
    for (AttributeOctets attribute : entry.attributes()) {
      String type = new String(attribute.type(), UTF_8).toLowerCase(Locale.ROOT);
      if (AccessRule.isMember(type)) {
        attribute.values().forEach(value -> names.add(Octets.of(value)));
      }
    }
  }

  private void hide(String hidden) {
    done.accept(new Found(hidden, null, false));
  }
}
