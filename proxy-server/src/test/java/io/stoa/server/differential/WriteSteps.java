// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import static com.unboundid.ldap.sdk.ModificationType.ADD;
import static com.unboundid.ldap.sdk.ModificationType.DELETE;
import static com.unboundid.ldap.sdk.ModificationType.INCREMENT;
import static com.unboundid.ldap.sdk.ModificationType.REPLACE;
import static io.stoa.server.differential.Directory.GROUPS;
import static io.stoa.server.differential.Directory.ODD;
import static io.stoa.server.differential.Directory.REFERRAL;
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
import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import io.stoa.testing.SearchBuilder;

/** Writes, and after each of them the reads whose answers it changed: they were cached before. */
final class WriteSteps {
  private static final String ANNA = "uid=anna," + WORK;
  private static final String MOVED = "uid=anne,ou=inner," + WORK;

  private WriteSteps() {}

  static void addTo(Script script) {
    script.group("writes");
    additions(script);
    modifications(script);
    increments(script);
    renames(script);
    groups(script);
    deletions(script);
    referral(script);
  }

  /** The reads that are repeated after each write. */
  private static void addReads(Script script) {
    SearchBuilder work = search(WORK).filter("(objectClass=person)");
    script.on("alice").cached(work.attributes("uid", "sn", "mail", "uidNumber", "memberOf"));
    script.cached(search(WORK).attributes("1.1"));
    script.cached(search(WORK).oneLevel().filter("(sn=*)").attributes("*", "+"));
    script.on("manager");
  }

  private static void additions(Script script) {
    addReads(script);
    script.missing(search(ANNA).baseScope());
    script.once(
        add(
            ANNA,
            "objectClass: inetOrgPerson",
            "objectClass: posixAccount",
            "uid: anna",
            "cn: Anna",
            "sn: First",
            "uidNumber: 7",
            "gidNumber: 7",
            "homeDirectory: /home/anna",
            "mail: anna@example.org"));
    script.cached(search(ANNA).baseScope());
    addReads(script);
    script.once(add("ou=inner," + WORK, "objectClass: organizationalUnit", "ou: inner"));
    addReads(script);
  }

  private static void modifications(Script script) {
    script.cached(compare(ANNA, "sn", "First"));
    script.once(replace(ANNA, "sn", "Second"));
    script.cached(compare(ANNA, "sn", "First"));
    addReads(script);
    script.once(
        modify(
            ANNA,
            new Modification(ADD, "mail", "a@example.org", "b@example.org"),
            new Modification(DELETE, "mail", "anna@example.org"),
            new Modification(REPLACE, "telephoneNumber", "+1 555 7"),
            new Modification(ADD, "cn;lang-de", "Änne")));
    addReads(script);
    script.once(modify(ANNA, new Modification(DELETE, "telephoneNumber")));
    script.once(modify(ANNA, new Modification(REPLACE, "title")));
    script.once(replace(ANNA, "description", "Grüße ☃"));
    addReads(script);
    script.on("alice").once(replace(person("alice"), "mail", "new@example.org")).on("manager");
    script.cached(search(person("alice")).baseScope().attributes("mail"));
  }

  private static void increments(Script script) {
    script.once(modify(ANNA, new Modification(INCREMENT, "uidNumber", "5")));
    addReads(script);
    script.once(modify(ANNA, new Modification(INCREMENT, "uidNumber", "-2")));
    addReads(script);
  }

  private static void renames(Script script) {
    script.once(rename(ANNA, "uid=anne", true));
    addReads(script);
    script.once(move("uid=anne," + WORK, "uid=anne", "ou=inner," + WORK));
    addReads(script);
    script.once(rename(MOVED, "cn=Anna", false));
    script.once(rename("cn=Anna,ou=inner," + WORK, "uid=anne", false));
    addReads(script);
    subtree(script);
  }

  /** A rename of an entry that has others below it: they are all found under their new names. */
  private static void subtree(Script script) {
    String[] device = {"objectClass: device", "cn: leaf"};
    script.on("manager");
    script.once(add("ou=one," + WORK, "objectClass: organizationalUnit", "ou: one"));
    script.once(add("cn=leaf,ou=one," + WORK, device));
    script.cached(search("cn=leaf,ou=one," + WORK).baseScope());
    script.missing(search("cn=leaf,ou=two," + WORK).baseScope());
    script.once(rename("ou=one," + WORK, "ou=two", true));
    script.missing(search("cn=leaf,ou=one," + WORK).baseScope());
    script.cached(search("cn=leaf,ou=two," + WORK).baseScope());
    addReads(script);
    script.once(delete("cn=leaf,ou=two," + WORK));
    script.once(delete("ou=two," + WORK));
    addReads(script);
  }

  private static void groups(Script script) {
    script.on("root");
    String group = "cn=workers," + GROUPS;
    SearchBuilder members = search(GROUPS).filter("(member=" + MOVED + ")").attributes("cn");
    script.cached(members);
    script.once(add(group, "objectClass: groupOfNames", "cn: workers", "member: " + MOVED));
    script.cached(members);
    addReads(script);
    script.on("root");
    script.once(modify(group, new Modification(ADD, "member", person("staff1"))));
    script.cached(search(person("staff1")).baseScope().attributes("memberOf"));
    script.once(modify(group, new Modification(DELETE, "member", person("staff1"))));
    script.cached(search(person("staff1")).baseScope().attributes("memberOf"));
    script.once(delete(group));
    addReads(script);
  }

  private static void deletions(Script script) {
    script.once(delete(MOVED));
    addReads(script);
    script.missing(search(MOVED).baseScope());
    script.once(delete("ou=inner," + WORK));
    addReads(script);
  }

  private static void referral(Script script) {
    var manage = new ManageDsaITRequestControl(true);
    SearchBuilder itself = search(REFERRAL).baseScope().attributes("ref");
    script.on("root");
    script.cached(itself.request().with(manage));
    script.once(replace(REFERRAL, "ref", "ldap://moved.example.net/").with(manage));
    script.cached(itself.request().with(manage));
    script.uncached(search(ODD).filter("(cn=nothing)"));
    script.once(
        add(
                "cn=ref2," + WORK,
                "objectClass: referral",
                "objectClass: extensibleObject",
                "cn: ref2",
                "ref: ldap://two.example.net/")
            .with(manage));
    script.uncached(search(WORK).attributes("1.1"));
    script.once(delete("cn=ref2," + WORK).with(manage));
    script.cached(search(WORK).attributes("1.1"));
  }
}
