// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import io.stoa.testing.Ds389Config;
import io.stoa.testing.Ldif;
import io.stoa.testing.SlapdConfig;
import java.util.stream.Stream;

/**
 * The directory of the differential test: people (some with passwords), groups, a referral, aliases
 * (one of them dangling), a subentry, entries with options, binary and awkward names, values of
 * every syntax, more people than the bypass limit, and access rules under which every identity sees
 * something else.
 */
public final class Directory {
  public static final String SUFFIX = "dc=example,dc=org";
  public static final String OTHER = "dc=other,dc=org";
  public static final String PEOPLE = "ou=people," + SUFFIX;
  public static final String GROUPS = "ou=groups," + SUFFIX;
  public static final String CROWD = "ou=crowd," + SUFFIX;
  public static final String ODD = "ou=odd," + SUFFIX;
  public static final String WORK = "ou=work," + SUFFIX;
  public static final String ROOT = "cn=admin," + SUFFIX;
  public static final String ROOT_PASSWORD = SlapdConfig.ROOT_PASSWORD;
  public static final String VALUES = "ou=values," + SUFFIX;
  public static final String REFERRAL = "cn=elsewhere," + ODD;
  public static final String ALIAS = "cn=shortcut," + ODD;
  public static final String DANGLING = "cn=dangling," + ODD;
  public static final String LOCKOUT = "cn=lockout," + SUFFIX;
  public static final String SUBENTRY = "cn=policy," + SUFFIX;

  /**
   * People with a password: alice, bob, the manager of people, a service, one who may proxy; and
   * two under a password policy: victim, who may be locked out, and reset, who must choose another.
   */
  public static final String ALICE = person("alice");

  public static final String BOB = person("bob");
  public static final String MANAGER = person("manager");
  public static final String SERVICE = person("service");
  public static final String PROXY = person("proxy");

  /** As whom Stoa binds in proxied-authorization mode: it may act for everybody. */
  public static final String STOA = "cn=stoa," + OTHER;

  public static final String STOA_PASSWORD = "pw-stoa";

  private static final int STAFF = 30;
  private static final int CROWD_SIZE = 130;

  private Directory() {}

  public static String person(String uid) {
    return "uid=" + uid + "," + PEOPLE;
  }

  public static SlapdConfig config() {
    return SlapdConfig.stock()
        .module("deref")
        .module("sssvlv")
        .module("memberof")
        .module("syncprov")
        .module("ppolicy")
        .module("valsort")
        .module("dds")
        .module("collect")
        .global("sizelimit 400")
        .global("authz-policy to")
        .database(SUFFIX, settings(), content(Dialect.SLAPD))
        .database(OTHER, otherSettings(), otherContent(Dialect.SLAPD));
  }

  /** The same for 389-ds, with access rules of the same meaning. */
  public static Ds389Config ds389() {
    String anybody =
        aci("(targetattr!=\"aci || userPassword\")", "allow (read,search,compare)", "anyone");
    String stoa = aci("(targetattr=\"*\")", "allow (proxy)", STOA);
    return Ds389Config.stock()
        .plugin("MemberOf Plugin")
        .plugin("Retro Changelog Plugin")
        .plugin("Content Synchronization")
        .set("cn=config", "nsslapd-rootdn", ROOT)
        .saslNames(SUFFIX)
        .set("cn=config", "nsslapd-sizelimit", "400")
        .database(SUFFIX, content(Dialect.DS389, access()))
        .database(OTHER, otherContent(Dialect.DS389, anybody, stoa));
  }

