// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import static io.stoa.server.differential.Directory.GROUPS;
import static io.stoa.server.differential.Directory.PEOPLE;
import static io.stoa.server.differential.Directory.person;
import static io.stoa.testing.Requests.search;

import io.stoa.testing.SearchBuilder;

/** Which attributes come back, in which order, in whose spelling. */
final class SelectionSteps {
  private static final String[][] SELECTIONS = {
    {},
    {"*"},
    {"+"},
    {"*", "+"},
    {"1.1"},
    {"1.1", "cn"},
    {"cn"},
    {"CN"},
    {"commonName"},
    {"2.5.4.3"},
    {"cn", "cn"},
    {"cn", "CN", "2.5.4.3"},
    {"sn", "cn", "uid"},
    {"uid", "cn", "sn"},
    {"name"},
    {"cn;lang-de"},
    {"cn;LANG-DE"},
    {"cn;lang-"},
    {"cn;lang-de;lang-fr"},
    {"cn;lang-fr", "cn;lang-de"},
    {"@person"},
    {"@inetOrgPerson"},
    {"@posixAccount", "mail"},
    {"@noSuchClass"},
    {"!person"},
    {"noSuchAttribute"},
    {"noSuchAttribute", "cn"},
    {"", "cn"},
    {"*", "entryUUID"},
    {"entryUUID", "cn"},
    {"cn", "+"},
    {"entryDN"},
    {"hasSubordinates"},
    {"memberOf"},
    {"memberof", "uid"},
    {"subschemaSubentry"},
    {"structuralObjectClass"},
    {"objectClass"},
    {"mail", "telephoneNumber"},
    {"userCertificate;binary"},
    {"description"},
    {"cn;lang-de", "*"}
  };

  private SelectionSteps() {}

  static void addTo(Script script) {
    script.group("selections").on("bob");
    SearchBuilder two = search(PEOPLE).filter("(|(uid=staff3)(uid=staff5))");
    for (String[] selection : SELECTIONS) {
      script.cached(two.attributes(selection));
    }
    script.group("types only").on("anonymous");
    SearchBuilder types = search(person("staff6")).baseScope().justTypes();
    script.cached(types);
    script.cached(types.attributes("cn", "mail"));
    script.cached(types.attributes("+"));
    script.cached(types.attributes("1.1"));
    script.cached(types.attributes("*", "+"));
    script.group("narrower than what is known");
    SearchBuilder groups = search(GROUPS).oneLevel();
    script.cached(groups.attributes("*", "+"));
    script.cached(groups.attributes("*"));
    script.cached(groups);
    script.cached(groups.attributes("member"));
    script.cached(groups.attributes("objectClass", "cn"));
    script.cached(groups.attributes("1.1"));
  }
}
