// SPDX-License-Identifier: Apache-2.0
package io.stoa.trace;

import static io.stoa.testing.Requests.compare;
import static io.stoa.testing.Requests.search;
import static io.stoa.trace.Fingerprint.APACHE;
import static io.stoa.trace.Fingerprint.JNDI;
import static io.stoa.trace.Fingerprint.LIBLDAP;
import static io.stoa.trace.Fingerprint.RUBY;
import static io.stoa.trace.TraceDirectory.GROUPS;
import static io.stoa.trace.TraceDirectory.PEOPLE;
import static io.stoa.trace.TraceDirectory.STAFF;
import static io.stoa.trace.TraceDirectory.account;

import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import io.stoa.testing.RawRequest;
import java.util.List;

/**
 * Applications that people log in to: who is it, is the password right, which groups? Stateless.
 */
final class LoginClients {
  private static final String PRESENT = "(objectClass=*)";
  private static final List<String> KEYCLOAK =
      List.of("uid", "mail", "sn", "cn", "createTimestamp", "modifyTimestamp", "entryUUID");

  private LoginClients() {}

  /** Ruby: everything anew for each call, the root DSE included. */
  static void gitlab(Trace trace) {
    RawRequest user =
        RUBY.of(
            search(PEOPLE)
                .filter("(uid=" + trace.uid() + ")")
                .sizeLimit(1)
                .attributes("dn", "uid", "cn", "mail"));
    rubyCall(trace).lookup(16, user).unbind();
    trace.connect().bind(trace.person(), trace.password()).unbind();
    rubyCall(trace)
        .lookup(
            16,
            RUBY.of(
                search(PEOPLE)
                    .filter("(&(uid=" + trace.uid() + ")(objectClass=inetOrgPerson))")
                    .attributes("dn", "uid", "cn", "mail")))
        .unbind();
    rubyCall(trace)
        .lookup(
            17,
            RUBY.of(
                search(trace.person())
                    .baseScope()
                    .filter("(objectClass=inetOrgPerson)")
                    .attributes("dn")))
        .unbind();
  }

  private static TracedConnection rubyCall(Trace trace) {
    RawRequest rootDse =
        LIBLDAP.of(
            search("")
                .baseScope()
                .attributes(
                    "namingContexts",
                    "supportedLdapVersion",
                    "altServer",
                    "supportedControl",
                    "supportedExtension",
                    "supportedFeatures",
                    "supportedSASLMechanisms"));
    return trace.connect().lookup(16, rootDse).bind(account("gitlab"), "service");
  }

  /** JNDI; the user's password is tried on a connection of its own. */
  static void jenkins(Trace trace) {
    try (TracedConnection service = trace.connect("jenkins")) {
      service.lookup(18, JNDI.of(search(PEOPLE).filter("(uid=" + trace.uid() + ")")));
      trace
          .connect()
          .bind(trace.person(), trace.password())
          .unbind(new ManageDsaITRequestControl(false));
      service
          .lookup(
              19,
              JNDI.of(
                  search(GROUPS)
                      .filter(
                          "(&(cn=staff)(|(objectclass=groupOfNames)"
                              + "(objectclass=groupOfUniqueNames)(objectclass=posixGroup)))")
                      .attributes("cn")))
          .lookup(
              20,
              JNDI.of(
                  search(GROUPS)
                      .filter(
                          "(|(member=%1$s)(uniqueMember=%1$s)(memberUid=%2$s))"
                              .formatted(trace.person(), trace.uid()))
                      .attributes("cn")));
    }
  }

  /** Groups are searched as the user, one level deep. */
  static void spring(Trace trace) {
    trace
        .connect("spring")
        .lookup(21, JNDI.of(search(PEOPLE).filter("(uid=" + trace.uid() + ")")))
        .unbind(new ManageDsaITRequestControl(false));
    trace
        .connect()
        .bind(trace.person(), trace.password())
        .lookup(21, JNDI.of(search(trace.person()).baseScope()))
        .lookup(
            21,
            JNDI.of(
                search(GROUPS)
                    .oneLevel()
                    .filter("(member=" + trace.person() + ")")
                    .attributes("cn")))
        .unbind(new ManageDsaITRequestControl(false));
  }

