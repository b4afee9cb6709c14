// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.clients;

import io.stoa.testing.Certificates;
import io.stoa.testing.Ds389Config;
import io.stoa.testing.Ldif;
import io.stoa.testing.SlapdConfig;

/**
 * The directory that every client library reads and writes: some people, more entries than a client
 * waits for, and a referral. Whoever runs the programme leaves it as it was. Stateless.
 */
final class ClientDirectory {
  static final String SUFFIX = "dc=example,dc=com";
  static final String PEOPLE = "ou=people," + SUFFIX;
  static final String CROWD = "ou=crowd," + SUFFIX;
  static final String ODD = "ou=odd," + SUFFIX;
  static final String REFERRAL = "cn=elsewhere," + ODD;
  static final String ADA = person("ada");
  static final String BEN = person("ben");
  static final String MANAGER = person("manager");

  private static final int CROWD_SIZE = 400;

  /** More than people: where a filter takes most of a tree, slapd's order is another in pages. */
  private static final int DEVICES = 20;

  private ClientDirectory() {}

  static String person(String uid) {
    return "uid=" + uid + "," + PEOPLE;
  }

  static SlapdConfig config(Certificates certificates) {
    return SlapdConfig.stock()
        .module("sssvlv")
        .tls(certificates, certificates.server())
        .database(SUFFIX, settings(), content(new Ldif()));
  }

  static Ds389Config ds389() {
    String read = "allow (read,search,compare)";
    String open = "(targetattr!=\"userPassword || aci || description\")";
    return Ds389Config.stock()
        .database(
            SUFFIX,
            content(
                Ldif.forDs389(),
                aci(open, read, "anyone"),
                aci("(targetattr=\"description\")", read, "self"),
                aci("(targetattr=\"userPassword\")", "allow (write)", "self"),
                aci("(targetattr=\"*\")", "allow (all)", MANAGER)));
  }

  private static String aci(String target, String rights, String who) {
    return "aci: %s(version 3.0; acl \"a rule\"; %s userdn=\"ldap:///%s\";)"
        .formatted(target, rights, who);
  }

  private static String settings() {
    return """
    index objectClass,uid,sn,ou pres,eq
    access to attrs=userPassword by self =xw by dn.base="%1$s" write by anonymous auth by * none
    access to attrs=description by self read by dn.base="%1$s" write by * none
    access to * by dn.base="%1$s" write by * read
    overlay sssvlv
    """
        .formatted(MANAGER);
  }

  private static Ldif content(Ldif ldif, String... access) {
    String rules = String.join("\n", access);
    ldif.entry(SUFFIX, ("objectClass: domain\ndc: example\n" + rules).strip());
    ldif.entry(PEOPLE, "objectClass: organizationalUnit", "ou: people");
    ldif.entry(CROWD, "objectClass: organizationalUnit", "ou: crowd");
    ldif.entry(ODD, "objectClass: organizationalUnit", "ou: odd");
    ldif.entry(
        REFERRAL,
        "objectClass: referral",
        "objectClass: extensibleObject",
        "cn: elsewhere",
        "ref: ldap://127.0.0.1:1/dc=elsewhere,dc=example,dc=net");
    person(ldif, "ada", "Lovelace", "jpegPhoto:: /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAP8A/wCA");
    person(ldif, "ben", "Babbage", "title: one\ntitle: two");
    person(ldif, "manager", "Zuse", "cn:: Wm/DqyBadXNl");
    person(ldif, "cleo", "Hopper", "mail: cleo@example.com");
    person(ldif, "dan", "Turing", "mail: dan@example.com");
    person(ldif, "eve", "Hamilton", "mail: eve@example.com");
    person(ldif, "fay", "Allen", "mail: fay@example.com");
    for (int i = 0; i < DEVICES; i++) {
      device(ldif, "device" + i, PEOPLE);
    }
    for (int i = 0; i < CROWD_SIZE; i++) {
      device(ldif, "crowd" + i, CROWD);
    }
    return ldif;
  }

  private static void device(Ldif ldif, String cn, String parent) {
    ldif.entry("cn=" + cn + "," + parent, "objectClass: device", "cn: " + cn);
  }

  private static void person(Ldif ldif, String uid, String surname, String more) {
    ldif.entry(
        person(uid),
        "objectClass: inetOrgPerson",
        "uid: " + uid,
        "cn: " + uid + " " + surname,
        "sn: " + surname,
        more,
        "description: only for " + uid,
        "userPassword: pw-" + uid);
  }
}
