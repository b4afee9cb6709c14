// SPDX-License-Identifier: Apache-2.0
package io.stoa.trace;

import io.stoa.testing.Ldif;
import io.stoa.testing.SlapdConfig;
import java.util.Locale;

/**
 * One directory for every client of the trace: people with all kinds of accounts, groups of three
 * kinds, hosts, services, maps, sudo rules, domains, and a service account per client. Stateless.
 */
final class TraceDirectory {
  static final String SUFFIX = "dc=example,dc=com";
  static final String PEOPLE = "ou=people," + SUFFIX;
  static final String GROUPS = "ou=groups," + SUFFIX;
  static final String MAPS = "ou=maps," + SUFFIX;
  static final String SUDOERS = "ou=sudoers," + SUFFIX;
  static final String DOMAINS = "ou=domains," + SUFFIX;
  static final String STAFF = "cn=staff," + GROUPS;

  static final int FIRST_NUMBER = 1000;

  /** The one who is in every group. */
  static final int ADMINISTRATOR = 3;

  private static final String ACCOUNTS = "ou=accounts," + SUFFIX;
  private static final int SIZE = 20;
  private static final String[] UNITS = {
    "people", "groups", "maps", "sudoers", "domains", "accounts"
  };
  private static final String SERVICE = "service";
  private static final String[] CLIENTS = {
    "sssd", "nslcd", "sudo", "gitlab", "jenkins", "spring", "keycloak", "vault", "grafana",
    "postfix", "dovecot", "freeradius", "apache", "powerdns", "nextcloud", "ldap3", "jndi", "any"
  };

  private TraceDirectory() {}

  static String person(int number) {
    return "uid=user." + number + "," + PEOPLE;
  }

  /** With which an account or a person binds. */
  static String password(String dn) {
    int dot = dn.indexOf('.');
    return dot < 0 ? SERVICE : "pw-" + dn.substring(dot + 1, dn.indexOf(','));
  }

  static String account(String client) {
    return "cn=" + client + "," + ACCOUNTS;
  }

  /** The entryUUID of a person: the identifiers follow the order of the entries. */
  static String uuid(int number) {
    int before = 1 + UNITS.length + CLIENTS.length;
    return String.format(Locale.ROOT, "5eed0000-0000-4000-8000-%012x", before + number + 1);
  }

  static SlapdConfig config() {
    return config(SIZE);
  }

  /** The same with so many people. */
  static SlapdConfig config(int people) {
    return SlapdConfig.stock()
        .module("deref")
        .module("memberof")
        .module("ppolicy")
        .global(TraceSchema.lines())
        .database(
            SUFFIX,
            """
            index objectClass,uid,cn eq
            access to attrs=userPassword by anonymous auth by * none
            access to * by * read
            overlay deref
            overlay memberof
            overlay ppolicy
            """,
            content(people));
  }

  private static Ldif content(int people) {
    Ldif ldif = new Ldif();
    ldif.entry(SUFFIX, "objectClass: domain", "dc: example");
    for (String unit : UNITS) {
      ldif.entry("ou=" + unit + "," + SUFFIX, "objectClass: organizationalUnit", "ou: " + unit);
    }
    for (String client : CLIENTS) {
      ldif.entry(
          account(client),
          "objectClass: applicationProcess",
          "objectClass: simpleSecurityObject",
          "cn: " + client,
          "userPassword: " + SERVICE);
    }
    for (int i = 0; i < people; i++) {
      person(ldif, i);
    }
    groups(ldif, people);
    maps(ldif);
    sudoers(ldif);
    domains(ldif);
    return ldif;
  }

