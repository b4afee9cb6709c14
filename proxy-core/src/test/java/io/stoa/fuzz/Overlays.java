// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import java.util.List;

/** The overlays that Debian ships for slapd, as they are fuzzed. Stateless. */
final class Overlays {
  private static final String URL = "ldap:///ou=people,SUFFIX??one?(l=Paris)";

  private Overlays() {}

  /** Those whose answers depend on the stored entries of their own database alone. */
  static List<Overlay> plain() {
    return List.of(
        Overlay.of("deref sssvlv", "overlay deref\noverlay sssvlv"),
        Overlay.of("memberof refint", linked()).filter("(memberOf=cn=g0,ou=groups,SUFFIX)"),
        Overlay.of("valsort", "overlay valsort\nvalsort-attr mail ou=people,SUFFIX alpha-ascend"),
        Overlay.of(
            "constraint",
            "overlay constraint\nconstraint_attribute mail count 2\n"
                + "constraint_attribute employeeNumber regex ^[01]$"),
        Overlay.of("unique", "overlay unique\nunique_uri ldap:///ou=people,SUFFIX?mail?sub"),
        Overlay.of("seqmod dds homedir", "overlay seqmod\noverlay dds\noverlay homedir"),
        Overlay.of("auditlog", "overlay auditlog\nauditlog /dev/null"),
        Overlay.of("lastbind", "overlay lastbind").attributes("authTimestamp"),
        Overlay.of("otp", "overlay otp"),
        Overlay.of("retcode", retcode()).base("cn=Refused,ou=codes,SUFFIX").base("ou=codes,SUFFIX"),
        policed());
  }

  /** Those that compute what entries show. */
  static List<Overlay> computing() {
    return List.of(
        Overlay.of("collect", "overlay collect\ncollectinfo \"ou=people,SUFFIX\" l"),
        list("dynlist", "overlay dynlist\ndynlist-attrset groupOfURLs memberURL member"),
        list("autogroup", "overlay autogroup\nautogroup-attrset groupOfURLs memberURL member"));
  }

  private static Overlay list(String name, String settings) {
    return Overlay.of(name, settings)
        .entry(
            "cn=dyn,SUFFIX",
            "objectClass: groupOfURLs",
            "objectClass: extensibleObject",
            "cn: dyn",
            "memberURL: " + URL)
        .filter("(cn=dyn)")
        .filter("(memberURL=*)")
        .attributes("memberURL", "member");
  }

  private static String linked() {
    return "overlay memberof\noverlay refint\nrefint_attributes member manager";
  }

  private static String retcode() {
    return "overlay retcode\nretcode-parent \"ou=codes,SUFFIX\"\n"
        + "retcode-item \"cn=Refused\" 0x35\nretcode-item \"cn=Denied\" 0x32";
  }

  private static Overlay policed() {
    return Overlay.of("ppolicy", "overlay ppolicy\nppolicy_default \"cn=policy,SUFFIX\"")
        .entry(
            "cn=policy,SUFFIX",
            "objectClass: device",
            "objectClass: pwdPolicy",
            "cn: policy",
            "pwdAttribute: userPassword",
            "pwdMaxAge: 100000000",
            "pwdMinLength: 3")
        .attributes("pwdChangedTime", "pwdPolicySubentry");
  }
}
