// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import static io.stoa.server.differential.Directory.VALUES;

import io.stoa.testing.Ldif;
import java.util.function.Function;
import java.util.stream.Stream;

/** Entries with values of every syntax that clients search by. Stateless. */
final class SampleValues {
  private static final String[] PERSON = {
    "objectClass: top",
    "objectClass: person",
    "objectClass: organizationalPerson",
    "objectClass: inetOrgPerson"
  };

  private SampleValues() {}

  /** The name of one of the entries: text, numbers, addresses, names, languages, signs, unique. */
  static String named(String name) {
    return "cn=" + name + "," + VALUES;
  }

  static void addTo(Ldif ldif) {
    person(
        ldif,
        "text",
        "sn: O'Hara",
        "givenName: Seán",
        "displayName: Seán O'Hara",
        "title: Professor of Many Spaces",
        "initials: S. O.",
        "street: Hauptstraße 1",
        "employeeType: permanent",
        "mail: Text@Example.Org",
        "description: first description",
        "description: Second Description");
    person(
        ldif,
        "numbers",
        "objectClass: posixAccount",
        "uid: numbers",
        "uidNumber: 70001",
        "gidNumber: 70",
        "homeDirectory: /home/Numbers",
        "sn: Numbers",
        "telephoneNumber: +49 (89) 1234-56",
        "facsimileTelephoneNumber: +49 89 1234 99",
        "x121Address: 12 34 567",
        "internationaliSDNNumber: 49 89 1234",
        "x500UniqueIdentifier: '0101'B",
        "employeeNumber: 0042",
        "departmentNumber: 7",
        "departmentNumber: 11");
    person(
        ldif,
        "addresses",
        "sn: Addresses",
        "postalAddress: Line one$Line two$80331 München",
        "homePostalAddress: Line A$Line B",
        "postalCode: 80331",
        "postOfficeBox: 42",
        "l: Ort mit Leerzeichen",
        "labeledURI: http://example.org/%7Ea A label");
    names(ldif);
    languages(ldif);
    signs(ldif);
  }

  private static void names(Ldif ldif) {
    person(
        ldif,
        "names",
        "sn: Names",
        "seeAlso: " + named("text"),
        "seeAlso: cn=a+serialNumber=7," + Directory.ODD,
        "manager: " + Directory.person("staff1"),
        "secretary: " + Directory.person("staff2"));
    ldif.entry(
        named("unique"),
        "objectClass: groupOfUniqueNames",
        "cn: unique",
        "uniqueMember: " + Directory.person("staff1"),
        "uniqueMember: " + Directory.person("staff2") + "#'0101'B");
  }

  private static void languages(Ldif ldif) {
    person(
        ldif,
        "languages",
        "sn: Languages",
        "cn;lang-de: Sprachen",
        "cn;lang-de-at: Sprachen in Wien",
        "cn;lang-fr: Langues",
        "title;lang-de: Professorin",
        "title;lang-en: Professor",
        "preferredLanguage: de, en-gb;q=0.8");
  }

  private static void signs(Ldif ldif) {
    person(
        ldif,
        "signs",
        "sn: Signs",
        "businessCategory: stars * and (parens)",
        "o: Back\\slash",
        "carLicense: M-AB 123",
        "description: tab\tinside",
        "description:: IGxlYWRpbmcgYmxhbms=",
        "displayName: ☃ snow",
        "roomNumber: A-1");
  }

  /** Values of one attribute must follow each other. */
  private static void person(Ldif ldif, String name, String... lines) {
    Stream<String> all =
        Stream.of(Stream.of(PERSON), Stream.of(lines), Stream.of("cn: " + name))
            .flatMap(Function.identity());
    ldif.entry(named(name), all.toArray(String[]::new));
  }
}
