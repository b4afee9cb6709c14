// SPDX-License-Identifier: Apache-2.0
package io.stoa.trace;

import static io.stoa.testing.Requests.search;
import static io.stoa.trace.Fingerprint.LIBLDAP;
import static io.stoa.trace.TraceDirectory.GROUPS;
import static io.stoa.trace.TraceDirectory.MAPS;
import static io.stoa.trace.TraceDirectory.PEOPLE;
import static io.stoa.trace.TraceDirectory.STAFF;
import static io.stoa.trace.TraceDirectory.SUDOERS;
import static io.stoa.trace.TraceDirectory.SUFFIX;
import static io.stoa.trace.TraceDirectory.account;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.asn1.ASN1Sequence;
import com.unboundid.ldap.sdk.Control;
import io.stoa.testing.RawRequest;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What hosts ask for names, groups and rights: SSSD, nslcd, sudo. Stateless. */
final class HostClients {
  private static final Control PASSWORD_POLICY = new Control("1.3.6.1.4.1.42.2.27.8.5.1");

  /** What SSSD asks for of every user, in its order. */
  private static final String[] SSSD_USER =
      ("objectClass uid userPassword uidNumber gidNumber gecos homeDirectory loginShell"
              + " krbPrincipalName cn modifyTimestamp shadowLastChange shadowMin shadowMax"
              + " shadowWarning shadowInactive shadowExpire shadowFlag krbLastPwdChange"
              + " krbPasswordExpiration pwdAttribute authorizedService accountExpires"
              + " userAccountControl nsAccountLock host rhost loginDisabled loginExpirationTime"
              + " loginAllowedTimeMap sshPublicKey userCertificate;binary mail")
          .split(" ", -1);

  /** What it looks for in the root DSE; the last changes with every write of anybody. */
  private static final String[] LOOK =
      ("* altServer namingContexts supportedControl supportedExtension supportedFeatures"
              + " supportedLDAPVersion supportedSASLMechanisms domainControllerFunctionality"
              + " defaultNamingContext lastUSN highestCommittedUSN")
          .split(" ", -1);

  /**
   * Without what slapd makes of the TLS of its own connection: it goes on to offer StartTLS, and
   * offers more SASL mechanisms.
   */
  private static final String[] INSIDE_TLS =
      Stream.of(LOOK)
          .filter(name -> !name.matches("supportedExtension|supportedSASLMechanisms"))
          .toArray(String[]::new);

  private static final String[] SSSD_GROUP = {
    "objectClass", "cn", "userPassword", "gidNumber", "memberuid", "modifyTimestamp"
  };

  private static final String[] NSLCD_PASSWD = {
    "uid",
    "userPassword",
    "uidNumber",
    "gidNumber",
    "gecos",
    "cn",
    "homeDirectory",
    "loginShell",
    "objectClass"
  };

  private static final String USER = "(objectclass=posixAccount)";
  private static final String HAS_NUMBER = "(uid=*)(&(uidNumber=*)(!(uidNumber=0)))";

  /** So many times since when it asks take turns: they are days. */
  private static final int TIMES = 28;

  private static final int FULL = 6;

  private HostClients() {}

  /** One long connection for lookups, opened with an anonymous look; one more per login. */
  static void sssd(Trace trace) {
    try (TracedConnection connection = trace.connect()) {
      connection.always(6, rootDse()).bind(account("sssd"), "service", PASSWORD_POLICY);
      sssdUsers(connection, trace);
      sssdGroups(connection, trace, trace.run());
      sssdMaps(connection);
    }
    try (TracedConnection login = trace.connect()) {
      login.always(6, rootDse()).bind(trace.person(), trace.password(), PASSWORD_POLICY);
    }
  }

