// SPDX-License-Identifier: Apache-2.0
package io.stoa.wiring;

import io.stoa.access.AccessClass.Attributes;
import io.stoa.access.Declaration;
import io.stoa.testing.People;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;

/** The entries that there are at first, who may see what of them, and what is asked. Stateless. */
final class KnownWorld {
  static final String SUFFIX = People.SUFFIX;
  static final int PEOPLE = 20;
  static final int GROUPS = 3;

  /** A container that gets another name, and gets it back. */
  static final String MOVING = "ou=a," + SUFFIX;

  static final String MOVED = "ou=z," + SUFFIX;

  /** What nobody sees who has not bound. */
  private static final String CLOSED = "ou=b," + SUFFIX;

  /** What the account of the feed does not see. */
  private static final String HIDDEN = "ou=c," + SUFFIX;

  private static final String TELEPHONE = "telephoneNumber";

  /**
   * Who sees telephone numbers; somebody else; nobody; and another one who sees what the first
   * does.
   */
  static final List<String> IDENTITIES = List.of(People.dn(1), People.dn(2), "", People.dn(3));

  /** Those are given the same, and what they have in memory is changed in place. */
  private static final Declaration ALIKE =
      new Declaration(
          "alike",
          List.of(People.dn(1), People.dn(3)),
          List.of(),
          SUFFIX,
          new Attributes(List.of(), List.of("description", "userPassword")),
          true);

  private static final String RULES =
      """
      access to attrs=telephoneNumber
        by dn.exact="uid=user.1,ou=people,dc=example,dc=com" read
        by dn.exact="uid=user.3,ou=people,dc=example,dc=com" read
        by dn.exact="cn=feed,dc=example,dc=com" read
        by * none
      access to dn.subtree="ou=b,dc=example,dc=com" by anonymous none by * read
      """;

  private static final String BLIND =
      """
      access to dn.subtree="ou=c,dc=example,dc=com"
        by dn.exact="cn=feed,dc=example,dc=com" none by * read
      """;

  private KnownWorld() {}

  /** As {@link #RULES} say it. Stateless. */
  static final class Rules implements KnownTree.Sight {
    @Override
    public boolean hides(String identity, String dn) {
      return identity.isEmpty() && (dn.equals(CLOSED) || dn.endsWith("," + CLOSED));
    }

    @Override
    public boolean hides(String identity, String dn, String attribute) {
      return attribute.equals(TELEPHONE)
          && !identity.equals(IDENTITIES.get(0))
          && !identity.equals(IDENTITIES.get(3));
    }
  }

  static SortedMap<String, SortedMap<String, String>> first() {
    SortedMap<String, SortedMap<String, String>> all = new TreeMap<>();
    all.put(SUFFIX, new TreeMap<>());
    List<String> containers = List.of(MOVING, CLOSED, HIDDEN);
    containers.forEach(dn -> all.put(dn, new TreeMap<>()));
    for (int i = 0; i < PEOPLE; i++) {
      all.put("cn=e" + i + "," + containers.get(i % 3), person("v0", "f" + i % 3));
    }
    for (int i = 0; i < GROUPS; i++) {
      SortedMap<String, String> group = new TreeMap<>();
      group.put("member", "cn=none," + SUFFIX);
      all.put(group(i), group);
    }
    return all;
  }

  /**
   * A directory with them.
   *
   * @param maxAge how old what does not rest on the feed may be
   * @param blind whether there is something that the account of the feed does not see: else two
   *     share what they are shown
   */
  static FedSetup setup(Duration maxAge, boolean blind) {
    String rules = blind ? RULES + BLIND : RULES;
    FedSetup setup = FedSetup.of(4, maxAge).overlay("memberof");
    first().forEach((dn, attributes) -> put(setup, dn, attributes));
    return blind ? setup.blind(rules) : setup.access(rules).sharing(ALIKE);
  }

  private static void put(FedSetup setup, String dn, SortedMap<String, String> attributes) {
    if (!dn.equals(SUFFIX)) {
      setup.entry(dn, lines(dn, attributes));
    }
  }

  private static String[] lines(String dn, SortedMap<String, String> attributes) {
    String name = dn.substring(3, dn.indexOf(','));
    if (dn.startsWith("ou=")) {
      return new String[] {"objectClass: organizationalUnit", "ou: " + name};
    }
    if (attributes.containsKey("member")) {
      String member = "member: " + attributes.get("member");
      return new String[] {"objectClass: groupOfNames", "cn: " + name, member};
    }
    return new String[] {
      "objectClass: inetOrgPerson",
      "cn: " + name,
      "sn: s",
      "employeeNumber: " + attributes.get("employeeNumber"),
      "l: " + attributes.get("l"),
      "telephoneNumber: " + attributes.get(TELEPHONE)
    };
  }

  static SortedMap<String, String> person(String version, String flag) {
    SortedMap<String, String> person = new TreeMap<>();
    person.put("employeeNumber", version);
    person.put("l", flag);
    person.put(TELEPHONE, "+1 23");
    return person;
  }

  static String group(int number) {
    return "cn=t" + number + "," + SUFFIX;
  }

  static String flag(Random random) {
    return "f" + random.nextInt(3);
  }

  static String container(Random random, SortedMap<String, SortedMap<String, String>> now) {
    String moving = now.containsKey(MOVING) ? MOVING : MOVED;
    return List.of(moving, CLOSED, HIDDEN).get(random.nextInt(3));
  }

  /** One of the people; null if chance finds none. */
  static String person(Random random, SortedMap<String, SortedMap<String, String>> now) {
    List<String> people = now.keySet().stream().filter(dn -> dn.startsWith("cn=e")).toList();
    return people.isEmpty() ? null : people.get(random.nextInt(people.size()));
  }

  /** Some are asked for more often than others, by whoever it is. */
  static KnownSearch question(Random random, String identity) {
    double drawn = random.nextDouble();
    int which = (int) (PEOPLE * drawn * drawn);
    List<String> containers = List.of(MOVING, CLOSED, HIDDEN, MOVED);
    String container = containers.get(random.nextInt(8) == 0 ? 3 : which % 3);
    return switch (random.nextInt(10)) {
      case 0, 1 -> KnownSearch.of(identity, SUFFIX, 2, "l", flag(random));
      case 2 -> KnownSearch.of(identity, container, 1 + random.nextInt(2), "l", flag(random));
      case 3 -> KnownSearch.of(identity, group(random.nextInt(GROUPS)), 0, "", "");
      case 4 -> member(random, identity);
      default -> KnownSearch.of(identity, "cn=e" + which + "," + container, 0, "", "");
    };
  }

  private static KnownSearch member(Random random, String identity) {
    String somebody = "cn=e" + random.nextInt(5) + "," + CLOSED;
    return KnownSearch.of(identity, SUFFIX, 2, "member", somebody);
  }
}