  /** The attributes come out of a hash set, in another order each time. */
  static void keycloak(Trace trace) {
    try (TracedConnection pooled = trace.connect("keycloak")) {
      for (int turn = 0; turn < KEYCLOAK.size(); turn++) {
        pooled.lookup(22, byId(trace, turn + trace.run()));
      }
      pooled.pages(
          23,
          search(PEOPLE)
              .deref(3)
              .filter("(&(objectclass=inetOrgPerson)(uid=*))")
              .attributes("uid", "entryUUID"),
          7);
    }
    trace
        .connect()
        .bind(trace.person(), trace.password())
        .unbind(new ManageDsaITRequestControl(false));
  }

  private static RawRequest byId(Trace trace, int turn) {
    String[] attributes = new String[KEYCLOAK.size() + 1];
    for (int i = 0; i < KEYCLOAK.size(); i++) {
      attributes[i] = KEYCLOAK.get((i + turn) % KEYCLOAK.size());
    }
    attributes[KEYCLOAK.size()] = "objectClass";
    return JNDI.of(
        search(PEOPLE)
            .filter("(&(objectClass=*)(entryUUID=" + trace.uuid() + "))")
            .attributes(attributes));
  }

  /** Names that are no DNs are Active Directory's: another directory refuses them. */
  static void vault(Trace trace) {
    trace
        .connect("vault")
        .lookup(24, LIBLDAP.of(search(PEOPLE).filter("(cn=" + trace.name() + ")")))
        .lookup(
            24,
            LIBLDAP.of(
                search(GROUPS)
                    .filter(
                        "(|(memberUid=%2$s)(member=%1$s)(uniqueMember=%1$s))"
                            .formatted(trace.person(), trace.uid()))
                    .attributes("cn")))
        .lookup(
            25,
            LIBLDAP.of(
                search(PEOPLE)
                    .filter(
                        "(|(userPrincipalName=%1$s@example.com)(sAMAccountName=%1$s))"
                            .formatted(trace.uid()))))
        .always(25, LIBLDAP.of(search("<SID=S-1-5-21-1-2-3-1103>").baseScope()))
        .unbind();
  }

  static void grafana(Trace trace) {
    trace
        .connect("grafana")
        .lookup(
            26,
            LIBLDAP.of(
                search(PEOPLE)
                    .filter("(cn=" + trace.name() + ")")
                    .attributes("givenName", "sn", "cn", "memberOf", "mail")))
        .bind(trace.person(), trace.password())
        .lookup(
            26,
            LIBLDAP.of(
                search(GROUPS)
                    .filter("(&(objectClass=posixGroup)(memberUid=" + trace.uid() + "))")
                    .attributes("cn")))
        .unbind();
  }

  /** Bound as the user and back on one and the same connection, and Compare for the groups. */
  static void apache(Trace trace) {
    RawRequest user =
        APACHE.of(
            search(PEOPLE)
                .filter("(&(objectClass=*)(uid=" + trace.uid() + "))")
                .attributes("uid", "cn", "mail"));
    try (TracedConnection pooled = trace.connect("apache")) {
      pooled
          .lookup(34, user)
          .bind(trace.person(), trace.password())
          .lookup(34, compare(STAFF, "member", trace.person()))
          .lookup(34, compare("cn=unique," + GROUPS, "uniquemember", trace.person()))
          .bind(account("apache"), "service")
          .lookup(34, user)
          .bind(trace.person(), "wrong")
          .bind(account("apache"), "service")
          .lookup(34, user);
    }
  }

  static void kanboardAndNextcloud(Trace trace) {
    trace
        .connect("nextcloud")
        .lookup(
            39, LIBLDAP.of(search(GROUPS).filter("(&(objectClass=group)(sAMAccountName=dom*))")))
        .lookup(
            39,
            Fingerprint.paged(500, false)
                .of(
                    search(PEOPLE)
                        .filter(
                            "(&(|(objectclass=inetOrgPerson))(|(uid=%1$s)(mail=%1$s)))"
                                .formatted(trace.uid()))
                        .attributes("entryuuid", "uid", "cn", "mail")))
        .lookup(39, LIBLDAP.of(search(trace.person()).baseScope().filter(PRESENT)))
        .unbind();
  }
}
