// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.controls.AssertionRequestControl;
import com.unboundid.ldap.sdk.controls.DontUseCopyRequestControl;
import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import com.unboundid.ldap.sdk.controls.MatchedValuesFilter;
import com.unboundid.ldap.sdk.controls.MatchedValuesRequestControl;
import com.unboundid.ldap.sdk.controls.RFC3672SubentriesRequestControl;
import com.unboundid.ldap.sdk.controls.ServerSideSortRequestControl;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import com.unboundid.ldap.sdk.controls.SortKey;
import io.stoa.testing.Ldif;
import java.util.ArrayList;
import java.util.List;

/**
 * The entries that every subtree of a fuzzed directory has, and the words for requests about them:
 * people, groups, an alias and a referral. Stateless.
 */
final class Tree {
  static final int PEOPLE = 5;
  static final int GROUPS = 2;

  private Tree() {}

  static String person(int number, String suffix) {
    return "uid=u" + number + ",ou=people," + suffix;
  }

  static String group(int number, String suffix) {
    return "cn=g" + number + ",ou=groups," + suffix;
  }

  /** The uppermost entry of a subtree. */
  static void top(Ldif ldif, String suffix, String... more) {
    String name = suffix.substring("dc=".length(), suffix.indexOf(','));
    List<String> top = new ArrayList<>(List.of("objectClass: domain", "dc: " + name));
    top.addAll(List.of(more));
    ldif.entry(suffix, top.toArray(String[]::new));
  }

  static void fill(Ldif ldif, String suffix, String... moreOfTop) {
    top(ldif, suffix, moreOfTop);
    ldif.entry("ou=people," + suffix, "objectClass: organizationalUnit", "ou: people", "l: Here");
    ldif.entry("ou=groups," + suffix, "objectClass: organizationalUnit", "ou: groups");
    for (int i = 0; i < PEOPLE; i++) {
      person(ldif, i, suffix);
    }
    for (int i = 0; i < GROUPS; i++) {
      ldif.entry(
          group(i, suffix),
          "objectClass: groupOfNames",
          "cn: g" + i,
          "member: " + person(i, suffix),
          "member: " + person(i + 1, suffix));
    }
  }

  /** What not every kind of server takes. */
  static void odd(Ldif ldif, String suffix) {
    ldif.entry(
        "cn=alias," + suffix,
        "objectClass: alias",
        "objectClass: extensibleObject",
        "cn: alias",
        "aliasedObjectName: " + person(1, suffix));
    ldif.entry(
        "cn=ref," + suffix,
        "objectClass: referral",
        "objectClass: extensibleObject",
        "cn: ref",
        "ref: ldap://elsewhere.example.net/dc=example,dc=net");
  }

  private static void person(Ldif ldif, int number, String suffix) {
    ldif.entry(
        person(number, suffix),
        "objectClass: inetOrgPerson",
        "uid: u" + number,
        "cn: Person " + number,
        "cn;lang-de: Mensch " + number,
        "sn: Person",
        "mail: z" + number + "@example.com",
        "mail: a" + number + "@example.com",
        "description: only for some",
        "telephoneNumber: +1 555 " + number,
        "l: " + (number % 2 == 0 ? "Paris" : "Rome"),
        "employeeNumber: " + number,
        "manager: " + person((number + 1) % PEOPLE, suffix),
        "jpegPhoto:: /9j/4AAQ",
        "userPassword: pw-" + number);
  }

  static Vocabulary vocabulary(String suffix, int writer) {
    List<String> bases = new ArrayList<>();
    for (int i = 0; i < PEOPLE; i++) {
      bases.add(person(i, suffix));
    }
    bases.addAll(List.of(group(0, suffix), group(1, suffix)));
    bases.addAll(List.of("ou=people," + suffix, "ou=groups," + suffix, suffix));
    bases.addAll(List.of("cn=alias," + suffix, "cn=ref," + suffix, "uid=none," + suffix));
    List<String> filters =
        List.of(
            "(uid=u1)",
            "(UID=U1)",
            "(uid=u*)",
            "(l=Paris)",
            "(l=paris)",
            "(l=*)",
            "(sn=Person)",
            "(cn=*son 2)",
            "(mail=a*)",
            "(objectClass=inetOrgPerson)",
            "(objectClass=groupOfNames)",
            "(member=" + person(1, suffix) + ")",
            "(manager=" + person(2, suffix) + ")",
            "(employeeNumber>=2)",
            "(description=*)",
            "(cn:caseExactMatch:=Person 1)",
            "(cn:dn:=g1)",
            "(unknown=1)",
            "(2.5.4.3=Person 1)",
            "(cn;lang-de=*)",
            "(0.9.2342.19200300.100.1.1=u2)",
            "(memberOf=*)");
    List<String> attributes =
        List.of(
            "*",
            "+",
            "1.1",
            "cn",
            "cn;lang-de",
            "sn",
            "uid",
            "mail",
            "l",
            "member",
            "manager",
            "memberOf",
            "description",
            "telephoneNumber",
            "jpegPhoto",
            "userPassword",
            "objectClass",
            "@inetOrgPerson",
            "unknown",
            "entryDN",
            "hasSubordinates",
            "modifyTimestamp",
            "structuralObjectClass",
            "ref",
            "name",
            "2.5.4.3",
            "2.5.4.3;lang-de",
            "CN;x-none",
            "entryUUID",
            "creatorsName",
            "subschemaSubentry");
    return new Vocabulary(
        suffix,
        writer,
        bases,
        filters,
        attributes,
        controls(),
        List.of(),
        List.of(),
        List.of(),
        Delay.NONE,
        suffix);
  }

  private static List<Control> controls() {
    try {
      return List.of(
          new ManageDsaITRequestControl(false),
          new ManageDsaITRequestControl(true),
          new RFC3672SubentriesRequestControl(true),
          new DontUseCopyRequestControl(),
          new MatchedValuesRequestControl(
              false, MatchedValuesFilter.createEqualityFilter("mail", "a1@example.com")),
          new ServerSideSortRequestControl(false, new SortKey("uid")),
          new ServerSideSortRequestControl(true, new SortKey("sn", true)),
          new SimplePagedResultsControl(2, null, false),
          new SimplePagedResultsControl(100, null, true),
          new AssertionRequestControl(Filter.create("(objectClass=domain)")),
          new Control("1.2.840.113556.1.4.1339", false), // domain scope
          new Control("1.3.6.1.4.1.42.2.27.8.5.1", false), // password policy
          new Control("1.3.6.1.4.1.4203.666.5.14", false), // valsort, without a value
          new Control("1.3.6.1.4.1.4203.666.5.16", false, new ASN1OctetString()), // deref, empty
          new Control("1.2.3.4.5", false),
          new Control("1.2.3.4.5", true));
    } catch (LDAPException e) {
      throw new AssertionError(e);
    }
  }
}
