// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import static io.stoa.promise.coherence.OracleState389.GROUPS;
import static io.stoa.promise.coherence.OracleState389.HIDDEN;
import static io.stoa.promise.coherence.OracleState389.IN;
import static io.stoa.promise.coherence.OracleState389.MEMBERS;
import static io.stoa.promise.coherence.OracleState389.city;
import static io.stoa.promise.coherence.OracleState389.dn;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPSearchException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import io.stoa.testing.People;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Somebody who asks Stoa, and compares what it says with what was written to a 389-ds.
 * Thread-confined.
 */
final class Reader389 {
  static final String ALL_PEOPLE = "(uid=*)";
  private static final String MEMBER_OF = "memberOf";

  /** What one moment has made so, and what not everybody sees. */
  private static final List<String> STATE = List.of("uid", "st", "l", "description");

  private static final List<String> STATE_AND_GROUPS =
      List.of("uid", "st", "l", "description", MEMBER_OF);

  private final OracleState389 known;
  private final long bound;
  private final int self;
  private final Consumer<String> wrong;

  /**
   * Begins.
   *
   * @param self the number of whose the connection is
   * @param wrong hears of what cannot be
   */
  Reader389(OracleState389 known, Duration bound, int self, Consumer<String> wrong) {
    this.known = known;
    this.bound = bound.toNanos();
    this.self = self;
    this.wrong = wrong;
  }

  /** Which entries are in a set. */
  private interface Membership {
    boolean holds(String uid, String state);
  }

  /** What was asked and answered, and when. */
  private record Answer(
      String question, long asked, long answered, Map<String, SearchResultEntry> found) {}

  void read(LDAPConnection stoa, Random random) throws LDAPException {
    int which = random.nextInt(100);
    if (which < 55) {
      String uid = "user." + random.nextInt(OracleState389.PEOPLE);
      set(stoa, People.PEOPLE, "(uid=" + uid + ")", (one, state) -> one.equals(uid));
    } else if (which < 75) {
      String base = which < 72 ? People.PEOPLE : People.SUFFIX;
      String city = "City " + random.nextInt(OracleState389.CITIES);
      set(stoa, base, "(l=" + city + ")", (one, state) -> city(state).equals(city));
    } else if (which < 82) {
      place(stoa, random.nextBoolean() ? "place" : "moved");
    } else if (which < 86) {
      set(stoa, HIDDEN, ALL_PEOPLE, (one, state) -> one.equals("hidden"));
    } else {
      readGroups(stoa, random);
    }
  }

  private void readGroups(LDAPConnection stoa, Random random) throws LDAPException {
    String group = GROUPS.get(random.nextInt(GROUPS.size()));
    String uid = MEMBERS.get(random.nextInt(MEMBERS.size()));
    switch (random.nextInt(4)) {
      case 0 -> groupsOf(stoa, uid);
      case 1 -> membersOf(stoa, group);
      case 2 -> groupsWith(stoa, uid);
      default -> readMembers(stoa, group);
    }
  }

  private void place(LDAPConnection stoa, String name) throws LDAPException {
    Answer answer =
        ask(stoa, OracleState389.PLACED.formatted(name), SearchScope.SUB, ALL_PEOPLE, STATE);
    boolean there = !answer.found().isEmpty();
    Predicate<String> like = OracleState389.like(name, there);
    if (!known.place().any(answer.asked(), answer.answered(), bound, like)
        && known.isFalseOfDirectory(name, there, answer.asked(), answer.answered(), bound)) {
      known.misplace();
    } else {
      explain(answer, "it", there, known.place(), like);
    }
  }

  private void set(LDAPConnection stoa, String base, String filter, Membership member)
      throws LDAPException {
    Answer answer = ask(stoa, base, SearchScope.SUB, filter, STATE);
    for (Map.Entry<String, EntryHistory> one : known.people().entrySet()) {
      String uid = one.getKey();
      SearchResultEntry entry = answer.found().remove(dn(uid));
      if (dn(uid).endsWith(base)) {
        boolean there = entry != null;
        explain(answer, uid, there, one.getValue(), state -> isIn(uid, state, member) == there);
        check(answer, uid, entry);
      }
    }
    assertNothingElse(answer);
  }

  private static boolean isIn(String uid, String state, Membership member) {
    return !OracleState389.isAbsent(state) && member.holds(uid, state);
  }

  /** Attribute {@code memberOf} of somebody. */
  private void groupsOf(LDAPConnection stoa, String uid) throws LDAPException {
    Answer answer = ask(stoa, dn(uid), SearchScope.BASE, "(objectClass=*)", STATE_AND_GROUPS);
    SearchResultEntry entry = answer.found().get(dn(uid));
    check(answer, uid, entry);
    Set<String> groups = values(entry, MEMBER_OF);
    for (String group : GROUPS) {
      member(answer, group, uid, groups.remove(group));
    }
    groups.forEach(group -> wrong.accept(uid + " is in " + group));
  }

