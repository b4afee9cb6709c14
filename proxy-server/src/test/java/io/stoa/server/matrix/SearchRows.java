// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.matrix;

import static io.stoa.server.matrix.Identities.as;
import static io.stoa.server.matrix.Identities.asManager;
import static io.stoa.testing.Requests.compare;
import static io.stoa.testing.Requests.search;

import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import com.unboundid.ldap.sdk.controls.RFC3672SubentriesRequestControl;
import io.stoa.ldap.protocol.Oids;
import io.stoa.server.differential.Directory;
import io.stoa.server.differential.MatchingSteps;
import io.stoa.server.differential.Script;
import io.stoa.testing.Requests;
import io.stoa.testing.SearchBuilder;
import java.util.Locale;
import java.util.stream.Stream;

/** Searches and compares, without controls that change them. */
final class SearchRows {
  private static final String[] FILTERS = {
    "(cn=staff3)",
    "(CN=STAFF3)",
    "(2.5.4.3=staff3)",
    "(commonName=staff3)",
    "(cn=*)",
    "(cn=staff1*)",
    "(cn=*3)",
    "(cn=st*f*3)",
    "(cn>=staff25)",
    "(cn<=alice)",
    "(cn~=staff3)",
    "(!(cn=staff3))",
    "(&(objectClass=person)(cn=staff3))",
    "(|(cn=staff3)(cn=staff4))",
    "(undefinedAttribute=x)",
    "(!(undefinedAttribute=x))",
    "(|(undefinedAttribute=x)(cn=staff3))",
    "(cn:caseExactMatch:=staff3)",
    "(cn:2.5.13.2:=STAFF3)",
    "(ou:dn:=people)",
    "(objectClass=organizationalPerson)",
    "(objectClass=2.5.6.6)",
    "(seeAlso=not a name)",
    "(description=\\00\\ff)"
  };

  private static final String[][] SELECTIONS = {
    {},
    {"*"},
    {"1.1"},
    {"1.1", "cn"},
    {"cn"},
    {"CN"},
    {"commonName"},
    {"2.5.4.3"},
    {"cn", "Cn", "CN"},
    {"mail", "cn", "OBJECTCLASS"},
    {"noSuchAttribute", "cn"},
    {"name"},
    {""},
    {"*", "cn"}
  };

  private SearchRows() {}

  static Stream<Row> rows() {
    return Stream.of(
        Row.always("RFC 4511, 4.5.1.2", "scopes", SearchRows::scopes),
        Row.always("RFC 4511, 4.5.1.3", "derefAliases", SearchRows::aliases),
        Row.always("RFC 4511, 4.5.1.4", "size limits", SearchRows::sizeLimits),
        Row.always("RFC 4511, 4.5.1.5", "time limits", SearchRows::timeLimits),
        Row.always("RFC 4511, 4.5.1.6", "typesOnly", SearchRows::typesOnly),
        Row.always("RFC 4511, 4.5.1.7; RFC 4515", "filters", SearchRows::filters),
        Row.always("RFC 4517; RFC 4518", "matching rules, prepared strings", SearchRows::matching)
            .onlyOn(server -> !server.activeDirectory()),
        Row.always("RFC 4526", "absolute true and false filters", SearchRows::trueAndFalse),
        Row.always("RFC 4511, 4.5.1.8", "selection of attributes", SearchRows::selections),
        Row.always("RFC 3673", "all operational attributes", SearchRows::operational),
        Row.always("RFC 4529", "attributes by object class", SearchRows::byClass),
        Row.always("RFC 4530; RFC 5020", "entryUUID, entryDN", SearchRows::identifiers),
        Row.always("RFC 3866; RFC 4522", "language tags, ;binary", SearchRows::options),
        Row.always("RFC 4514", "spellings of names", SearchRows::names),
        Row.always("RFC 4511, 4.10", "compare", SearchRows::compares),
        Row.always("RFC 4511, 4.1.9", "names that do not exist", SearchRows::missing),
        Row.always("RFC 4511, 4.5.3; RFC 3296", "referrals and references", SearchRows::referrals)
            .onlyOn(server -> !server.activeDirectory()),
        Row.listed(Oids.MANAGE_DSA_IT, "RFC 3296", "ManageDsaIT", SearchRows::manageDsaIt),
        Row.listed(Oids.SUBENTRIES, "RFC 3672", "subentries", SearchRows::subentries),
        Row.always("RFC 3671", "collective attributes", SearchRows::collective)
            .onlyOn(RootDse::openLdap));
  }

