// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import static io.stoa.server.differential.Directory.ALIAS;
import static io.stoa.server.differential.Directory.CROWD;
import static io.stoa.server.differential.Directory.GROUPS;
import static io.stoa.server.differential.Directory.ODD;
import static io.stoa.server.differential.Directory.OTHER;
import static io.stoa.server.differential.Directory.PEOPLE;
import static io.stoa.server.differential.Directory.SUFFIX;
import static io.stoa.server.differential.Directory.person;
import static io.stoa.testing.Requests.search;

import io.stoa.testing.SearchBuilder;

/** Searches: scopes, aliases, limits, filters, bases in every spelling. */
final class SearchSteps {
  private static final String[] FILTERS = {
    "(uid=staff3)",
    "(UID=STAFF3)",
    "(0.9.2342.19200300.100.1.1=staff3)",
    "(userid=staff3)",
    "(cn=Staff Person 7)",
    "(cn=staff  person 7)",
    "(cn;lang-de=Mitarbeiter 7)",
    "(name=Staff Person 7)",
    "(homeDirectory=/home/staff3)",
    "(homeDirectory=/HOME/staff3)",
    "(telephoneNumber=+15551003)",
    "(uidNumber=10003)",
    "(uidNumber>=10025)",
    "(uidNumber<=10004)",
    "(cn~=staf person)",
    "(mail=*)",
    "(mail=staff1*)",
    "(mail=*alias*)",
    "(cn=*7)",
    "(cn=st*per*7)",
    "(&(uid=staff3)(objectClass=posixAccount))",
    "(&(objectClass=posixAccount)(uid=staff3))",
    "(|(uid=staff3)(uid=staff4)(uid=staff5))",
    "(!(objectClass=posixAccount))",
    "(&(objectClass=inetOrgPerson)(!(uid=staff3))(l=City 3))",
    "(!(!(uid=staff3)))",
    "(&)",
    "(|)",
    "(!(undefinedAttribute=x))",
    "(undefinedAttribute=x)",
    "(|(undefinedAttribute=x)(uid=staff3))",
    "(uid:caseExactMatch:=staff3)",
    "(ou:dn:=people)",
    "(gidNumber:1.2.840.113556.1.4.803:=4)",
    "(entryDN=uid=staff3,ou=people,dc=example,dc=org)",
    "(objectClass=organizationalPerson)",
    "(modifyTimestamp>=20230101000000Z)",
    "(seeAlso=not a name)",
    "(uidNumber=abc)",
    "(description=described staff3)",
    "(hasSubordinates=TRUE)"
  };

  private static final int SUBORDINATES = 3;

  private SearchSteps() {}

  static void addTo(Script script) {
    scopes(script.group("scopes").on("anonymous"));
    script.group("filters").on("alice");
    for (String filter : FILTERS) {
      script.cached(people().filter(filter).attributes("uid", "cn"));
    }
    // It looks at every attribute, passwords included.
    script.uncached(people().filter("(:caseIgnoreMatch:=staff3)").attributes("uid", "cn"));
    bases(script.group("bases"));
    aliases(script.group("aliases"));
    limits(script.group("limits"));
    large(script.group("large results"));
  }

  private static SearchBuilder people() {
    return search(PEOPLE);
  }

  private static void scopes(Script script) {
    for (int scope = 0; scope <= 3; scope++) {
      read(script, search(GROUPS).scope(scope));
      read(script, search(CROWD).scope(scope).filter("(cn=crowd7)"));
      read(script, search("cn=tree," + ODD).scope(scope));
      read(script, search(OTHER).scope(scope));
    }
    script.uncached(search(ODD).oneLevel().filter("(cn=tree)")); // answers with a reference
    script.cached(people().oneLevel().filter("(uid=staff1)"));
    script.cached(people().baseScope().filter("(uid=staff1)"));
    script.either(search("").baseScope().attributes("namingContexts").request());
    script.either(search("cn=Subschema").baseScope().attributes("objectClasses").request());
    script.refusedEither(search("").filter("(uid=staff1)").request());
  }

  /** Stoa need not keep what it finds in a scope that is no standard (subordinates only). */
  private static void read(Script script, SearchBuilder search) {
    if (search.scope() == SUBORDINATES) {
      script.either(search.request());
    } else {
      script.cached(search);
    }
  }

  private static void bases(Script script) {
    String[] spellings = {
      "uid=staff3,ou=people,dc=example,dc=org",
      "UID=Staff3,OU=People,DC=Example,DC=Org",
      "uid=staff3, ou=people, dc=example, dc=org",
      "0.9.2342.19200300.100.1.1=staff3,ou=people,dc=example,dc=org",
      "uid=\\73taff3,ou=people,dc=example,dc=org"
    };
    for (String spelling : spellings) {
      script.cached(search(spelling).baseScope().attributes("uid", "cn"));
    }
    script.refusedRead(
        search("uid=#0406737461666633,ou=people,dc=example,dc=org").baseScope().request());
    script.cached(search("cn=comma\\, inside," + ODD).baseScope());
    script.cached(search("cn=comma\\2c inside," + ODD).baseScope());
    script.cached(search("cn=a+serialNumber=7," + ODD).baseScope());
    script.cached(search("serialNumber=7+cn=a," + ODD).baseScope());
    script.cached(search("cn=Zoë," + ODD).baseScope());
    script.cached(search("cn=ZOË," + ODD).baseScope());
    script.cached(search("cn=binary," + ODD).baseScope());
    script.cached(search("cn=long," + ODD).baseScope());
  }

  private static void aliases(Script script) {
    for (int deref = 0; deref <= 3; deref++) {
      script.cached(search(ALIAS).baseScope().deref(deref).attributes("cn", "uid"));
      script.cached(search(PEOPLE).deref(deref).filter("(uid=staff2)"));
      script.cached(search("cn=tree," + ODD).deref(deref).filter("(cn=leaf)"));
    }
  }

  private static void limits(Script script) {
    SearchBuilder five = search(GROUPS).oneLevel().attributes("cn");
    script.cached(five);
    script.cached(five.sizeLimit(5));
    script.cached(five.sizeLimit(100));
    script.cached(five.timeLimit(30));
    script.cached(five.sizeLimit(6).timeLimit(10));
    script.refusedEither(five.sizeLimit(4).request());
    script.refusedEither(five.sizeLimit(1).request());
    script.cached(search(person("staff4")).baseScope().sizeLimit(1));
  }

  private static void large(Script script) {
    script.uncached(search(CROWD).attributes("cn"));
    script.uncached(search(SUFFIX).filter("(objectClass=device)").attributes("1.1"));
    script.refusedRead(search(CROWD).sizeLimit(120).attributes("cn").request());
  }
}
