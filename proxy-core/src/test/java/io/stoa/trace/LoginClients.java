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
import static io.stoa.trace.TraceDirectory.person;

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
                .filter("(uid=user.5)")
                .sizeLimit(1)
                .attributes("dn", "uid", "cn", "mail"));
    rubyCall(trace).lookup(16, user).unbind();
    trace.connect().bind(person(5), "pw-5").unbind();
    rubyCall(trace)
        .lookup(
            16,
            RUBY.of(
                search(PEOPLE)
                    .filter("(&(uid=user.5)(objectClass=inetOrgPerson))")
                    .attributes("dn", "uid", "cn", "mail")))
        .unbind();
    rubyCall(trace)
        .lookup(
            17,
            RUBY.of(
                search(person(5))
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
      service.lookup(18, JNDI.of(search(PEOPLE).filter("(uid=user.6)")));
      trace.connect().bind(person(6), "pw-6").unbind(new ManageDsaITRequestControl(false));
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
                          "(|(member=%1$s)(uniqueMember=%1$s)(memberUid=user.6))"
                              .formatted(person(6)))
                      .attributes("cn")));
    }
  }

  /** Groups are searched as the user, one level deep. */
  static void spring(Trace trace) {
    trace
        .connect("spring")
        .lookup(21, JNDI.of(search(PEOPLE).filter("(uid=user.3)")))
        .unbind(new ManageDsaITRequestControl(false));
    trace
        .connect()
        .bind(person(3), "pw-3")
        .lookup(21, JNDI.of(search(person(3)).baseScope()))
        .lookup(
            21,
            JNDI.of(
                search(GROUPS).oneLevel().filter("(member=" + person(3) + ")").attributes("cn")))
        .unbind(new ManageDsaITRequestControl(false));
  }

  /** The attributes come out of a hash set, in another order each time. */
  static void keycloak(Trace trace) {
    try (TracedConnection pooled = trace.connect("keycloak")) {
      for (int turn = 0; turn < KEYCLOAK.size(); turn++) {
        pooled.lookup(22, byId(turn + trace.run()));
      }
      pooled.pages(
          23,
          search(PEOPLE)
              .deref(3)
              .filter("(&(objectclass=inetOrgPerson)(uid=*))")
              .attributes("uid", "entryUUID"),
          7);
    }
    trace.connect().bind(person(7), "pw-7").unbind(new ManageDsaITRequestControl(false));
  }

  private static RawRequest byId(int turn) {
    String[] attributes = new String[KEYCLOAK.size() + 1];
    for (int i = 0; i < KEYCLOAK.size(); i++) {
      attributes[i] = KEYCLOAK.get((i + turn) % KEYCLOAK.size());
    }
    attributes[KEYCLOAK.size()] = "objectClass";
    return JNDI.of(
        search(PEOPLE)
            .filter("(&(objectClass=*)(entryUUID=5eed0000-0000-4000-8000-000000000020))")
            .attributes(attributes));
  }

  /** Names that are no DNs are Active Directory's: another directory refuses them. */
  static void vault(Trace trace) {
    trace
        .connect("vault")
        .lookup(24, LIBLDAP.of(search(PEOPLE).filter("(cn=User 3)")))
        .lookup(
            24,
            LIBLDAP.of(
                search(GROUPS)
                    .filter(
                        "(|(memberUid=user.3)(member=%1$s)(uniqueMember=%1$s))"
                            .formatted(person(3)))
                    .attributes("cn")))
        .lookup(
            25,
            LIBLDAP.of(
                search(PEOPLE)
                    .filter("(|(userPrincipalName=user.3@example.com)(sAMAccountName=user.3))")))
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
                    .filter("(cn=User 8)")
                    .attributes("givenName", "sn", "cn", "memberOf", "mail")))
        .bind(person(8), "pw-8")
        .lookup(
            26,
            LIBLDAP.of(
                search(GROUPS)
                    .filter("(&(objectClass=posixGroup)(memberUid=user.8))")
                    .attributes("cn")))
        .unbind();
  }

  /** Bound as the user and back on one and the same connection, and Compare for the groups. */
  static void apache(Trace trace) {
    RawRequest user =
        APACHE.of(
            search(PEOPLE)
                .filter("(&(objectClass=*)(uid=user.9))")
                .attributes("uid", "cn", "mail"));
    try (TracedConnection pooled = trace.connect("apache")) {
      pooled
          .lookup(34, user)
          .bind(person(9), "pw-9")
          .lookup(34, compare(STAFF, "member", person(9)))
          .lookup(34, compare("cn=unique," + GROUPS, "uniquemember", person(9)))
          .bind(account("apache"), "service")
          .lookup(34, user)
          .bind(person(9), "wrong")
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
                        .filter("(&(|(objectclass=inetOrgPerson))(|(uid=user.3)(mail=user.3)))")
                        .attributes("entryuuid", "uid", "cn", "mail")))
        .lookup(39, LIBLDAP.of(search(person(3)).baseScope().filter(PRESENT)))
        .unbind();
  }
}