  private static void person(Ldif ldif, int number) {
    String uid = "user." + number;
    ldif.entry(
        person(number),
        "objectClass: inetOrgPerson",
        "objectClass: posixAccount",
        "objectClass: shadowAccount",
        "objectClass: account2",
        "uid: " + uid,
        "cn: User " + number,
        "sn: Number" + number,
        "givenName: User",
        "mail: " + uid + "@example.com",
        "uidNumber: " + (FIRST_NUMBER + number),
        "gidNumber: 100",
        "gecos: User " + number,
        "homeDirectory: /home/" + uid,
        "loginShell: /bin/bash",
        "shadowLastChange: 19000",
        "shadowMax: 99999",
        "krbPrincipalName: " + uid + "@EXAMPLE.COM",
        "sshPublicKey: ssh-ed25519 AAAA" + number,
        "sAMAccountName: " + uid,
        "userPrincipalName: " + uid + "@example.com",
        "mailacceptinggeneralid: " + uid,
        "maildrop: " + uid + "@mail.example.com",
        "mailSieveRuleSource: keep;",
        "memberOf: " + STAFF,
        "userPassword: pw-" + number);
  }

  private static void groups(Ldif ldif, int people) {
    StringBuilder members = new StringBuilder();
    StringBuilder uids = new StringBuilder();
    for (int i = 0; i < people; i++) {
      members.append("member: ").append(person(i)).append('\n');
      uids.append("memberUid: user.").append(i).append('\n');
    }
    ldif.entry(STAFF, "objectClass: groupOfNames", "cn: staff", members.toString().strip());
    ldif.entry(
        "cn=users," + GROUPS,
        "objectClass: posixGroup",
        "cn: users",
        "gidNumber: 100",
        uids.toString().strip());
    ldif.entry(
        "cn=wheel," + GROUPS,
        "objectClass: posixGroup",
        "cn: wheel",
        "gidNumber: 10",
        "memberUid: user." + ADMINISTRATOR);
    ldif.entry(
        "cn=unique," + GROUPS,
        "objectClass: groupOfUniqueNames",
        "cn: unique",
        "uniqueMember: " + person(ADMINISTRATOR));
    ldif.entry(
        "cn=domain," + GROUPS,
        "objectClass: group",
        "objectClass: account2",
        "cn: domain",
        "sAMAccountName: domain users",
        "member: " + person(ADMINISTRATOR));
  }

  private static void maps(Ldif ldif) {
    ldif.entry(
        "cn=net," + MAPS,
        "objectClass: nisNetgroup",
        "cn: net",
        "nisNetgroupTriple: (a,b,example.com)");
    ldif.entry(
        "cn=ldap+ipServiceProtocol=tcp," + MAPS,
        "objectClass: ipService",
        "cn: ldap",
        "ipServiceProtocol: tcp",
        "ipServicePort: 389");
    ldif.entry(
        "automountMapName=auto.home," + MAPS,
        "objectClass: automountMap",
        "automountMapName: auto.home");
    ldif.entry(
        "cn=host," + MAPS,
        "objectClass: device",
        "objectClass: ipHost",
        "objectClass: ieee802Device",
        "cn: host",
        "ipHostNumber: 10.0.0.1",
        "macAddress: 0:1:2:3:4:5");
    ldif.entry(
        "radiusClientIdentifier=nas," + MAPS,
        "objectClass: radiusClient",
        "radiusClientIdentifier: nas");
  }

  private static void sudoers(Ldif ldif) {
    ldif.entry("cn=defaults," + SUDOERS, "objectClass: sudoRole", "cn: defaults");
    ldif.entry(
        "cn=everything," + SUDOERS,
        "objectClass: sudoRole",
        "cn: everything",
        "sudoUser: %wheel",
        "sudoUser: user." + ADMINISTRATOR,
        "sudoHost: ALL",
        "sudoCommand: ALL");
  }

  private static void domains(Ldif ldif) {
    for (int i = 1; i <= 3; i++) {
      ldif.entry(
          "dc=www" + i + "," + DOMAINS,
          "objectClass: dNSDomain",
          "objectClass: domainRelatedObject",
          "dc: www" + i,
          "associatedDomain: www" + i + ".example.com",
          "aRecord: 10.0.1." + i);
    }
  }
}
