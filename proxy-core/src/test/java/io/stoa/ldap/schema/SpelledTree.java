// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import io.stoa.testing.Ldif;
import io.stoa.testing.SlapdConfig;
import java.util.List;
import java.util.Random;

/**
 * A directory in which spelling matters: many rules, options, aliases, names with spaces and
 * escapes, children loaded before or after others, so that walking the tree and walking the entries
 * in the order of their ids differ. Immutable.
 */
final class SpelledTree {
  static final String SUFFIX = "dc=example,dc=com";
  static final List<String> PARENTS =
      List.of(
          "ou=people,dc=example,dc=com",
          "ou=Other Things,dc=example,dc=com",
          "ou=sub0,ou=deep,dc=example,dc=com",
          "ou=sub1,ou=deep,dc=example,dc=com");
  static final int PEOPLE = 90;

  private static final String SCHEMA =
      """
      attributetype ( 1.3.6.1.4.1.99999.1 NAME ( 'stoaFlag' 'stoaBool' ) EQUALITY booleanMatch \
      SYNTAX 1.3.6.1.4.1.1466.115.121.1.7 SINGLE-VALUE )
      attributetype ( 1.3.6.1.4.1.99999.2 NAME 'stoaExactName' SUP name EQUALITY caseExactMatch \
      SUBSTR caseExactSubstringsMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
      attributetype ( 1.3.6.1.4.1.99999.3 NAME 'stoaPrintable' EQUALITY caseIgnoreMatch \
      SUBSTR caseIgnoreSubstringsMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.44 )
      attributetype ( 1.3.6.1.4.1.99999.5 NAME 'stoaNoRule' SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
      objectclass ( 1.3.6.1.4.1.99999.100 NAME ( 'stoaThing' 'stoaObject' ) SUP top AUXILIARY \
      MAY ( stoaFlag $ stoaExactName $ stoaPrintable $ stoaNoRule ) )
      attributeoptions lang- x-
      """;
  private static final String INDEXES =
      """
      index objectClass eq
      index cn,sn,givenName,mail,uid eq,pres,sub
      index member,c,telephoneNumber,uidNumber,stoaPrintable,stoaExactName eq""";
  private static final List<String> FIRST = List.of("John", "Mary", "Anna  Maria", "Otto");
  private static final List<String> LAST = List.of("Smith", "von  Stein", "O'Neil", "M\u00fcller");

  private SpelledTree() {}

  static SlapdConfig indexed() {
    return config(INDEXES);
  }

  static SlapdConfig plain() {
    return config("");
  }

  private static SlapdConfig config(String settings) {
    return SlapdConfig.stock().global(SCHEMA).database(SUFFIX, settings, ldif());
  }

  static String person(int number) {
    return "uid=User" + number + "," + PARENTS.get(number * 7 % PARENTS.size());
  }

  private static Ldif ldif() {
    Ldif ldif = new Ldif();
    ldif.entry(SUFFIX, "objectClass: dcObject", "objectClass: organization", "dc: example", "o: x");
    ldif.entry("ou=deep," + SUFFIX, "objectClass: organizationalUnit", "ou: deep");
    PARENTS.forEach(dn -> ldif.entry(dn, "objectClass: organizationalUnit"));
    Random random = new Random(3);
    for (int number = 0; number < PEOPLE; number++) {
      person(ldif, number, random);
    }
    for (int number = 0; number < 6; number++) {
      group(ldif, number);
    }
    ldif.entry("c=DE," + SUFFIX, "objectClass: country");
    ldif.entry("cn=a+sn=B," + PARENTS.get(0), "objectClass: person");
    ldif.entry("cn=Smith\\, John \\+ Co," + PARENTS.get(0), "objectClass: person", "sn: x");
    return ldif;
  }

  private static void person(Ldif ldif, int number, Random random) {
    String first = FIRST.get(random.nextInt(FIRST.size()));
    String last = LAST.get(random.nextInt(LAST.size()));
    ldif.entry(
        person(number),
        "objectClass: inetOrgPerson",
        "objectClass: posixAccount",
        "objectClass: stoaThing",
        "cn: " + first + " " + last,
        "cn;lang-de: Hans " + number % 9,
        number % 2 == 0 ? "cn;lang-de;x-a: Fritz" : "cn: Fritz",
        "sn: " + last,
        "givenName: " + first,
        "mail: " + first.charAt(0) + number % 9 + "@Example.com",
        "telephoneNumber: +49 30 " + number % 9,
        "uidNumber: " + (1000 + number % 7),
        "gidNumber: 100",
        "homeDirectory: /home/U" + number % 5,
        "stoaFlag: " + (random.nextBoolean() ? "TRUE" : "FALSE"),
        "stoaPrintable: " + (random.nextBoolean() ? "Red Hat" : "blue"),
        "stoaExactName: " + (random.nextBoolean() ? "Red" : "red"),
        "stoaNoRule: x",
        "description: " + (random.nextBoolean() ? "Some  Text" : "other"));
  }

  private static void group(Ldif ldif, int number) {
    String dn = "cn=Group " + number + ",ou=Other Things," + SUFFIX;
    ldif.entry(
        dn,
        "objectClass: groupOfNames",
        "member: " + person(number),
        "member: " + person(number + 7),
        "member: cn=Smith\\, John \\+ Co," + PARENTS.get(0));
  }
}
