// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import static io.stoa.testing.Requests.compare;

/** Compares of values of every syntax: true, false, and undefined. */
final class AssertionSteps {
  /** Which entry, which attribute, which value. */
  private static final String[][] ASSERTIONS = {
    {"text", "title", "Professor of Many Spaces"},
    {"text", "title", "professor  of many   spaces"},
    {"text", "title", "Professor"},
    {"text", "title", ""},
    {"text", "TITLE", "professor of many spaces"},
    {"text", "2.5.4.12", "professor of many spaces"},
    {"text", "givenName", "seán"},
    {"text", "givenName", "sean"},
    {"text", "displayName", "SEÁN O'HARA"},
    {"text", "street", "hauptstrasse 1"},
    {"text", "mail", "text@example.org"},
    {"text", "mail", "text@example.com"},
    {"text", "description", "SECOND description"},
    {"text", "description", "third"},
    {"text", "name", "text"},
    {"text", "initials", "s. o."},
    {"text", "initials", "S.O."},
    {"numbers", "uidNumber", "70001"},
    {"numbers", "uidNumber", "070001"},
    {"numbers", "uidNumber", "x"},
    {"numbers", "homeDirectory", "/home/Numbers"},
    {"numbers", "homeDirectory", "/home/numbers"},
    {"numbers", "telephoneNumber", "+498912345 6"},
    {"numbers", "telephoneNumber", "+49 89"},
    {"numbers", "x121Address", "1234567"},
    {"numbers", "x121Address", "1 2 3"},
    {"numbers", "x500UniqueIdentifier", "'0101'B"},
    {"numbers", "x500UniqueIdentifier", "'1'B"},
    {"numbers", "departmentNumber", "11"},
    {"numbers", "employeeNumber", "42"},
    {"addresses", "postalAddress", "LINE one$line TWO$80331 münchen"},
    {"addresses", "postalAddress", "Line one"},
    {"addresses", "l", "ort mit leerzeichen"},
    {"addresses", "labeledURI", "http://example.org/%7ea a label"},
    {"names", "seeAlso", "CN=TEXT, OU=values, dc=example, dc=org"},
    {"names", "seeAlso", "cn=text"},
    {"names", "seeAlso", "no name"},
    {"names", "manager", "uid=staff1,ou=people,dc=example,dc=org"},
    {"names", "secretary", "uid=staff1,ou=people,dc=example,dc=org"},
    {"unique", "uniqueMember", "uid=STAFF1,ou=people,dc=example,dc=org"},
    {"unique", "uniqueMember", "uid=staff2,ou=people,dc=example,dc=org#'0101'B"},
    {"languages", "cn;lang-de", "SPRACHEN"},
    {"languages", "cn;lang-de", "Langues"},
    {"languages", "cn", "sprachen"},
    {"languages", "title;lang-en", "professor"},
    {"languages", "title", "professorin"},
    {"signs", "businessCategory", "stars * and (parens)"},
    {"signs", "o", "back\\slash"},
    {"signs", "description", "leading blank"},
    {"signs", "displayName", "☃ SNOW"},
    {"signs", "objectClass", "2.5.6.6"},
    {"signs", "objectClass", "device"},
    {"signs", "objectClass", "noSuchClass"},
    {"signs", "createTimestamp", "20240101000000Z"},
    {"signs", "createTimestamp", "never"},
    {"signs", "entryUUID", "no uuid"},
    {"signs", "hasSubordinates", "FALSE"},
    {"signs", "structuralObjectClass", "INETORGPERSON"},
    {"signs", "telephoneNumber", "+1"},
    {"signs", "noSuchAttribute", "x"},
    {"signs", "", "x"}
  };

  private AssertionSteps() {}

  static void addTo(Script script) {
    script.group("assertions of values").on("manager");
    for (String[] assertion : ASSERTIONS) {
      script.either(compare(SampleValues.named(assertion[0]), assertion[1], assertion[2]));
    }
  }
}
