// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.demo;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A thousand people in fifty groups, equal in every demo. Threading: stateless. */
public final class People {
  /** Suffix of the tree. */
  public static final String SUFFIX = "dc=example,dc=com";

  private static final int PEOPLE = 1_000;
  private static final int GROUPS = 50;
  private static final List<String> FIRST_NAMES =
      List.of(
          "Ada", "Alan", "Barbara", "Dennis", "Edsger", "Frances", "Grace", "Ken", "Radia", "Tim");
  private static final List<String> LAST_NAMES =
      List.of(
          "Berg", "Castro", "Dubois", "Eriksen", "Fischer", "Ito", "Jones", "Kaya", "Novak",
          "Rossi");

  private People() {}

  /** Returns all entries, parents first. */
  public static List<Entry> entries() {
    List<Entry> entries = new ArrayList<>();
    entries.add(new Entry(SUFFIX, classes("domain"), new Attribute("dc", "example")));
    entries.add(unit("people"));
    entries.add(unit("groups"));
    for (int number = 0; number < PEOPLE; number++) {
      entries.add(person(number));
    }
    for (int number = 0; number < GROUPS; number++) {
      entries.add(group(number));
    }
    return entries;
  }

  /** Returns the DN of a person, numbered from 0. */
  public static String dn(int number) {
    return "uid=" + uid(number) + ",ou=people," + SUFFIX;
  }

  /** Returns the login name of a person. */
  public static String uid(int number) {
    return "user." + number;
  }

  /** Returns the password of a person. */
  public static String password(int number) {
    return "password." + number;
  }

  private static Entry unit(String name) {
    return new Entry(
        "ou=" + name + "," + SUFFIX, classes("organizationalUnit"), new Attribute("ou", name));
  }

  private static Entry person(int number) {
    String first = FIRST_NAMES.get(number % FIRST_NAMES.size());
    String last = LAST_NAMES.get(number / FIRST_NAMES.size() % LAST_NAMES.size());
    String mail = (first + "." + last + number + "@example.com").toLowerCase(Locale.ROOT);
    return new Entry(
        dn(number),
        classes("person", "organizationalPerson", "inetOrgPerson"),
        new Attribute("uid", uid(number)),
        new Attribute("cn", first + " " + last),
        new Attribute("givenName", first),
        new Attribute("sn", last),
        new Attribute("mail", mail),
        new Attribute("employeeNumber", Integer.toString(number)),
        new Attribute("userPassword", password(number)));
  }

  private static Entry group(int number) {
    List<String> members = new ArrayList<>();
    for (int person = number; person < PEOPLE; person += GROUPS) {
      members.add(dn(person));
    }
    return new Entry(
        "cn=group." + number + ",ou=groups," + SUFFIX,
        classes("groupOfNames"),
        new Attribute("cn", "group." + number),
        new Attribute("member", members));
  }

  private static Attribute classes(String... names) {
    List<String> all = new ArrayList<>(List.of("top"));
    all.addAll(List.of(names));
    return new Attribute("objectClass", all);
  }
}
