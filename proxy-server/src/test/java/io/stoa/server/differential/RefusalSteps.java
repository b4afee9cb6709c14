// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import static com.unboundid.ldap.sdk.ModificationType.ADD;
import static com.unboundid.ldap.sdk.ModificationType.DELETE;
import static com.unboundid.ldap.sdk.ModificationType.INCREMENT;
import static com.unboundid.ldap.sdk.ModificationType.REPLACE;
import static io.stoa.server.differential.Directory.ALICE;
import static io.stoa.server.differential.Directory.GROUPS;
import static io.stoa.server.differential.Directory.ODD;
import static io.stoa.server.differential.Directory.PEOPLE;
import static io.stoa.server.differential.Directory.REFERRAL;
import static io.stoa.server.differential.Directory.ROOT;
import static io.stoa.server.differential.Directory.ROOT_PASSWORD;
import static io.stoa.server.differential.Directory.SUFFIX;
import static io.stoa.server.differential.Directory.person;
import static io.stoa.testing.Requests.add;
import static io.stoa.testing.Requests.bind;
import static io.stoa.testing.Requests.delete;
import static io.stoa.testing.Requests.extended;
import static io.stoa.testing.Requests.modify;
import static io.stoa.testing.Requests.move;
import static io.stoa.testing.Requests.rename;
import static io.stoa.testing.Requests.replace;
import static io.stoa.testing.Requests.search;

import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.Modification;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Tlv;

/** What a directory refuses, in every way that it has of refusing. */
final class RefusalSteps {
  private static final String[] NOT_NAMES = {"no name", "cn=", "=x", "cn=a,,dc=b", "cn=a\\zz"};

  private RefusalSteps() {}

  static void addTo(Script script) {
    binds(script.group("refused binds"));
    searches(script.group("refused searches").on("bob"));
    withoutRight(script.group("insufficient access"));
    adds(script.group("refused adds").on("root"));
    modifies(script.group("refused modifies"));
    renames(script.group("refused renames and deletes"));
    strange(script.group("refused for their form"));
  }

  private static void binds(Script script) {
    script.on("refused");
    script.refused(bind(ALICE, "wrong"));
    script.refused(bind(person("nobody"), "pw"));
    script.refused(bind("no name", "pw"));
    script.refused(bind(ALICE, ""));
    script.refused(bind(REFERRAL, "pw"));
    script.refused(bind("cn=tree," + ODD, "pw"));
    script.refused(bind(ROOT, "wrong"));
    script.refused(bind(ROOT, ROOT_PASSWORD + " "));
    script.refused(bind("dc=unknown", "pw"));
    script.cached(search(person("alice")).baseScope());
  }

  /** Stoa refuses other versions itself, in the words of slapd. */
  static void addVersionsTo(Script script) {
    script.group("refused binds").on("refused");
    script.refused(bindOfVersion(1));
    script.refused(bindOfVersion(4));
  }

  /** A well-formed anonymous bind of another protocol version. */
  private static RawRequest bindOfVersion(int version) {
    byte[] name = Tlv.of(0x04);
    byte[] noPassword = Tlv.of(0x80);
    return new RawRequest(Tlv.of(0x60, Tlv.integer(0x02, version), name, noPassword));
  }

  private static void searches(Script script) {
    script.missing(search("ou=nothing," + SUFFIX));
    script.missing(search("uid=nobody," + PEOPLE).baseScope());
    script.missing(search("cn=x,uid=nobody," + PEOPLE).oneLevel());
    script.missing(search("uid=nobody,cn=tree," + ODD).baseScope());
    script.refusedEither(search("dc=unknown").request());
    script.refusedEither(search("cn=below," + REFERRAL).baseScope().request());
    script.refusedEither(search(REFERRAL).baseScope().request());
    script.refusedEither(
        search(Directory.DANGLING).baseScope().deref(3).attributes("cn").request());
    for (String base : NOT_NAMES) {
      script.refusedRead(search(base).baseScope().request());
    }
    script.refusedRead(search(PEOPLE).scope(4).request());
    script.refusedRead(search(PEOPLE).deref(4).request());
    script.refusedRead(unknownCriticalControl(search(PEOPLE).request()));
  }

  private static void withoutRight(Script script) {
    script.on("alice");
    script.refused(add(person("new"), "objectClass: inetOrgPerson", "cn: new", "sn: new"));
    script.refused(delete(person("staff29")));
    script.refused(replace(person("staff29"), "sn", "changed"));
    script.refused(rename(person("staff29"), "uid=renamed", true));
    script.refused(replace(person("bob"), "userPassword", "stolen"));
    script.on("anonymous");
    script.refused(replace(ALICE, "sn", "changed"));
    script.refused(add(person("new"), "objectClass: inetOrgPerson", "cn: new", "sn: new"));
    script.refused(delete(ALICE));
    script.refused(rename(ALICE, "uid=alicia", true));
  }

