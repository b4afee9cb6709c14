// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import java.util.List;

/**
 * The overlays that Debian ships for slapd, as they are fuzzed. {@link ProxiedSlapdSetUp} has rwm,
 * translucent and pcache. Left out: remoteauth and smbk5pwd, which concern binds at other servers.
 * Stateless.
 */
final class Overlays {
  private static final String URL = "ldap:///ou=people,SUFFIX??one?";

  /** Suffix of the database in which overlay accesslog logs. */
  static final String LOG = "cn=log";

  private static final String DYNAMIC = "cn=dyn,SUFFIX";

  private Overlays() {}

  /** Those whose answers depend on the stored entries of their own database alone. */
  static List<Overlay> plain() {
    return List.of(
        Overlay.of("deref sssvlv", "overlay deref\n" + sorted()),
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
        logged(),
        Overlay.of("retcode", retcode()).base("cn=Refused,ou=codes,SUFFIX").base("ou=codes,SUFFIX"),
        policed());
  }

  /** Overlays that compute attributes of entries, or write other entries than the client does. */
  static List<Overlay> computing() {
    String dynlist = "overlay dynlist\ndynlist-attrset groupOfURLs memberURL member";
    return List.of(
        Overlay.of("collect", "overlay collect\ncollectinfo \"ou=people,SUFFIX\" l")
            .attributes("l", "c-l")
            .computes("uid=u1,ou=people,SUFFIX")
            .change("ou=people,SUFFIX", "l", "Here", "There", "Paris"),
        dynamic("dynlist", "dynlist", dynlist),
        dynamic("dynmember", "memberof dynlist", dynlist + "+memberOf@groupOfNames"),
        dynamic("dyngroup", "dyngroup", "overlay dyngroup\nattrpair member memberURL"),
        dynamic(
            "autogroup",
            "memberof autogroup", // it wants the attribute type memberOf
            "overlay autogroup\nautogroup-attrset groupOfURLs memberURL member"),
        dynamic(
            "autolinked",
            "memberof autogroup",
            "overlay memberof\noverlay autogroup\n"
                + "autogroup-attrset groupOfURLs memberURL member"),
        dynamic(
            "many",
            "memberof dynlist refint valsort deref sssvlv ppolicy unique",
            linked()
                + "\n"
                + dynlist
                + "\noverlay valsort\n"
                + "valsort-attr mail ou=people,SUFFIX alpha-ascend\n"
                + "overlay ppolicy\noverlay unique\nunique_uri ldap:///ou=people,SUFFIX?mail?sub\n"
                + "overlay deref\n"
                + sorted()));
  }

  private static String sorted() {
    return "overlay sssvlv\nsssvlv-max 1000\nsssvlv-maxperconn 100";
  }

  private static Overlay dynamic(String name, String modules, String settings) {
    return Overlay.named(name, modules, settings)
        .entry(
            DYNAMIC,
            "objectClass: groupOfURLs",
            "objectClass: extensibleObject",
            "cn: dyn",
            "memberURL: " + URL + "(l=Paris)")
        .filter("(cn=dyn)")
        .filter("(memberURL=*)")
        .filter("(member=*)")
        .filter("(memberOf=cn=dyn,SUFFIX)")
        .attributes("memberURL", "member", "memberOf")
        .computes(DYNAMIC)
        .computes("uid=u2,ou=people,SUFFIX")
        .change(DYNAMIC, "memberURL", URL + "(l=Paris)", URL + "(l=Rome)", URL + "(uid=u1)")
        .change(DYNAMIC, "description", "Here", "There")
        .change("uid=u2,ou=people,SUFFIX", "l", "Paris", "Rome");
  }

  private static String linked() {
    return "overlay memberof\noverlay refint\nrefint_attributes member manager";
  }

  /** Writes are logged with what was there before them; the log is searched, too. */
  static Overlay logged() {
    return Overlay.of(
            "accesslog",
            "overlay accesslog\nlogdb " + LOG + "\nlogops writes\nlogold (objectClass=*)")
        .base(LOG)
        .filter("(reqType=modify)")
        .filter("(reqResult=0)")
        .filter("(reqDN=uid=u1,ou=people,SUFFIX)")
        .attributes("reqDN", "reqMod", "reqOld", "reqStart", "reqAuthzID")
        .computes(LOG);
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
        .attributes("pwdChangedTime", "pwdPolicySubentry")
        .change("cn=policy,SUFFIX", "pwdMinLength", "3", "4");
  }
}
