// SPDX-License-Identifier: Apache-2.0
package io.stoa.trace;

import static io.stoa.testing.Requests.search;
import static io.stoa.trace.Fingerprint.JNDI;
import static io.stoa.trace.Fingerprint.JNDI_FOLLOW;
import static io.stoa.trace.Fingerprint.LDAP3;
import static io.stoa.trace.Fingerprint.LDAPTS;
import static io.stoa.trace.Fingerprint.LIBLDAP;
import static io.stoa.trace.Fingerprint.NET_LDAP;
import static io.stoa.trace.TraceDirectory.PEOPLE;
import static io.stoa.trace.TraceDirectory.person;

import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import io.stoa.testing.SearchBuilder;

/** Scripts and tools, by the library that they are written with. Stateless. */
final class LibraryClients {
  private LibraryClients() {}

  private static SearchBuilder user(int number) {
    return search(PEOPLE).filter("(cn=User " + number + ")").attributes("cn", "mail");
  }

  /** The root DSE and the whole schema for each connection, after the bind. */
  static void ldap3(Trace trace) {
    trace
        .connect("ldap3")
        .lookup(36, LDAP3.of(search("").baseScope().attributes("subschemaSubentry", "+")))
        .lookup(
            36,
            LDAP3.of(
                search("cn=Subschema")
                    .baseScope()
                    .attributes(
                        "objectClasses",
                        "attributeTypes",
                        "ldapSyntaxes",
                        "matchingRules",
                        "matchingRuleUse",
                        "dITContentRules",
                        "dITStructureRules",
                        "nameForms",
                        "createTimestamp",
                        "modifyTimestamp",
                        "*",
                        "+")))
        .lookup(36, LDAP3.of(user(3)))
        .unbind();
  }

  static void jndi(Trace trace) {
    trace
        .connect("jndi")
        .lookup(37, JNDI.of(user(3)))
        .lookup(37, JNDI.of(search(person(3)).baseScope()))
        .lookup(37, JNDI_FOLLOW.of(user(3)))
        .unbind(new ManageDsaITRequestControl(false));
  }

  static void libldap(Trace trace) {
    trace.connect().lookup(38, LIBLDAP.of(user(3))).unbind();
    trace.connect("any").lookup(38, LIBLDAP.of(user(3))).unbind();
  }

  static void netLdap(Trace trace) {
    trace.connect("any").lookup(38, NET_LDAP.of(user(3))).unbind();
  }

  static void ldapts(Trace trace) {
    trace.connect("any").lookup(38, LDAPTS.of(user(3))).unbind();
  }
}
