// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A directory of people for slapd: {@code uid=user.N,ou=people,dc=example,dc=com} with the password
 * {@code password}; the description of each holds its own DN and only that person may read it.
 */
public final class People {
  public static final String SUFFIX = "dc=example,dc=com";
  public static final String PEOPLE = "ou=people," + SUFFIX;
  public static final String PASSWORD = "password";
  public static final String ROOT = SlapdConfig.ROOT_RDN + "," + SUFFIX;
  private static final String POLICY = "cn=policy," + SUFFIX;

  private static final String POLICED =
      """
      access to attrs=userPassword by anonymous auth by * none
      access to * by * read
      overlay ppolicy
      ppolicy_default %s
      """;

  /** Who may see and do what, for a database of slapd. */
  public static final String ACCESS =
      """
      index objectClass,uid eq
      access to attrs=userPassword by anonymous auth by self write by * none
      access to attrs=description by self read by * none
      access to * by self write by * read
      """;

  private People() {}

  public static String dn(int number) {
    return "uid=user." + number + "," + PEOPLE;
  }

  /** A slapd with one user and a password policy of these lines, which is kept to by all. */
  public static SlapdConfig policed(String... policy) {
    Ldif ldif = new Ldif();
    ldif.entry(SUFFIX, "objectClass: domain", "dc: example");
    ldif.entry(PEOPLE, "objectClass: organizationalUnit", "ou: people");
    ldif.entry(
        dn(1),
        "objectClass: inetOrgPerson",
        "uid: user.1",
        "cn: User",
        "sn: User",
        "userPassword: " + PASSWORD);
    List<String> lines =
        List.of("objectClass: person", "objectClass: pwdPolicy", "cn: policy", "sn: policy");
    ldif.entry(
        POLICY,
        Stream.of(lines, List.of("pwdAttribute: userPassword"), List.of(policy))
            .flatMap(List::stream)
            .toArray(String[]::new));
    return SlapdConfig.stock().module("ppolicy").database(SUFFIX, POLICED.formatted(POLICY), ldif);
  }

  /** The tree of so many people. */
  public static Ldif tree(int people) {
    return ldif(people, PASSWORD);
  }

  /** A slapd with stock limits and so many people. */
  public static SlapdConfig slapd(int people) {
    return slapd(people, PASSWORD);
  }

  /** The same with another password for all of them. */
  public static SlapdConfig slapd(int people, String password) {
    return SlapdConfig.stock().database(SUFFIX, ACCESS, ldif(people, password));
  }

  /**
   * The same with the account of {@link ServiceWatch}, which may act for all of them.
   *
   * @param policy slapd's: whether the account's entry says that ({@code to}) or theirs ({@code
   *     from})
   */
  public static SlapdConfig proxied(int people, String policy) {
    boolean to = policy.equals("to");
    Ldif ldif =
        to
            ? ldif(people, PASSWORD)
            : ldif(people, PASSWORD, "authzFrom: dn.exact:" + ServiceWatch.DN);
    ldif.entry(
        ServiceWatch.DN,
        "objectClass: inetOrgPerson",
        "cn: stoa",
        "sn: " + (to ? "Stoa\nauthzTo: dn.regex:^uid=[^,]+," + PEOPLE + "$" : "Stoa"),
        "userPassword: " + ServiceWatch.PASSWORD);
    return SlapdConfig.stock().global("authz-policy " + policy).database(SUFFIX, ACCESS, ldif);
  }

  /**
   * The same for 389-ds.
   *
   * @param more further lines of the account's entry
   */
  public static Ds389Config proxiedDs389(int people, String... more) {
    String allow =
        "aci: (targetattr%s)(version 3.0; acl \"%s\"; allow (%s) userdn=\"ldap:///%s\";)";
    Ldif ldif =
        Ldif.forDs389()
            .entry(
                SUFFIX,
                "objectClass: domain",
                "dc: example",
                allow.formatted("!=\"description\"", "a", "read,search,compare", "anyone"),
                allow.formatted("=\"*\"", "b", "read,search,write", "self"),
                allow.formatted("=\"*\"", "c", "proxy", ServiceWatch.DN))
            .entry(PEOPLE, "objectClass: organizationalUnit", "ou: people");
    for (int i = 0; i < people; i++) {
      ldif.entry(dn(i), lines(i, PASSWORD).toArray(String[]::new));
    }
    Stream<String> account =
        Stream.of(
            "objectClass: inetOrgPerson",
            "cn: stoa",
            "sn: Stoa",
            "userPassword: " + ServiceWatch.PASSWORD);
    ldif.entry(ServiceWatch.DN, Stream.concat(account, Stream.of(more)).toArray(String[]::new));
    return Ds389Config.stock().database(SUFFIX, ldif);
  }

  /** The same, which takes whoever runs the tests for the account on its local socket. */
  public static Ds389Config localDs389(int people) {
    return proxiedDs389(
            people,
            "objectClass: posixAccount",
            "uid: stoa",
            "homeDirectory: /",
            "uidNumber: " + own("unix:uid"),
            "gidNumber: " + own("unix:gid"))
        .local(ServiceWatch.DN);
  }

  /** The number of the user or the group of this process. */
  public static String own(String attribute) {
    try {
      return Files.getAttribute(Path.of("/proc/self"), attribute).toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A slapd with so many people who can also bind by SASL, each by the name {@code user.N}. */
  public static SlapdConfig saslSlapd(int people) {
    return slapd(people)
        .global(
            """
            sasl-host localhost
            sasl-secprops none
            authz-regexp uid=([^,]*),cn=.*auth uid=$1,ou=people,dc=example,dc=com
            """);
  }

  /** The name by which a person binds by SASL. */
  public static String user(int number) {
    return "user." + number;
  }

  private static Ldif ldif(int people, String password, String... more) {
    Ldif ldif = new Ldif();
    ldif.entry(SUFFIX, "objectClass: domain", "dc: example");
    ldif.entry(PEOPLE, "objectClass: organizationalUnit", "ou: people");
    for (int i = 0; i < people; i++) {
      Stream<String> lines = Stream.concat(lines(i, password), Stream.of(more));
      ldif.entry(dn(i), lines.toArray(String[]::new));
    }
    return ldif;
  }

  private static Stream<String> lines(int number, String password) {
    return Stream.of(
        "objectClass: inetOrgPerson",
        "uid: user." + number,
        "cn: User " + number,
        "sn: Number" + number,
        "mail: user." + number + "@example.com",
        "description: " + dn(number),
        "userPassword: " + password);
  }

  /** The search for one person by uid, as a login form would send it. */
  public static RawRequest find(int number) {
    return Requests.search(PEOPLE)
        .filter("(uid=user." + number + ")")
        .attributes("uid", "cn", "mail")
        .request();
  }
}
