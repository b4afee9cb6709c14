// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import static com.unboundid.ldap.sdk.ModificationType.ADD;
import static com.unboundid.ldap.sdk.ModificationType.DELETE;
import static com.unboundid.ldap.sdk.ModificationType.REPLACE;
import static io.stoa.server.differential.Directory.WORK;
import static io.stoa.server.differential.Directory.person;
import static io.stoa.testing.Requests.add;
import static io.stoa.testing.Requests.compare;
import static io.stoa.testing.Requests.delete;
import static io.stoa.testing.Requests.modify;
import static io.stoa.testing.Requests.move;
import static io.stoa.testing.Requests.rename;
import static io.stoa.testing.Requests.replace;
import static io.stoa.testing.Requests.search;

import com.unboundid.ldap.sdk.Modification;

/** Reads, a change, the same reads and others: by one connection and by others. */
final class SequenceSteps {
  private static final String NAME = "cn=sequence," + WORK;

  /** Attribute, value before, value after. */
  private static final String[][] CHANGES = {
    {"title", "first", "SECOND"},
    {"title", "second", "third"},
    {"mail", "one@example.org", "two@example.org"},
    {"telephoneNumber", "+1 555 1", "+1 (555) 2"},
    {"street", "Hauptstraße 1", "HAUPTSTRASSE 1"},
    {"displayName", "Zoë", "ZOE"},
    {"postalAddress", "a$b$c", "a$b"},
    {"seeAlso", person("staff1"), person("staff2")},
    {"manager", person("staff3"), "UID=STAFF3,ou=people,dc=example,dc=org"},
    {"uidNumber", "10", "11"},
    {"homeDirectory", "/home/a", "/home/A"},
    {"cn;lang-de", "Reihenfolge", "Abfolge"},
    {"description;lang-en", "one way", "another"},
    {"x121Address", "12 3", "123"},
    {"x500UniqueIdentifier", "'01'B", "'10'B"},
    {"employeeNumber", "007", "7"},
    {"labeledURI", "http://a/", "http://A/"},
    {"carLicense", "with * star", "with ( paren"},
    {"initials", " A ", "A"},
    {"o", "back\\slash", "for/ward"}
  };

  /** Changes that the directory refuses, and that therefore change nothing. */
  private static final String[][] WRONG = {
    {"uidNumber", "eleven"},
    {"uidNumber", ""},
    {"seeAlso", "no name"},
    {"manager", "uid=x,,dc=org"},
    {"mail", "ü@example.org"},
    {"homeDirectory", "/häuser"},
    {"telephoneNumber", ""},
    {"x121Address", "abc"},
    {"x500UniqueIdentifier", "12"},
    {"postalAddress", ""},
    {"objectClass", "noSuchClass"},
    {"objectClass", "device"},
    {"cn", "other"},
    {"sn", ""},
    {"noSuchAttribute", "x"},
    {"member", person("staff1")},
    {"createTimestamp", "20240101000000Z"},
    {"structuralObjectClass", "device"},
    {"subschemaSubentry", "cn=x"},
    {"hasSubordinates", "TRUE"}
  };

  private SequenceSteps() {}

  static void addTo(Script script) {
    begin(script.group("sequences").on("manager"));
    for (String[] change : CHANGES) {
      change(script, change[0], change[1], change[2]);
    }
    script.group("refused in a sequence").on("manager");
    for (String[] wrong : WRONG) {
      refuse(script, wrong[0], wrong[1]);
    }
    several(script.group("several changes in one"));
    names(script.group("names that change"));
    script.once(delete(NAME));
    script.missing(search(NAME).baseScope());
  }

  private static void begin(Script script) {
    script.once(
        add(
            NAME,
            "objectClass: inetOrgPerson",
            "objectClass: posixAccount",
            "cn: sequence",
            "sn: Sequence",
            "uid: sequence",
            "uidNumber: 9",
            "gidNumber: 9",
            "homeDirectory: /"));
  }

  private static void change(Script script, String attribute, String before, String after) {
    script.on("manager").once(replace(NAME, attribute, before));
    script.on("alice").either(search(NAME).baseScope().attributes(attribute).request());
    script.either(compare(NAME, attribute, before));
    script.on("manager").once(replace(NAME, attribute, after));
    script.on("alice").either(search(NAME).baseScope().attributes(attribute).request());
    script.either(compare(NAME, attribute, before)).either(compare(NAME, attribute, after));
  }

  private static void refuse(Script script, String attribute, String value) {
    script.once(replace(NAME, attribute, value));
    script.once(modify(NAME, new Modification(DELETE, attribute, value + "?")));
    script.either(search(NAME).baseScope().attributes(attribute).request());
  }

  /** All of a modify is done, or nothing. */
  private static void several(Script script) {
    Modification title = new Modification(REPLACE, "title", "in vain");
    for (Modification second :
        new Modification[] {
          new Modification(DELETE, "pager"),
          new Modification(DELETE, "title", "not there"),
          new Modification(ADD, "title", "IN VAIN"),
          new Modification(ADD, "noSuchAttribute", "x"),
          new Modification(DELETE, "sn"),
          new Modification(ADD, "uidNumber", "12"),
          new Modification(REPLACE, "pager", "+1 555 3"),
          new Modification(ADD, "title", "beside"),
          new Modification(DELETE, "title")
        }) {
      script.on("manager").once(modify(NAME, title, second));
      script.on("bob").either(search(NAME).baseScope().attributes("title", "pager").request());
    }
    script.on("manager");
  }

  private static void names(Script script) {
    String[] rdns = {
      "cn=with\\, comma",
      "cn=with \\2b plus",
      "cn=Größe",
      "cn=\\ blanks\\ ",
      "cn=\\#number",
      "cn=two+sn=parts",
      "sn=parts+cn=two",
      "CN=Upper",
      "2.5.4.3=oid",
      "cn=\\73equence"
    };
    String name = NAME;
    for (String rdn : rdns) {
      String next = rdn + "," + WORK;
      script.either(search(next).baseScope().attributes("cn").request());
      script.once(rename(name, rdn, true));
      script.either(search(next).baseScope().attributes("cn").request());
      script.either(search(name).baseScope().attributes("cn").request());
      script.either(search(WORK).oneLevel().filter("(" + filter(rdn) + ")").request());
      name = next;
    }
    script.once(rename(name, "cn=sequence", false));
    script.once(move(NAME, "cn=sequence", person("nobody")));
    script.once(move(NAME, "cn=sequence", NAME));
    script.once(rename(NAME, "noSuchAttribute=x", true)).once(rename(NAME, "cn=", true));
  }

  /** The first part of the name, as far as it needs no escapes. */
  private static String filter(String rdn) {
    return rdn.replaceAll("[+\\\\].*", "") + "*";
  }
}
