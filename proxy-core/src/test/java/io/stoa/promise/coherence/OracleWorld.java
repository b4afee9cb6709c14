// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import io.stoa.cache.sharing.Declaration;
import io.stoa.cache.sharing.SharingClass.Attributes;
import io.stoa.testing.People;
import io.stoa.testing.Slapd;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;

/** The entries that there are at first, who may see what of them, and what is asked. Stateless. */
final class OracleWorld {
  static final String SUFFIX = People.SUFFIX;
  static final int PEOPLE = 20;
  static final int GROUPS = 3;

  /** So many are never written to: only rights change what is shown of them. */
  private static final int STILL = 4;

  /** So long after a change of its rights somebody may be given what it was. */
  static final Duration RIGHTS = Duration.ofSeconds(2);

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

  private static final List<String> SEERS = List.of(People.dn(1), People.dn(3));

  /** Those are given the same, and what they have in memory is changed in place. */
  private static final Declaration ALIKE =
      new Declaration(
          "alike",
          SEERS,
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

  private OracleWorld() {}

  /** What others than those who share what they are shown may see, too, for a while. */
  private static final String[] OPEN = {
    "{0}to attrs=telephoneNumber"
        + " by dn.exact=\"uid=user.1,ou=people,dc=example,dc=com\" read"
        + " by dn.exact=\"uid=user.2,ou=people,dc=example,dc=com\" read"
        + " by dn.exact=\"uid=user.3,ou=people,dc=example,dc=com\" read"
        + " by dn.exact=\"cn=feed,dc=example,dc=com\" read"
        + " by * none",
    "{1}to dn.subtree=\"ou=b,dc=example,dc=com\" by * read"
  };

  /** The account of the feed may read it, and so is told of rules. */
  private static final String CONFIGURATION =
      """
      database config
      rootdn cn=config
      rootpw config
      access to * by dn.exact="cn=feed,dc=example,dc=com" read by * none
      """;

  private static final String DATABASE = "olcDatabase={1}mdb,cn=config";

  /** The rules of a server from now on; until now it had the others. */
  static void rule(Slapd server, boolean open) throws LDAPException {
    Modification change =
        open
            ? new Modification(ModificationType.ADD, "olcAccess", OPEN)
            : new Modification(ModificationType.DELETE, "olcAccess", "{0}", "{1}");
    try (LDAPConnection admin = SlapdWithFeed.connect(server.address(), "cn=config", "config")) {
      admin.modify(DATABASE, change);
    }
  }

  /**
   * As {@link #RULES} say it. Immutable.
   *
   * @param open whether {@link #OPEN} comes before them
   */
  record Rules(boolean open) implements OracleTree.Sight {
    @Override
    public boolean hides(String identity, String dn) {
      boolean closed = dn.equals(CLOSED) || dn.endsWith("," + CLOSED);
      return closed && identity.isEmpty() && !open;
    }

    @Override
    public boolean hides(String identity, String dn, String attribute) {
      return attribute.equals(TELEPHONE)
          && !SEERS.contains(identity)
          && !(open && identity.equals(IDENTITIES.get(1)));
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
    for (int i = 0; i < STILL; i++) {
      all.put(still(i), person("v0", "f" + i % 3));
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
  static SlapdWithFeedSetup setup(Duration maxAge, boolean blind) {
    String rules = blind ? RULES + BLIND : RULES;
    SlapdWithFeedSetup setup =
        SlapdWithFeedSetup.of(4, maxAge).overlay("memberof").global(CONFIGURATION).rights(RIGHTS);
    first().forEach((dn, attributes) -> put(setup, dn, attributes));
    return blind ? setup.blind(rules) : setup.access(rules).sharing(ALIKE);
  }

  private static void put(
      SlapdWithFeedSetup setup, String dn, SortedMap<String, String> attributes) {
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

  private static String still(int number) {
    return "cn=still" + number + "," + CLOSED;
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
  static OracleSearch question(Random random, String identity) {
    double drawn = random.nextDouble();
    int which = (int) (PEOPLE * drawn * drawn);
    List<String> containers = List.of(MOVING, CLOSED, HIDDEN, MOVED);
    String container = containers.get(random.nextInt(8) == 0 ? 3 : which % 3);
    return switch (random.nextInt(10)) {
      case 0, 1 -> OracleSearch.of(identity, SUFFIX, 2, "l", flag(random));
      case 2 -> OracleSearch.of(identity, container, 1 + random.nextInt(2), "l", flag(random));
      case 3 -> OracleSearch.of(identity, group(random.nextInt(GROUPS)), 0, "", "");
      case 4 -> member(random, identity);
      case 5 -> OracleSearch.of(identity, still(random.nextInt(STILL)), 0, "", "");
      default -> OracleSearch.of(identity, "cn=e" + which + "," + container, 0, "", "");
    };
  }

  private static OracleSearch member(Random random, String identity) {
    String somebody = "cn=e" + random.nextInt(5) + "," + CLOSED;
    return OracleSearch.of(identity, SUFFIX, 2, "member", somebody);
  }
}
