// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import io.stoa.ldap.protocol.Ascii;
import io.stoa.ldap.protocol.Octets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Facts about attributes that hold in every directory, or in those that Stoa knows, regardless of
 * the schema.
 *
 * <p>Threading: immutable.
 */
final class WellKnownAttributes {
  /**
   * Attributes whose values change without a write to the entry: state of the server, of logins and
   * of password policies, and values computed for each response.
   */
  private static final Set<String> VOLATILE =
      Set.of(
          "contextcsn",
          "entryttl",
          "entryexpiretimestamp",
          "authtimestamp",
          "lastlogon",
          "lastlogontimestamp",
          "lastlogintime",
          "lastloginhistory",
          "ds-pwp-last-login-time",
          "ds-last-login-time",
          "logoncount",
          "badpwdcount",
          "badpasswordtime",
          "lockouttime",
          "passwordretrycount",
          "retrycountresettime",
          "accountunlocktime",
          "passwordexpirationtime",
          "passwordexpwarned",
          "krblastsuccessfulauth",
          "krblastfailedauth",
          "krbloginfailedcount",
          "etag",
          "tokengroups",
          "tokengroupsglobalanduniversal",
          "tokengroupsnogcacceptable",
          "msds-user-account-control-computed",
          "msds-userpasswordexpirytimecomputed",
          "nsrole",
          "currenttime",
          "netlogon",
          "msds-principalname",
          "highestcommittedusn",
          "lastusn",
          "firstchangenumber",
          "lastchangenumber",
          "lastexternalchangelogcookie",
          "nsds50ruv");

  /**
   * Attributes that begin with {@code pwd} and are written like any other. All others with that
   * prefix are state of a password policy. SSSD looks for the policy itself in every user; the date
   * changes only with a new password.
   */
  private static final Set<String> WRITTEN_LIKE_ANY_OTHER = Set.of("pwdattribute", "pwdlastset");

  /** Operational attributes that slapd shows alike, whether requested by name or with a plus. */
  private static final Set<String> PROJECTABLE =
      Set.of(
          "createtimestamp",
          "creatorsname",
          "modifytimestamp",
          "modifiersname",
          "structuralobjectclass",
          "entryuuid",
          "entrycsn",
          "entrydn",
          "subschemasubentry",
          "hassubordinates",
          "memberof");

  /**
   * Attributes that the directory computes for each response, or changes without reporting it to a
   * feed.
   */
  private static final Set<String> DERIVED =
      Set.of(
          "hassubordinates",
          "numsubordinates",
          "numallsubordinates",
          "tombstonenumsubordinates",
          "subschemasubentry",
          "structuralobjectclass",
          "governingstructurerule",
          "collectiveattributesubentries",
          "nsrole",
          "ldapentry",
          "copyingfrom",
          "parentid",
          "entryid",
          "aci",
          "entry",
          "children");

  /** Attributes that change with groups. Changes of the groups are reported. */
  private static final Set<String> FROM_GROUPS = Set.of("memberof", "ismemberof");

  private static final Set<String> SECRET =
      Set.of("userpassword", "authpassword", "unicodepwd", "pwdhistory", "passwordhistory");

  /**
   * Canonical names for aliases of RFC 4514, RFC 4519 and password attributes. For comparisons that
   * must not miss an equal name while the schema is unknown. Never used for keys.
   */
  private static final Map<Octets, Octets> CANONICAL = new HashMap<>();

  static {
    alias("cn", "commonName", "2.5.4.3");
    alias("sn", "surname", "2.5.4.4");
    alias("serialNumber", "2.5.4.5");
    alias("c", "countryName", "2.5.4.6");
    alias("l", "localityName", "2.5.4.7");
    alias("st", "stateOrProvinceName", "2.5.4.8");
    alias("street", "streetAddress", "2.5.4.9");
    alias("o", "organizationName", "2.5.4.10");
    alias("ou", "organizationalUnitName", "2.5.4.11");
    alias("uid", "userid", "0.9.2342.19200300.100.1.1");
    alias("dc", "domainComponent", "0.9.2342.19200300.100.1.25");
    alias("mail", "rfc822Mailbox", "0.9.2342.19200300.100.1.3");
    alias("userPassword", "2.5.4.35");
    alias("authPassword", "1.3.6.1.4.1.4203.1.3.4");
    alias("unicodePwd", "1.2.840.113556.1.4.90");
    alias("krbPrincipalKey", "2.16.840.1.113719.1.301.4.39.1");
    alias("sambaLMPassword", "1.3.6.1.4.1.7165.2.1.24");
    alias("sambaNTPassword", "1.3.6.1.4.1.7165.2.1.25");
    alias("sambaPasswordHistory", "1.3.6.1.4.1.7165.2.1.54");
    alias("pwdHistory", "1.3.6.1.4.1.42.2.27.8.1.20");
  }

  private WellKnownAttributes() {}

  static boolean isVolatile(String... names) {
    for (String name : names) {
      String lower = name.toLowerCase(Locale.ROOT);
      boolean policyState = lower.startsWith("pwd") && !WRITTEN_LIKE_ANY_OTHER.contains(lower);
      if (policyState || VOLATILE.contains(lower)) {
        return true;
      }
    }
    return false;
  }

  static boolean isProjectable(String... names) {
    return isAny(PROJECTABLE, names);
  }

  static boolean isDerived(String... names) {
    return isAny(DERIVED, names);
  }

  static boolean isFromGroups(String... names) {
    return isAny(FROM_GROUPS, names);
  }

  static boolean isSecret(String... names) {
    return isAny(SECRET, names);
  }

  private static boolean isAny(Set<String> listed, String... names) {
    return Stream.of(names).map(name -> name.toLowerCase(Locale.ROOT)).anyMatch(listed::contains);
  }

  /** Returns the canonical name of a type, in lower case. */
  static Octets resolve(byte[] name, int length) {
    Octets lower = Octets.of(Ascii.lower(name, 0, length));
    return CANONICAL.getOrDefault(lower, lower);
  }

  private static void alias(String name, String... others) {
    Octets canonical = Ascii.lowerKey(name);
    for (String other : others) {
      CANONICAL.put(Ascii.lowerKey(other), canonical);
    }
  }
}
