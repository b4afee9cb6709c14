// SPDX-License-Identifier: Apache-2.0
package io.stoa.trace;

import static io.stoa.testing.Requests.search;
import static io.stoa.trace.Fingerprint.FREERADIUS;
import static io.stoa.trace.Fingerprint.LIBLDAP;
import static io.stoa.trace.TraceDirectory.DOMAINS;
import static io.stoa.trace.TraceDirectory.GROUPS;
import static io.stoa.trace.TraceDirectory.MAPS;
import static io.stoa.trace.TraceDirectory.PEOPLE;
import static io.stoa.trace.TraceDirectory.STAFF;
import static io.stoa.trace.TraceDirectory.account;
import static io.stoa.trace.TraceDirectory.person;

import io.stoa.testing.RawRequest;
import java.util.List;
import java.util.stream.IntStream;

/** Mail, names and network access: Postfix, Dovecot, PowerDNS, FreeRADIUS. Stateless. */
final class ServiceClients {
  private static final String[] RADIUS = {
    "userPassword",
    "radiusControlAttribute",
    "radiusRequestAttribute",
    "radiusReplyAttribute",
    "radiusProfileDn",
    "ntPassword",
    "lmPassword",
    "sambaNtPassword",
    "sambaLmPassword",
    "dBCSPwd",
    "acctFlags",
    "radiusTunnelType",
    "radiusFilterId",
    "memberOf",
    "uid"
  };

  private static final String[] RECORDS =
      ("dc associatedDomain sOARecord nSRecord aRecord aAAARecord cNAMERecord pTRRecord mXRecord"
              + " tXTRecord rPRecord sRVRecord nAPTRRecord lOCRecord aFSDBRecord sIGRecord"
              + " kEYRecord dSRecord sSHFPRecord dNSTTL modifyTimestamp")
          .split(" ", -1);

  private ServiceClients() {}

  /** Kept open; most of what it asks for is not there. */
  static void postfix(Trace trace) {
    try (TracedConnection kept = trace.connect("postfix")) {
      for (String address : List.of(trace.uid(), "nobody", "postmaster", "spam-1", "spam-2")) {
        kept.lookup(27, mail("(mailacceptinggeneralid=" + address + ")", "maildrop"));
        kept.lookup(27, mail("(maildrop=" + address + ")", "uid"));
        kept.lookup(
            27,
            mail("(|(mailacceptinggeneralid=" + address + ")(maildrop=" + address + "))", "uid"));
      }
      for (int i = 0; i < 3; i++) {
        kept.lookup(
            28, LIBLDAP.of(search(person(trace.user() + i)).baseScope().attributes("mail")));
      }
      kept.lookup(28, LIBLDAP.of(search("uid=gone," + PEOPLE).baseScope().attributes("mail")));
    }
  }

  private static RawRequest mail(String filter, String attribute) {
    return LIBLDAP.of(search(PEOPLE).filter(filter).attributes(attribute));
  }

  /** One connection, and many requests before the first answer. */
  static void dovecot(Trace trace) {
    try (TracedConnection connection = trace.connect("dovecot")) {
      connection
          .pipeline(29, IntStream.range(0, 20).mapToObj(i -> mailUser(trace.user() + i)).toList())
          .lookup(
              30,
              LIBLDAP.of(
                  search(PEOPLE)
                      .filter("(&(objectClass=posixAccount)(uid=" + trace.uid() + "))")
                      .attributes("mailSieveRuleSource", "modifyTimestamp")));
    }
    trace.connect().bind(trace.person(), trace.password()).unbind();
  }

  private static RawRequest mailUser(int number) {
    return LIBLDAP.of(
        search(PEOPLE)
            .filter("(&(objectClass=posixAccount)(uid=user." + number + "))")
            .attributes("homeDirectory", "uidNumber", "gidNumber"));
  }

  /** Pooled; bound as the user and back on one and the same connection. */
  static void freeradius(Trace trace) {
    try (TracedConnection pooled = trace.connect("freeradius")) {
      pooled
          .lookup(33, FREERADIUS.of(search(MAPS).filter("(objectClass=radiusClient)")))
          .lookup(
              31,
              FREERADIUS.of(search(PEOPLE).filter("(uid=" + trace.uid() + ")").attributes(RADIUS)))
          .bind(trace.person(), trace.password())
          .bind(account("freeradius"), "service")
          .lookup(
              32,
              FREERADIUS.of(
                  search(GROUPS)
                      .filter(
                          "(&(objectClass=posixGroup)(|(member="
                              + trace.person()
                              + ")(memberUid="
                              + trace.uid()
                              + ")))")
                      .attributes("cn")))
          .lookup(32, FREERADIUS.of(search(trace.person()).baseScope().attributes("memberOf")))
          .lookup(32, FREERADIUS.of(search(STAFF).baseScope().attributes("cn")));
    }
  }

  static void powerDns(Trace trace) {
    try (TracedConnection connection = trace.connect("powerdns")) {
      connection
          .lookup(35, record("(associatedDomain=www1.example.com)"))
          .lookup(35, record("(&(associatedDomain=www1.example.com)(aRecord=*))"))
          .lookup(35, record("(associatedDomain=nothing.example.com)"))
          .lookup(35, record("(aRecord=10.0.1.2)"));
    }
  }

  private static RawRequest record(String filter) {
    return LIBLDAP.of(search(DOMAINS).filter(filter).attributes(RECORDS));
  }
}