  private static String[] access() {
    String read = "allow (read,search,compare)";
    String manager = MANAGER;
    String people = "(target=\"ldap:///" + PEOPLE + "\")";
    String hidden = "(target=\"ldap:///" + person("hidden") + "\")(targetattr=\"*\")";
    String most =
        "(targetattr!=\"userPassword || aci || description || telephoneNumber || member\")";
    return new String[] {
      aci(most, read, "anyone"),
      aci("(targetattr=\"*\")", "allow (all)", manager),
      aci("(targetattr=\"member\")", read, "all"),
      aci(people + "(targetattr!=\"aci\")", "allow (read,search,compare,write)", "self"),
      aci(
          people + "(targetattr=\"telephoneNumber\")(targetfilter=\"(!(l=Secret))\")",
          read,
          "anyone"),
      aci("(target!=\"ldap:///" + PEOPLE + "\")(targetattr=\"description\")", read, "anyone"),
      aci("(target=\"ldap:///" + WORK + "\")(targetattr=\"*\")", "allow (all)", "all"),
      aci("(targetattr=\"*\")", "allow (proxy)", PROXY),
      aci("(targetattr=\"*\")", "allow (proxy)", STOA),
      "aci: "
          + hidden
          + "(version 3.0; acl \"hidden\"; deny (all) userdn!=\"ldap:///"
          + manager
          + "\";)"
    };
  }

  private static String aci(String target, String rights, String who) {
    return "aci: %s(version 3.0; acl \"a rule\"; %s userdn=\"ldap:///%s\";)"
        .formatted(target, rights, who);
  }

  private static String otherSettings() {
    return "access to attrs=userPassword by anonymous auth\naccess to * by * read";
  }

  private static String settings() {
    return """
    access to attrs=userPassword by self write by dn.base="%2$s" write by anonymous auth
      by * none
    access to dn.subtree="ou=people,%1$s" attrs=description
      by self read by dn.base="%2$s" write by * none
    access to dn.subtree="ou=people,%1$s" attrs=telephoneNumber filter=(l=Secret)
      by dn.base="%2$s" write by * none
    access to dn.base="uid=hidden,ou=people,%1$s"
      by dn.base="%2$s" write by * none
    access to dn.subtree="ou=people,%1$s"
      by dn.base="%2$s" write by self write by users read by anonymous read
    access to dn.subtree="ou=groups,%1$s" attrs=member
      by users read by * none
    access to dn.subtree="ou=work,%1$s"
      by dn.base="%2$s" write by users read by * none
    access to *
      by * read
    overlay deref
    overlay sssvlv
    sssvlv-max 64
    sssvlv-maxperconn 32
    overlay memberof
    overlay ppolicy
    overlay valsort
    overlay dds
    overlay collect
    collectinfo "cn=tree,%3$s" l
    overlay syncprov
    """
        .formatted(SUFFIX, MANAGER, ODD);
  }

  private static Ldif otherContent(Dialect dialect, String... access) {
    Ldif ldif = dialect.ldif();
    ldif.entry(OTHER, lines(access, "objectClass: domain", "dc: other"));
    ldif.entry("cn=alone," + OTHER, "objectClass: device", "cn: alone", "serialNumber: 1");
    String[] account = {
      "objectClass: person", "cn: stoa", "sn: Stoa", "userPassword: " + STOA_PASSWORD
    };
    ldif.entry(STOA, lines(dialect.mayActFor("."), account));
    return ldif;
  }

  private static String[] lines(String[] access, String... lines) {
    return Stream.of(lines, access).flatMap(Stream::of).toArray(String[]::new);
  }

  private static Ldif content(Dialect dialect, String... access) {
    Ldif ldif = dialect.ldif();
    String[] suffix = {"objectClass: domain", "dc: example", "description: the suffix"};
    ldif.entry(SUFFIX, lines(access, suffix));
    for (String unit : new String[] {"people", "groups", "crowd", "odd", "work", "values"}) {
      ldif.entry("ou=" + unit + "," + SUFFIX, "objectClass: organizationalUnit", "ou: " + unit);
    }
    people(ldif, dialect);
    crowd(ldif);
    groups(ldif);
    odd(ldif);
    SampleValues.addTo(ldif);
    ldif.entry(SUBENTRY, lines(dialect.subentry(), "cn: policy"));
    ldif.entry(LOCKOUT, lines(dialect.policy(), "cn: lockout", "objectClass: device"));
    return ldif;
  }

