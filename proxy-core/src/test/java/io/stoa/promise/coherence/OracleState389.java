// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import io.stoa.testing.People;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * What there is in a 389-ds and has been: people, of whom one is hidden from the account of the
 * feed; a place that changes its name; and who is a member of which group. Thread-safe.
 */
final class OracleState389 {
  static final int PEOPLE = 40;
  static final int CITIES = 6;

  /** These are deleted now and then. */
  static final int PASSING = 6;

  /** This one is written to through Stoa. */
  static final String THROUGH = "user." + PASSING;

  /** In the place of that name. */
  static final String PLACED = "uid=placed,ou=%s," + People.SUFFIX;

  static final String HIDDEN = "uid=hidden," + Ds389WithFeed.HIDDEN;
  static final String IN = "in";
  static final String OUT = "out";

  static final List<String> GROUPS =
      List.of(
          "cn=team0," + People.SUFFIX, "cn=team1," + People.SUFFIX, "cn=team2," + People.SUFFIX);

  /** Who may be in groups. */
  static final List<String> MEMBERS =
      IntStream.range(20, 25).mapToObj(number -> "user." + number).toList();

  private final Map<String, EntryHistory> people = new TreeMap<>();
  private final Map<Membership, EntryHistory> memberships = new HashMap<>();
  private final EntryHistory place = new EntryHistory("place");
  private final DisclosureObserver389 directory;
  private final NameObserver389 placed;
  private final AtomicLong passedOn = new AtomicLong();
  private final AtomicLong misplaced = new AtomicLong();

  /** Of somebody in a group. */
  private record Membership(String group, String uid) {}

  /**
   * Begins.
   *
   * @param directory hears what the server shows
   * @param placed hears whom it finds
   */
  OracleState389(DisclosureObserver389 directory, NameObserver389 placed) {
    this.directory = directory;
    this.placed = placed;
    for (int i = 0; i < PEOPLE; i++) {
      people.put("user." + i, new EntryHistory("0"));
    }
    people.put("hidden", new EntryHistory("0"));
    for (String group : GROUPS) {
      MEMBERS.forEach(uid -> memberships.put(new Membership(group, uid), new EntryHistory(OUT)));
    }
  }

  /** Makes the server what is known of it. */
  void begin(Ds389WithFeed fed) throws LDAPException {
    for (String uid : people.keySet()) {
      fed.modify(dn(uid), state("0"));
      fed.modify(dn(uid), new Modification(ModificationType.REPLACE, "description", dn(uid)));
    }
    for (String group : GROUPS) {
      fed.root().add(group, new Attribute("objectClass", "groupOfNames"));
    }
  }

  static String city(String version) {
    return "City " + Long.parseLong(version) % CITIES;
  }

  static String dn(String uid) {
    return uid.equals("hidden") ? HIDDEN : "uid=" + uid + "," + People.PEOPLE;
  }

  static Modification[] state(String version) {
    return new Modification[] {
      new Modification(ModificationType.REPLACE, "st", version),
      new Modification(ModificationType.REPLACE, "l", city(version))
    };
  }

  /** Absence is a version, too: written with a minus. */
  static boolean isAbsent(String state) {
    return state.startsWith("-");
  }

  /**
   * Whether the server itself has found somebody by the name of his place, or has not, though no
   * place was called so, or one was; and nobody had given that another name again by the bound
   * before who is shown this asked for it.
   */
  boolean isFalseOfDirectory(String name, boolean there, long asked, long answered, long bound) {
    int version = place.settled(asked - bound);
    return placed.of(PLACED.formatted(name)).stream()
        .filter(one -> one.there() == there && one.answered() - answered <= 0)
        .filter(one -> place.settled(one.asked()) == version)
        .anyMatch(one -> !place.any(one.asked(), one.answered(), 0, like(name, there)));
  }

  /** Whether that is found which is in the place of that name. */
  static Predicate<String> like(String name, boolean there) {
    return state -> name.equals(state) == there;
  }

  /** What the server itself has shown. */
  DisclosureObserver389 directory() {
    return directory;
  }

  /** Somebody was found by a former name, or not by the present one, as by the server itself. */
  void misplace() {
    misplaced.incrementAndGet();
  }

  /** How often. */
  long misplaced() {
    return misplaced.get();
  }

  /** Somebody was shown what is not for him, as the server itself has shown it to him. */
  void passOn() {
    passedOn.incrementAndGet();
  }

  /** How often. */
  long passedOn() {
    return passedOn.get();
  }

  /** By who it is of. */
  Map<String, EntryHistory> people() {
    return people;
  }

  /** What that is called which changes its name. */
  EntryHistory place() {
    return place;
  }

  /** Whether somebody is {@link #IN} a group. */
  EntryHistory membership(String group, String uid) {
    return memberships.get(new Membership(group, uid));
  }
}