  private static void adds(Script script) {
    String[] person = {"objectClass: person", "cn: x", "sn: x"};
    script.refused(add(ALICE, "objectClass: inetOrgPerson", "cn: x", "sn: x"));
    script.refused(add("cn=x,ou=nothing," + SUFFIX, person));
    script.refused(add("cn=x,dc=unknown", person));
    script.refused(add("cn=x," + PEOPLE, "objectClass: person", "cn: x"));
    script.refused(add("cn=x," + PEOPLE, "objectClass: noSuchClass", "cn: x"));
    script.refused(add("cn=x," + PEOPLE, "objectClass: person", "cn: x", "sn: x", "uid: x"));
    script.refused(add("cn=x," + PEOPLE, "objectClass: person", "cn: x", "sn: x", "no: x"));
    script.refused(add("cn=x," + PEOPLE, "cn: x", "sn: x"));
    script.refused(add("cn=x," + PEOPLE, "objectClass: top", "cn: x"));
    script.refused(
        add("cn=x," + PEOPLE, "objectClass: person", "cn: x", "sn: x", "seeAlso: no name"));
    script.refused(add("cn=x," + PEOPLE, "objectClass: person", "cn: x", "sn: x", "entryUUID: 1"));
    script.refused(add("cn=x," + REFERRAL, person));
    script.refused(add("cn=x," + Directory.ALIAS, person));
    for (String name : NOT_NAMES) {
      script.refused(add(name, person));
    }
  }

  private static void modifies(Script script) {
    String dn = person("staff20");
    script.refused(replace(person("nobody"), "sn", "x"));
    script.refused(replace("no name", "sn", "x"));
    script.refused(modify(dn, new Modification(ADD, "mail", "staff20@example.org")));
    script.refused(modify(dn, new Modification(DELETE, "mail", "not@there")));
    script.refused(modify(dn, new Modification(DELETE, "title")));
    script.refused(modify(dn, new Modification(DELETE, "sn")));
    script.refused(modify(dn, new Modification(DELETE, "uid")));
    script.refused(modify(dn, new Modification(ADD, "undefinedAttribute", "x")));
    script.refused(modify(dn, new Modification(ADD, "uidNumber", "1", "2")));
    script.refused(modify(dn, new Modification(REPLACE, "uidNumber", "abc")));
    script.refused(modify(dn, new Modification(INCREMENT, "uidNumber", "x")));
    script.refused(modify(dn, new Modification(INCREMENT, "sn", "1")));
    script.refused(modify(dn, new Modification(REPLACE, "entryUUID", "x")));
    script.refused(modify(dn, new Modification(REPLACE, "objectClass", "device")));
    script.refused(replace(REFERRAL, "description", "x"));
    script.refused(replace("", "description", "x"));
    script.refused(replace("cn=Subschema", "description", "x"));
  }

  private static void renames(Script script) {
    script.refused(rename(person("nobody"), "uid=x", true));
    script.refused(rename(person("staff20"), "uid=staff21", true));
    script.refused(rename(person("staff20"), "no name", true));
    script.refused(rename(person("staff20"), "undefinedAttribute=x", true));
    script.refused(move(person("staff20"), "uid=staff20", "ou=nothing," + SUFFIX));
    script.refused(move(person("staff20"), "uid=staff20", Directory.OTHER));
    script.refused(move(PEOPLE, "ou=people", person("staff20")));
    script.refused(rename(SUFFIX, "dc=changed", true));
    script.refused(delete(person("nobody")));
    script.refused(delete(PEOPLE));
    script.refused(delete("cn=tree," + ODD));
    script.refused(delete(REFERRAL));
    script.refused(delete("no name"));
    script.refused(delete(""));
    script.refused(delete("cn=Subschema"));
  }

  /** On a connection of its own: after an unknown operation nothing is cached for a client. */
  private static void strange(Script script) {
    script.on("strange").once(bind(ROOT, ROOT_PASSWORD));
    script.refused(extended("1.2.3.4.5.6"));
    script.refused(extended("1.2.3.4.5.6", new byte[] {1, 2, 3}));
    script.refused(extended("1.3.6.1.4.1.4203.1.11.1", new byte[] {0x30, 0x7f}));
    script.refused(unknownCriticalControl(delete(person("staff20"))));
    script.refused(unknownCriticalControl(replace(person("staff20"), "sn", "x")));
    script.refused(unknownCriticalControl(extended("1.3.6.1.4.1.4203.1.11.3")));
    script.refused(unknownCriticalControl(rename("cn=group1," + GROUPS, "cn=x", true)));
    script.on("refused").refused(unknownCriticalControl(bind(ALICE, "pw-alice")));
  }

  private static RawRequest unknownCriticalControl(RawRequest request) {
    return request.with(new Control("1.2.3.4.5.6.7", true));
  }
}
