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
import static io.stoa.trace.TraceDirectory.account;

import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import io.stoa.testing.SearchBuilder;

/** Scripts and tools, by the library that they are written with. Stateless. */
final class LibraryClients {
  private LibraryClients() {}

  private static SearchBuilder user(Trace trace) {
    return search(PEOPLE).filter("(cn=" + trace.name() + ")").attributes("cn", "mail");
  }

  /** The root DSE and the whole schema for each connection, after the bind. */
  static void ldap3(Trace trace) {
    ldap3(trace, trace.connect());
  }

  /** The same where TLS is started first: the root DSE then tells of another connection. */
  static void ldap3ByTls(Trace trace) {
    ldap3(trace, trace.connectByTls());
  }

  private static void ldap3(Trace trace, TracedConnection fresh) {
    fresh
        .bind(account("ldap3"), "service")
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
        .lookup(36, LDAP3.of(user(trace)))
        .unbind();
  }

  static void jndi(Trace trace) {
    trace
        .connect("jndi")
        .lookup(37, JNDI.of(user(trace)))
        .lookup(37, JNDI.of(search(trace.person()).baseScope()))
        .lookup(37, JNDI_FOLLOW.of(user(trace)))
        .unbind(new ManageDsaITRequestControl(false));
  }

  static void libldap(Trace trace) {
    trace.connect().lookup(38, LIBLDAP.of(user(trace))).unbind();
    trace.connect("any").lookup(38, LIBLDAP.of(user(trace))).unbind();
  }

  static void netLdap(Trace trace) {
    trace.connect("any").lookup(38, NET_LDAP.of(user(trace))).unbind();
  }

  static void ldapts(Trace trace) {
    trace.connect("any").lookup(38, LDAPTS.of(user(trace))).unbind();
  }
}
