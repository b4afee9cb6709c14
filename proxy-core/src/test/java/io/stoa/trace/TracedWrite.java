// SPDX-License-Identifier: Apache-2.0
package io.stoa.trace;

import static io.stoa.trace.TraceDirectory.FIRST_NUMBER;
import static io.stoa.trace.TraceDirectory.GROUPS;
import static io.stoa.trace.TraceDirectory.PEOPLE;
import static io.stoa.trace.TraceDirectory.STAFF;
import static io.stoa.trace.TraceDirectory.person;

import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * A write, and which answers it may change. Immutable.
 *
 * @param names by which requests name what it changes
 * @param group whose name is in all answers that it changes beside; or empty
 */
record TracedWrite(RawRequest request, List<String> names, String group) {
  /** Whether it may change the answer to a question about a person. */
  boolean concerns(TracedRequest question, List<String> answer) {
    return names.stream().anyMatch(question.op()::contains)
        || (!group.isEmpty() && answer.stream().anyMatch(part -> part.contains(group)));
  }

  private static TracedWrite of(RawRequest request, int person, String group) {
    List<String> names =
        List.of(
            "user." + person,
            "User " + person,
            Integer.toString(FIRST_NUMBER + person),
            TraceDirectory.uuid(person));
    return new TracedWrite(request, names, group);
  }

  /** Makes them: half of them change who is in a group. Used by one thread at a time. */
  static final class Source {
    private static final String USERS = "cn=users," + GROUPS;
    private static final String WHEEL = "cn=wheel," + GROUPS;
    private static final String[] ALIASES = {"nobody", "postmaster", "spam-1", "spam-2"};

    private final Random random;
    private final int people;
    private final Set<String> present = new HashSet<>();
    private int made;

    Source(Random random, int people) {
      this.random = random;
      this.people = people;
      for (int i = 0; i < people; i++) {
        present.add(STAFF + person(i));
        present.add(USERS + "user." + i);
      }
      present.add(WHEEL + "user." + TraceDirectory.ADMINISTRATOR);
    }

    TracedWrite next() {
      int person = random.nextInt(people);
      made++;
      if (made % 2 == 0) {
        return membership(person);
      }
      return random.nextInt(3) == 0 ? alias() : profile(person);
    }

    private TracedWrite membership(int person) {
      return switch (random.nextInt(3)) {
        case 0 -> member(STAFF, "member", person(person), person);
        case 1 -> member(USERS, "memberUid", "user." + person, person);
        default -> member(WHEEL, "memberUid", "user." + person, person);
      };
    }

    private TracedWrite member(String group, String attribute, String value, int person) {
      boolean was = present.remove(group + value);
      if (!was) {
        present.add(group + value);
      }
      ModificationType type = was ? ModificationType.DELETE : ModificationType.ADD;
      return of(Requests.modify(group, new Modification(type, attribute, value)), person, group);
    }

    private TracedWrite profile(int person) {
      Modification[] modifications = {
        replace("loginShell", "/bin/shell-" + made),
        replace("givenName", "Given " + made),
        replace("mail", "user." + person + "@" + made + ".example.com")
      };
      return of(Requests.modify(person(person), modifications), person, "");
    }

    private static Modification replace(String attribute, String value) {
      return new Modification(ModificationType.REPLACE, attribute, value);
    }

    /** An address that was asked for in vain, or is again. */
    private TracedWrite alias() {
      String alias = ALIASES[random.nextInt(ALIASES.length)];
      String dn = "cn=" + alias + "," + PEOPLE;
      boolean was = present.remove(dn);
      if (!was) {
        present.add(dn);
      }
      return new TracedWrite(was ? Requests.delete(dn) : add(dn, alias), List.of(alias), "");
    }

    private static RawRequest add(String dn, String alias) {
      return Requests.add(
          dn,
          "objectClass: device",
          "objectClass: account2",
          "cn: " + alias,
          "mailacceptinggeneralid: " + alias,
          "maildrop: " + alias + "@mail.example.com");
    }
  }
}