  private static void scopes(Script script, Names names) {
    for (String who : new String[] {"alice", "bob"}) {
      as(who, script, names);
      for (int scope = 0; scope <= 3; scope++) {
        script.either(search(names.suffix()).scope(scope).filter("(ou=*)").request());
        script.either(search(names.groups()).scope(scope).attributes("cn").request());
        script.either(search(names.person("staff3")).scope(scope).attributes("cn").request());
      }
    }
    script.either(search("").filter("(cn=staff3)").request());
  }

  private static void aliases(Script script, Names names) {
    as("alice", script, names);
    for (int deref = 0; deref <= 4; deref++) {
      script.either(search(Directory.ALIAS).baseScope().deref(deref).attributes("cn").request());
      script.either(search(Directory.DANGLING).baseScope().deref(deref).request());
      script.either(names.find("staff3").deref(deref).request());
      script.either(search(names.groups()).deref(deref).attributes("cn").request());
    }
  }

  private static void sizeLimits(Script script, Names names) {
    as("alice", script, names);
    SearchBuilder five = search(names.groups()).oneLevel().attributes("cn");
    for (int limit : new int[] {0, 1, 4, 5, 6, 1000, Integer.MAX_VALUE}) {
      script.either(five.sizeLimit(limit).request());
    }
  }

  private static void timeLimits(Script script, Names names) {
    as("alice", script, names);
    for (int limit : new int[] {0, 1, 30, Integer.MAX_VALUE}) {
      script.either(names.find("staff3").timeLimit(limit).request());
    }
  }

  private static void typesOnly(Script script, Names names) {
    as("alice", script, names);
    for (SearchBuilder one : new SearchBuilder[] {names.find("staff3"), search(names.group(1))}) {
      script.either(one.justTypes().request());
      script.either(one.request());
      script.either(one.justTypes().attributes("1.1").request());
    }
  }

  private static void filters(Script script, Names names) {
    as("alice", script, names);
    for (String filter : FILTERS) {
      script.either(search(names.people()).filter(filter).attributes("cn").request());
    }
    script.either(
        search(names.groups()).filter("(member=" + names.person("staff3") + ")").request());
  }

  private static void matching(Script script, Names names) {
    asManager(script, names);
    MatchingSteps.addTo(script);
  }

  private static void trueAndFalse(Script script, Names names) {
    as("alice", script, names);
    for (String filter :
        new String[] {"(&)", "(|)", "(!(&))", "(&(cn=staff3)(&))", "(|(|)(cn=bob))"}) {
      script.either(search(names.people()).filter(filter).attributes("cn").request());
    }
  }

  private static void selections(Script script, Names names) {
    as("alice", script, names);
    for (String[] selection : SELECTIONS) {
      script.either(names.find("staff3").attributes(selection).request());
      script.either(search(names.group(1)).attributes(selection).request());
    }
  }

  private static void operational(Script script, Names names) {
    as("alice", script, names);
    script.either(names.find("staff3").attributes("+").request());
    script.either(names.find("staff3").attributes("*", "+").request());
    script.either(names.find("staff3").attributes("cn", "+").request());
    script.either(names.find("staff3").attributes("createTimestamp", "modifiersName").request());
  }

  private static void byClass(Script script, Names names) {
    as("alice", script, names);
    script.either(names.find("staff3").attributes("@person").request());
    script.either(names.find("staff3").attributes("@PERSON", "mail").request());
    script.either(names.find("staff3").attributes("@2.5.6.6").request());
    script.either(names.find("staff3").attributes("@noSuchClass").request());
  }

  private static void identifiers(Script script, Names names) {
    as("alice", script, names);
    SearchBuilder staff = names.find("staff3");
    script.either(staff.attributes("entryUUID", "entryDN", "nsUniqueId").request());
    String entryDn = "(entryDN=" + names.person("staff3") + ")";
    script.either(search(names.people()).filter(entryDn).attributes("cn").request());
    String uuid = "(entryUUID=5eed0000-0000-4000-8000-000000000009)";
    script.either(search(names.people()).filter(uuid).attributes("cn").request());
  }

