// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.identity;

import io.stoa.testing.Ldif;
import io.stoa.testing.SlapdConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * People in units, groups of them, and access rules by entry, attribute, value, filter, group, self
 * and dnattr: all from one seed, read only by the test. Not thread-safe.
 */
final class RandomDirectory {
  static final String SUFFIX = "dc=example,dc=com";
  static final int IDENTITIES = 50;

  /** As whom Stoa binds in proxied-authorization mode. */
  static final String STOA = "o=stoa";

  static final String STOA_PASSWORD = "pw-stoa";
  static final int GROUPS = 12;
  static final int UNITS = 5;
  static final String[] ATTRIBUTES = {
    "telephoneNumber", "description", "mail", "title", "l", "employeeNumber", "manager"
  };
  private static final int PEOPLE = 80;
  private static final int RULES = 40;

  private final Random random;

  RandomDirectory(Random random) {
    this.random = random;
  }

  static String person(int number) {
    return "uid=p" + number + ",ou=unit" + number % UNITS + "," + SUFFIX;
  }

  static String password(int number) {
    return "password-" + number;
  }

  static String group(int number) {
    return "cn=g" + number + ",ou=groups," + SUFFIX;
  }

  SlapdConfig config() {
    List<String> lines = new ArrayList<>();
    lines.add("index objectClass,uid,l,title,mail eq");
    lines.add("access to attrs=userPassword by anonymous auth by * none");
    for (int i = 0; i < RULES; i++) {
      lines.add("access to " + target() + " " + clauses());
    }
    lines.add("access to * by * read");
    return SlapdConfig.stock()
        .global("authz-policy to")
        .database(STOA, "access to * by * auth", serviceAccount())
        .database(SUFFIX, String.join("\n", lines), content());
  }

  private static Ldif serviceAccount() {
    Ldif ldif = new Ldif();
    ldif.entry(
        STOA,
        "objectClass: organization",
        "objectClass: simpleSecurityObject",
        "o: stoa",
        "userPassword: " + STOA_PASSWORD,
        "authzTo: dn.regex:^uid=p[0-9]+,ou=unit[0-9]+," + SUFFIX + "$");
    return ldif;
  }

  private String target() {
    String attribute = ATTRIBUTES[random.nextInt(ATTRIBUTES.length)];
    return switch (random.nextInt(7)) {
      case 0 -> "dn.base=\"" + person(random.nextInt(PEOPLE)) + "\"";
      case 1 ->
          "dn.subtree=\"ou=unit" + random.nextInt(UNITS) + "," + SUFFIX + "\" attrs=" + attribute;
      case 2 -> "dn.base=\"" + group(random.nextInt(GROUPS)) + "\"";
      case 3 -> "filter=(l=City" + random.nextInt(6) + ") attrs=" + attribute;
      case 4 -> "filter=(title=Title" + random.nextInt(4) + ") attrs=entry";
      case 5 -> "attrs=mail val.regex=\"p" + random.nextInt(10) + ".*@alias\"";
      default -> "attrs=" + attribute;
    };
  }

  private String clauses() {
    StringBuilder clauses = new StringBuilder();
    for (int i = 0; i <= random.nextInt(3); i++) {
      clauses.append("by ").append(who()).append(random.nextBoolean() ? " read " : " none ");
    }
    return clauses + "by * " + (random.nextInt(3) == 0 ? "none" : "break");
  }

  private String who() {
    return switch (random.nextInt(7)) {
      case 0, 1 -> "dn.exact=\"" + person(random.nextInt(IDENTITIES)) + "\"";
      case 2, 3 -> "group.exact=\"" + group(random.nextInt(GROUPS)) + "\"";
      case 4 -> "self";
      case 5 -> "dnattr=manager";
      default -> random.nextBoolean() ? "anonymous" : "users";
    };
  }

  private Ldif content() {
    Ldif ldif = new Ldif();
    ldif.entry(SUFFIX, "objectClass: domain", "dc: example");
    for (int i = 0; i < UNITS; i++) {
      ldif.entry("ou=unit" + i + "," + SUFFIX, "objectClass: organizationalUnit", "ou: unit" + i);
    }
    ldif.entry("ou=groups," + SUFFIX, "objectClass: organizationalUnit", "ou: groups");
    for (int i = 0; i < PEOPLE; i++) {
      addPerson(ldif, i);
    }
    for (int i = 0; i < GROUPS; i++) {
      addGroup(ldif, i);
    }
    return ldif;
  }

  private void addPerson(Ldif ldif, int number) {
    ldif.entry(
        person(number),
        "objectClass: inetOrgPerson",
        "uid: p" + number,
        "cn: Person " + number,
        "sn: Person",
        "description: about p" + number,
        "telephoneNumber: +1 555 " + (1000 + number),
        "mail: p" + number + "@example.com",
        "mail: p" + number + "@alias",
        "title: Title" + random.nextInt(4),
        "l: City" + random.nextInt(6),
        "employeeNumber: " + number,
        "manager: " + person(random.nextInt(IDENTITIES)),
        "userPassword: " + password(number));
  }

  private void addGroup(Ldif ldif, int number) {
    List<String> lines = new ArrayList<>();
    lines.add("objectClass: groupOfNames");
    lines.add("cn: g" + number);
    random
        .ints(0, IDENTITIES)
        .distinct()
        .limit(8)
        .forEach(member -> lines.add("member: " + person(member)));
    ldif.entry(group(number), lines.toArray(String[]::new));
  }
}