  /**
   * The same as it is configured against passwords in the clear: TLS first on every connection,
   * then the anonymous look, the bind, and from then on everything on one connection.
   */
  static void sssdByTls(Trace trace) {
    try (TracedConnection connection = trace.connectByTls()) {
      connection.always(6, rootDse(INSIDE_TLS)).bind(account("sssd"), "service", PASSWORD_POLICY);
      for (int i = 0; i < 2; i++) {
        sssdUsers(connection, trace);
        sssdGroups(connection, trace, 2 * trace.run() + i);
      }
      connection.pages(5, search(PEOPLE).filter(USER).attributes(SSSD_USER), 5);
      sssdMaps(connection);
    }
    try (TracedConnection login = trace.connectByTls()) {
      login.always(6, rootDse(INSIDE_TLS)).bind(trace.person(), trace.password(), PASSWORD_POLICY);
    }
    try (TracedConnection login = trace.connectByTls()) {
      login.always(6, rootDse(INSIDE_TLS)).bind(trace.person(), "wrong", PASSWORD_POLICY);
    }
  }

  private static RawRequest rootDse() {
    return rootDse(LOOK);
  }

  private static RawRequest rootDse(String[] attributes) {
    return LIBLDAP.of(search("").baseScope().attributes(attributes));
  }

  private static RawRequest user(String condition) {
    String filter = "(&" + condition + USER + HAS_NUMBER + ")";
    return LIBLDAP.of(search(SUFFIX).filter(filter).attributes(SSSD_USER));
  }

  private static void sssdUsers(TracedConnection connection, Trace trace) {
    String uid = trace.uid();
    connection
        .lookup(1, user("(uid=" + uid + ")"))
        .lookup(1, user("(uid=nobody)"))
        .lookup(2, user("(uidNumber=" + trace.number() + ")"))
        .lookup(
            4,
            user(
                "(|(krbPrincipalName=%1$s)(mail=%1$s)(krbPrincipalName=%1$s\\5c\\5c@EXAMPLE.COM))"
                    .formatted(uid)));
  }

  /**
   * @param run makes the time since when it asks another one in each run
   */
  private static void sssdGroups(TracedConnection connection, Trace trace, int run) {
    String since = since(run % TIMES);
    connection
        .lookup(
            3,
            Fingerprint.SSSD_PAGED.of(
                search(SUFFIX)
                    .filter(
                        "(&(memberUid="
                            + trace.uid()
                            + ")(objectClass=posixGroup)(cn=*)(&(gidNumber=*)(!(gidNumber=0))))")
                    .attributes(SSSD_GROUP)))
        .always(
            5,
            Fingerprint.SSSD_PAGED.of(
                search(SUFFIX)
                    .filter(
                        "(&(objectclass=posixAccount)(uid=*)(uidNumber=*)(gidNumber=*)"
                            + "(modifyTimestamp>="
                            + since
                            + ")(!(modifyTimestamp="
                            + since
                            + ")))")
                    .attributes(SSSD_USER)))
        .lookup(9, LIBLDAP.of(search(trace.person()).baseScope().attributes(SSSD_USER)))
        .always(9, LIBLDAP.of(search(STAFF).baseScope().attributes("1.1")).with(dereference()));
  }

  /** Everybody at first, then who changed since it last asked. */
  private static String since(int time) {
    return (time < FULL ? 20230101 + time : 20250101 + time) + "000000Z";
  }

  /** The entries behind the members, with each group (draft-masarati-ldap-deref). */
  private static Control dereference() {
    ASN1Sequence attributes =
        new ASN1Sequence(new ASN1OctetString("uid"), new ASN1OctetString("cn"));
    ASN1Sequence spec = new ASN1Sequence(new ASN1OctetString("member"), attributes);
    return new Control(
        "1.3.6.1.4.1.4203.666.5.16", true, new ASN1OctetString(new ASN1Sequence(spec).encode()));
  }