  private static void options(Script script, Names names) {
    as("alice", script, names);
    for (String type :
        new String[] {"cn;lang-de", "cn;LANG-FR", "cn;lang-", "userCertificate;binary"}) {
      script.either(names.find("staff3").attributes(type).request());
      script.either(names.find("staff3").attributes("cn", type).request());
    }
    String german = "(cn;lang-de=Mitarbeiter 3)";
    script.either(search(names.people()).filter(german).attributes("cn").request());
  }

  private static void names(Script script, Names names) {
    as("alice", script, names);
    String dn = names.person("staff3");
    String spaced = dn.replace(",", " , ").replace("=", " = ");
    for (String name :
        new String[] {dn, dn.toUpperCase(Locale.ROOT), spaced, dn.replace(",", ";")}) {
      script.either(search(name).baseScope().attributes("cn").request());
    }
    for (String name :
        new String[] {dn.replace("staff", "\\73taff"), "no name", "cn=", ",", dn + ","}) {
      script.either(search(name).baseScope().attributes("cn").request());
    }
  }

  private static void compares(Script script, Names names) {
    as("alice", script, names);
    String dn = names.person("staff3");
    script.either(compare(names.group(1), "member", names.person("alice")));
    script.either(compare(names.group(1), "MEMBER", names.person("staff9")));
    script.either(compare(names.group(1), "member", "no name"));
    for (String type : new String[] {"mail", "MAIL", "0.9.2342.19200300.100.1.3"}) {
      script.either(compare(dn, type, "staff3@example.org"));
    }
    script.either(compare(dn, "undefinedAttribute", "x"));
    script.either(compare(dn, "title", "x"));
    script.either(compare(names.person("nobody"), "cn", "x"));
    script.either(compare("", "cn", "x"));
    script.either(compare(names.person("alice"), "userPassword", "pw-alice"));
    script.on("anonymous").either(compare(dn, "cn", "staff3"));
  }

  private static void missing(Script script, Names names) {
    as("alice", script, names);
    script.either(search(names.person("nobody")).baseScope().request());
    script.either(search("cn=x," + names.person("nobody")).request());
    script.either(search("cn=x," + names.person("staff3")).oneLevel().request());
    script.either(search("dc=unknown").request());
  }

  private static void referrals(Script script, Names names) {
    as("alice", script, names);
    script.either(search(Directory.REFERRAL).baseScope().request());
    script.either(search("cn=below," + Directory.REFERRAL).baseScope().request());
    script.either(search(Directory.ODD).filter("(cn=leaf)").attributes("cn").request());
    script.either(search(Directory.ODD).oneLevel().filter("(cn=leaf)").request());
    script.either(compare(Directory.REFERRAL, "cn", "elsewhere"));
    script.once(Requests.replace(Directory.REFERRAL, "description", "x"));
    script.once(Requests.delete("cn=below," + Directory.REFERRAL));
  }

  private static void manageDsaIt(Script script, Names names) {
    as("alice", script, names);
    for (boolean critical : new boolean[] {false, true}) {
      var manage = new ManageDsaITRequestControl(critical);
      script.either(search(Directory.REFERRAL).baseScope().request().with(manage));
      script.either(search(Directory.ODD).attributes("cn").request().with(manage));
      script.either(names.find("staff3").request().with(manage));
      script.either(compare(Directory.REFERRAL, "cn", "elsewhere").with(manage));
    }
    asManager(script, names);
    var manage = new ManageDsaITRequestControl(true);
    script.once(Requests.replace(Directory.REFERRAL, "description", "x").with(manage));
    script.either(search(Directory.REFERRAL).baseScope().request().with(manage));
    script.once(Requests.replace(Directory.REFERRAL, "description").with(manage));
  }

  private static void subentries(Script script, Names names) {
    as("alice", script, names);
    SearchBuilder policy = search(Directory.SUFFIX).oneLevel().filter("(cn=policy)");
    for (boolean visible : new boolean[] {true, false, true}) {
      script.either(policy.request().with(new RFC3672SubentriesRequestControl(visible, true)));
      script.either(policy.request());
    }
    script.either(search(Directory.SUBENTRY).baseScope().request());
  }

  private static void collective(Script script, Names names) {
    as("alice", script, names);
    SearchBuilder odd = search(Directory.ODD).filter("(cn=leaf)");
    script.either(odd.attributes("l", "cn").request());
    script.either(odd.request());
  }
}
