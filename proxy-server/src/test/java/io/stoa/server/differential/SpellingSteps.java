// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import static io.stoa.server.differential.Directory.GROUPS;
import static io.stoa.server.differential.Directory.PEOPLE;
import static io.stoa.server.differential.Directory.person;
import static io.stoa.testing.Requests.compare;
import static io.stoa.testing.Requests.search;

import io.stoa.testing.SearchBuilder;

/** The same names, attributes and options, spelled in every way (RFC 4512, RFC 4514). */
final class SpellingSteps {
  private static final String REST = ",ou=people,dc=example,dc=org";

  /** All of one entry, or of none. */
  private static final String[] NAMES = {
    "uid=staff7" + REST,
    "UID=staff7" + REST,
    "uid=STAFF7" + REST,
    "uid=staff7,OU=PEOPLE,DC=EXAMPLE,DC=ORG",
    "uid = staff7 , ou = people , dc = example , dc = org",
    "uid=staff7,  ou=people,  dc=example,  dc=org",
    " uid=staff7" + REST,
    "uid=staff7" + REST + " ",
    "uid=staff7;ou=people;dc=example;dc=org",
    "uid=\"staff7\"" + REST,
    "uid=staff\\37" + REST,
    "uid=\\73\\74\\61\\66\\66\\37" + REST,
    "uid=s\\74aff7" + REST,
    "uid=\\staff7" + REST,
    "uid=staff7\\20" + REST,
    "uid=staff7\\ " + REST,
    "uid=\\ staff7" + REST,
    "uid=staff\\C37" + REST,
    "userid=staff7" + REST,
    "0.9.2342.19200300.100.1.1=staff7" + REST,
    "OID.0.9.2342.19200300.100.1.1=staff7" + REST,
    "oid.0.9.2342.19200300.100.1.1=staff7" + REST,
    "uid=staff7,organizationalUnitName=people,domainComponent=example,dc=org",
    "uid=staff7,2.5.4.11=people,0.9.2342.19200300.100.1.25=example,dc=org",
    "uid=staff7+uid=staff7" + REST,
    "cn=Staff Person 7" + REST,
    "uid=#7374616666" + REST,
    "uid=staff7,,ou=people,dc=example,dc=org",
    "uid=staff7" + REST + ",",
    "uid=staff7\n" + REST,
    "uid;lang-de=staff7" + REST,
    "uid=staff7,ou=people,dc=example,dc=org,dc=",
    "uid=staff7,ou=people,dc=example,o=org",
    "uid=,ou=people,dc=example,dc=org",
    "uid=staff7,ou=people,dc=ex\\61mple,dc=org",
    "uid=ſtaff7" + REST,
    "uid=staff７" + REST
  };

  private static final String[] TYPES = {
    "mail",
    "MAIL",
    "Mail",
    "rfc822Mailbox",
    "0.9.2342.19200300.100.1.3",
    "mail;lang-de",
    "mail;x-y",
    "cn;lang-de",
    "CN;lang-DE",
    "commonName;lang-de",
    "2.5.4.3;lang-de",
    "cn;lang-de;lang-fr",
    "cn;lang-fr;lang-de",
    "cn;lang",
    "cn;",
    ";lang-de",
    "name",
    "NAME;lang-de",
    "2.5.4.41",
    "sn",
    "surname",
    "gn",
    "givenName",
    "l",
    "localityName",
    "telephonenumber",
    "TelephoneNumber",
    "uidnumber",
    "1.3.6.1.1.1.1.0",
    "objectclass",
    "2.5.4.0",
    "createtimestamp",
    "2.5.18.1",
    "modifiersname",
    "2.5.18.4",
    "structuralobjectclass",
    "entryuuid",
    "1.3.6.1.1.16.4",
    "subschemasubentry",
    "numsubordinates",
    "hassubordinates",
    "no such",
    "mail\\",
    "mail*",
    "1",
    "1.",
    "1.1;x",
    "**",
    "+*",
    "@",
    "@@person",
    "@2.5.6.6",
    "@PERSON",
    "@posixaccount",
    "!mail",
    "mail,cn",
    "mail ",
    " mail"
  };

  private static final String[][] LISTS = {
    {"mail", "cn"},
    {"cn", "mail"},
    {"MAIL", "CN"},
    {"mail", "CN", "cn", "Mail"},
    {"cn", "mail", "1.1"},
    {"1.1", "1.1"},
    {"1.1", "*"},
    {"*", "mail"},
    {"*", "1.1"},
    {"+", "mail"},
    {"+", "*"},
    {"+", "+"},
    {"*", "*", "+"},
    {"name", "cn"},
    {"cn", "cn;lang-de"},
    {"cn;lang-de", "cn"},
    {"cn;lang-fr", "mail", "cn;lang-de"},
    {"cn;lang-de", "2.5.4.3;lang-de"},
    {"@person", "mail"},
    {"@person", "@posixAccount"},
    {"@person", "*"},
    {"@noSuchClass", "mail"},
    {"noSuch", "1.1"},
    {"", ""},
    {"", "*"},
    {"sn", "surname", "2.5.4.4"},
    {"createTimestamp", "CREATETIMESTAMP"},
    {"uidNumber", "gidNumber", "homeDirectory", "uid"}
  };

  private SpellingSteps() {}

  static void addTo(Script script) {
    script.group("spellings of names").on("alice");
    for (String name : NAMES) {
      script.either(search(name).baseScope().attributes("uid").request());
    }
    script.group("spellings of names in assertions");
    for (String name : NAMES) {
      script.either(compare("cn=group2," + GROUPS, "member", name));
    }
    selections(script.group("spellings of attributes").on("manager"));
  }

  private static void selections(Script script) {
    SearchBuilder staff = search(person("staff12")).baseScope();
    for (String type : TYPES) {
      script.cached(staff.attributes(type));
    }
    SearchBuilder two = search(PEOPLE).filter("(|(uid=staff1)(uid=staff2))");
    for (String[] list : LISTS) {
      script.cached(two.attributes(list));
    }
  }
}