  /** Attribute {@code member} of a group. */
  private void membersOf(LDAPConnection stoa, String group) throws LDAPException {
    Answer answer = ask(stoa, group, SearchScope.BASE, "(objectClass=*)", List.of("cn", "member"));
    Set<String> members = values(answer.found().get(group), "member");
    for (String uid : MEMBERS) {
      member(answer, group, uid, members.remove(dn(uid)));
    }
    members.forEach(member -> wrong.accept(group + " has " + member));
  }

  /** What is found by {@code member}. */
  private void groupsWith(LDAPConnection stoa, String uid) throws LDAPException {
    String filter = "(member=" + dn(uid) + ")";
    Answer answer = ask(stoa, People.SUFFIX, SearchScope.SUB, filter, List.of("cn"));
    for (String group : GROUPS) {
      member(answer, group, uid, answer.found().remove(group) != null);
    }
    assertNothingElse(answer);
  }

  /** What is found by {@code memberOf}. */
  private void readMembers(LDAPConnection stoa, String group) throws LDAPException {
    String filter = "(memberOf=" + group + ")";
    Answer answer = ask(stoa, People.PEOPLE, SearchScope.SUB, filter, STATE);
    for (String uid : MEMBERS) {
      SearchResultEntry entry = answer.found().remove(dn(uid));
      member(answer, group, uid, entry != null);
      check(answer, uid, entry);
    }
    assertNothingElse(answer);
  }

  private static Set<String> values(SearchResultEntry entry, String attribute) {
    String[] values = entry == null ? null : entry.getAttributeValues(attribute);
    return values == null ? new TreeSet<>() : new TreeSet<>(List.of(values));
  }

  private void member(Answer answer, String group, String uid, boolean shown) {
    EntryHistory history = known.membership(group, uid);
    explain(answer, uid + " in " + group, shown, history, state -> state.equals(IN) == shown);
  }

  private void assertNothingElse(Answer answer) {
    answer.found().keySet().removeIf(dn -> dn.startsWith("uid=placed,"));
    answer.found().keySet().forEach(dn -> wrong.accept(answer.question() + " shows " + dn));
  }

  /** There was a moment at which it was like that. */
  private void explain(
      Answer answer, String what, Object shown, EntryHistory history, Predicate<String> like) {
    if (!history.any(answer.asked(), answer.answered(), bound, like)) {
      wrong.accept(
          "%s, answered after %d us: %s is shown for %s, but %s"
              .formatted(
                  answer.question(),
                  (answer.answered() - answer.asked()) / 1_000,
                  shown,
                  what,
                  history.tail(answer.asked())));
    }
  }

  /**
   * What is shown is of one moment, and meant for who asks. That it is shown at all may be of
   * another moment within the bound.
   */
  private void check(Answer answer, String uid, SearchResultEntry entry) {
    if (entry == null) {
      return;
    }
    String shown = entry.getAttributeValue("st");
    if (shown == null || !city(shown).equals(entry.getAttributeValue("l"))) {
      wrong.accept("of no moment: " + entry);
      return;
    }
    explain(answer, uid, shown, known.people().get(uid), state -> state.equals(shown));
    String secret = entry.getAttributeValue("description");
    boolean meant = uid.equals("user." + self);
    if ((secret != null) != meant && !isOfDirectory(uid, shown, secret)) {
      wrong.accept("user." + self + " is shown " + entry + " " + answer.question());
    }
  }

  /** Whether it is shown what the directory itself has shown of that state to whom this is. */
  private boolean isOfDirectory(String uid, String state, @Nullable String secret) {
    boolean so = secret != null && known.directory().hasShown(People.dn(self), dn(uid), state);
    if (so) {
      known.passOn();
    }
    return so;
  }

  private static Answer ask(
      LDAPConnection stoa, String base, SearchScope scope, String filter, List<String> attributes)
      throws LDAPException {
    Map<String, SearchResultEntry> found = new TreeMap<>();
    long asked = System.nanoTime();
    try {
      stoa.search(base, scope, filter, attributes.toArray(String[]::new))
          .getSearchEntries()
          .forEach(entry -> found.put(entry.getDN(), entry));
    } catch (LDAPSearchException e) {
      if (!e.getResultCode().equals(ResultCode.NO_SUCH_OBJECT)) {
        throw e;
      }
    }
    return new Answer(base + " " + filter, asked, System.nanoTime(), found);
  }
}