  private static void sssdMaps(TracedConnection connection) {
    connection
        .lookup(7, map("(&(cn=net)(objectclass=nisNetgroup))", "cn", "nisNetgroupTriple"))
        .lookup(
            7,
            map(
                "(&(cn=ldap)(ipServiceProtocol=tcp)(objectclass=ipService))",
                "cn",
                "ipServicePort"))
        .lookup(
            7, map("(&(automountMapName=auto.home)(objectclass=automountMap))", "automountMapName"))
        .lookup(
            8,
            LIBLDAP.of(
                search(SUDOERS)
                    .filter(
                        "(&(objectClass=sudoRole)(|(&(!(sudoHost=*))(cn=defaults))(sudoHost=ALL)"
                            + "(sudoHost=host)(sudoHost=10.0.0.1)(sudoHost=+*)))")))
        .lookup(
            8,
            LIBLDAP.of(
                search(SUDOERS)
                    .filter(
                        "(&(objectClass=sudoRole)(entryUSN>=5)(|(&(!(sudoHost=*))(cn=defaults))"
                            + "(sudoHost=ALL)(sudoHost=host)(sudoHost=10.0.0.1)(sudoHost=+*)))")));
  }

  private static RawRequest map(String filter, String... attributes) {
    return LIBLDAP.of(search(MAPS).filter(filter).attributes(attributes));
  }

  /** A connection for each of its threads, and one per login. */
  static void nslcd(Trace trace) {
    try (TracedConnection first = trace.connect("nslcd");
        TracedConnection second = trace.connect("nslcd")) {
      for (TracedConnection thread : new TracedConnection[] {first, second}) {
        nslcdNames(thread, trace);
      }
      nslcdMaps(first, trace);
    }
    trace.connect().bind(trace.person(), trace.password(), PASSWORD_POLICY).unbind();
    trace.connect().bind(trace.person(), "wrong", PASSWORD_POLICY).unbind();
  }

  private static void nslcdNames(TracedConnection connection, Trace trace) {
    String passwd = "(&(objectClass=posixAccount)(%s))";
    connection
        .lookup(10, passwd(passwd.formatted("uid=" + trace.uid())))
        .lookup(10, passwd(passwd.formatted("uidNumber=" + trace.number())))
        .lookup(
            11,
            group(
                "(&(objectClass=posixGroup)(|(memberUid=%s)(member=%s)))"
                    .formatted(trace.uid(), trace.person())))
        .lookup(12, group("(&(objectClass=posixGroup)(cn=wheel))"))
        .lookup(12, group("(&(objectClass=posixGroup)(gidNumber=10))"));
  }

  private static RawRequest passwd(String filter) {
    return LIBLDAP.of(search(PEOPLE).filter(filter).attributes(NSLCD_PASSWD));
  }

  private static RawRequest group(String filter) {
    return LIBLDAP.of(
        search(GROUPS).filter(filter).attributes("cn", "gidNumber", "memberUid", "member"));
  }

  private static void nslcdMaps(TracedConnection connection, Trace trace) {
    connection
        .lookup(
            13,
            LIBLDAP.of(
                search(PEOPLE)
                    .filter("(&(objectClass=shadowAccount)(uid=" + trace.uid() + "))")
                    .attributes("uid", "userPassword", "shadowLastChange", "shadowMax")))
        .lookup(13, map("(&(objectClass=ipHost)(ipHostNumber=10.0.0.1))", "cn", "ipHostNumber"))
        .lookup(
            13, map("(&(objectClass=ipService)(ipServicePort=389)(ipServiceProtocol=tcp))", "cn"))
        .lookup(
            14,
            map(
                "(&(objectClass=ieee802Device)(|(macAddress=0:1:2:3:4:5)"
                    + "(macAddress=00:01:02:03:04:05)))",
                "cn",
                "macAddress"));
  }

  /** A fresh connection for each command: the defaults, then everything the user may match. */
  static void sudo(Trace trace) {
    String terms =
        IntStream.range(0, 30)
            .mapToObj(i -> "(sudoUser=%group" + i + ")")
            .collect(Collectors.joining());
    trace
        .connect("sudo")
        .lookup(15, LIBLDAP.of(search(SUDOERS).filter("(cn=defaults)")))
        .lookup(
            15,
            LIBLDAP.of(
                search(SUDOERS)
                    .filter(
                        "(|(sudoUser="
                            + trace.uid()
                            + ")(sudoUser=%wheel)"
                            + terms
                            + "(sudoUser=ALL))")))
        .unbind();
  }
}