  private static void people(Ldif ldif, Dialect dialect) {
    login(ldif, "alice");
    login(ldif, "bob");
    login(ldif, "manager");
    login(ldif, "service");
    login(ldif, "victim", dialect.underPolicy(LOCKOUT));
    login(ldif, "reset", lines(dialect.underPolicy(LOCKOUT), dialect.mustChangePassword()));
    login(ldif, "proxy", dialect.mayActFor("^uid=(alice|bob),ou=people,dc=example,dc=org$"));
    staff(ldif, "hidden", 900, "Hidden");
    for (int i = 0; i < STAFF; i++) {
      staff(ldif, "staff" + i, i, i % 5 == 0 ? "Secret" : "City " + i % 7);
    }
  }

  private static void login(Ldif ldif, String uid, String... more) {
    ldif.entry(
        person(uid),
        lines(
            more,
            "objectClass: inetOrgPerson",
            "uid: " + uid,
            "cn: " + uid + " Login",
            "sn: Login",
            "mail: " + uid + "@example.org",
            "description: only for " + uid,
            "userPassword: pw-" + uid));
  }

  private static void staff(Ldif ldif, String uid, int number, String city) {
    ldif.entry(
        person(uid),
        "objectClass: top",
        "objectClass: person",
        "objectClass: organizationalPerson",
        "objectClass: inetOrgPerson",
        "objectClass: posixAccount",
        "uid: " + uid,
        "cn: Staff Person " + number,
        "cn;lang-de: Mitarbeiter " + number,
        "cn;lang-fr: Employé " + number,
        "sn: Person" + number,
        "givenName: Staff",
        "mail: " + uid + "@example.org",
        "mail: " + uid + "@alias.example.org",
        "telephoneNumber: +1 555 " + (1000 + number),
        "employeeNumber: " + number,
        "uidNumber: " + (10_000 + number),
        "gidNumber: " + (100 + number % 3),
        "homeDirectory: /home/" + uid,
        "l: " + city,
        "description: described " + uid);
  }

  private static void crowd(Ldif ldif) {
    for (int i = 0; i < CROWD_SIZE; i++) {
      ldif.entry("cn=crowd" + i + "," + CROWD, "objectClass: device", "cn: crowd" + i);
    }
  }

  private static void groups(Ldif ldif) {
    for (int i = 0; i < 5; i++) {
      ldif.entry(
          "cn=group" + i + "," + GROUPS,
          "objectClass: groupOfNames",
          "cn: group" + i,
          "member: " + person("staff" + i),
          "member: " + person("staff" + (i + 1)),
          "member: " + ALICE);
    }
  }

  private static void odd(Ldif ldif) {
    ldif.entry(
        REFERRAL,
        "objectClass: referral",
        "objectClass: extensibleObject",
        "cn: elsewhere",
        "ref: ldap://elsewhere.example.net/ou=people,dc=example,dc=net");
    alias(ldif, "shortcut", person("staff1"));
    alias(ldif, "dangling", person("nobody"));
    ldif.entry("cn=tree," + ODD, "objectClass: device", "cn: tree", "l: Athens");
    ldif.entry("cn=leaf,cn=tree," + ODD, "objectClass: device", "cn: leaf");
    ldif.entry("cn=comma\\, inside," + ODD, "objectClass: device", "cn: comma, inside");
    ldif.entry("cn=a+serialNumber=7," + ODD, "objectClass: device", "cn: a", "serialNumber: 7");
    ldif.entry("cn=Zoë," + ODD, "objectClass: device", "cn: Zoë", "description: naïve — façade ☃");
    ldif.entry(
        "cn=binary," + ODD,
        "objectClass: inetOrgPerson",
        "cn: binary",
        "sn: binary",
        "jpegPhoto:: /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAP8A/wCA",
        "audio:: AAECAwQFBgcICf8=");
    ldif.entry(
        "cn=long," + ODD, "objectClass: device", "cn: long", "description: " + "x".repeat(20_000));
  }

  private static void alias(Ldif ldif, String cn, String target) {
    ldif.entry(
        "cn=" + cn + "," + ODD,
        "objectClass: alias",
        "objectClass: extensibleObject",
        "cn: " + cn,
        "aliasedObjectName: " + target);
  }
}
