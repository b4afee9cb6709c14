// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldif.LDIFException;
import io.stoa.testing.Ds389;
import io.stoa.testing.Ds389Config;
import io.stoa.testing.Ldif;
import io.stoa.testing.People;
import io.stoa.testing.ServiceWatch;
import java.util.List;

/**
 * A 389-ds with the plug-ins that compute attributes, or write other entries than the client does:
 * class of service, roles, views, DNA, managed entries, automember, linked attributes, memberOf,
 * referential integrity and USN. Its feed is the retro changelog. Immutable.
 */
record Ds389SetUp(List<Stoas.Kind> ways) implements SetUp {
  private static final String SUFFIX = "dc=plugins,dc=test";
  private static final String FEED = SlapdSetUp.FEED;
  private static final String CHANGELOG = "cn=Retro Changelog Plugin,cn=plugins,cn=config";
  private static final int WRITER = 3;

  private static final String DEFINITIONS =
      """
      dn: cn=numbers,cn=Distributed Numeric Assignment Plugin,cn=plugins,cn=config
      objectClass: extensibleObject
      cn: numbers
      dnaType: uidNumber
      dnaNextValue: 1000
      dnaMaxValue: 9000
      dnaMagicRegen: 0
      dnaFilter: (objectClass=posixAccount)
      dnaScope: SUFFIX

      dn: cn=private groups,cn=Managed Entries,cn=plugins,cn=config
      objectClass: extensibleObject
      cn: private groups
      originScope: ou=people,SUFFIX
      originFilter: (objectClass=posixAccount)
      managedBase: ou=managed,SUFFIX
      managedTemplate: cn=template,ou=managed,SUFFIX

      dn: cn=everybody,cn=Auto Membership Plugin,cn=plugins,cn=config
      objectClass: autoMemberDefinition
      cn: everybody
      autoMemberScope: ou=people,SUFFIX
      autoMemberFilter: (objectClass=inetOrgPerson)
      autoMemberDefaultGroup: cn=g1,ou=groups,SUFFIX
      autoMemberGroupingAttr: member:dn

      dn: cn=assistants,cn=Linked Attributes,cn=plugins,cn=config
      objectClass: extensibleObject
      cn: assistants
      linkType: secretary
      managedType: seeAlso
      linkScope: ou=people,SUFFIX
      """
          .replace("SUFFIX", SUFFIX);

  @Override
  public String name() {
    return "ds389";
  }

  @Override
  public List<Identity> identities() {
    return new SlapdSetUp(name(), List.of(), ways).identities();
  }

  @Override
  public List<Vocabulary> vocabularies() {
    Vocabulary words =
        Tree.vocabulary(SUFFIX, WRITER)
            .and(here(BASES), here(FILTERS), ATTRIBUTES)
            .computing(here(COMPUTED), CHANGES.stream().map(change -> change.in(SUFFIX)).toList());
    return List.of(words);
  }

  private static final List<String> BASES =
      List.of(
          "ou=view,SUFFIX",
          "cn=Paris,ou=view,SUFFIX",
          "ou=cos,SUFFIX",
          "cn=template,ou=cos,SUFFIX",
          "cn=Paris,ou=cos,SUFFIX",
          "cn=filtered,SUFFIX",
          "cn=nested,SUFFIX",
          "ou=managed,SUFFIX",
          "uid=posix,ou=people,SUFFIX",
          "cn=posix,ou=managed,SUFFIX");

  private static final List<String> COMPUTED =
      List.of(
          "uid=u1,ou=people,SUFFIX",
          "uid=u2,ou=people,SUFFIX",
          "cn=Paris,ou=view,SUFFIX",
          "uid=posix,ou=people,SUFFIX",
          "cn=posix,ou=managed,SUFFIX");

  private static final List<String> FILTERS =
      List.of(
          "(nsRole=cn=filtered,SUFFIX)",
          "(nsRole=cn=nested,SUFFIX)",
          "(postalCode=*)",
          "(street=*)",
          "(memberOf=cn=g1,ou=groups,SUFFIX)",
          "(seeAlso=*)",
          "(uidNumber>=1000)",
          "(objectClass=posixGroup)",
          "(objectClass=ldapSubentry)");

  private static final List<String> ATTRIBUTES =
      List.of(
          "nsRole",
          "nsRoleDN",
          "postalCode",
          "street",
          "departmentNumber",
          "memberOf",
          "seeAlso",
          "secretary",
          "uidNumber",
          "entryUSN",
          "mepManagedEntry",
          "nsUniqueId",
          "aci",
          "l");

  private static final String ONE = "uid=u1,ou=people,SUFFIX";
  private static final List<Change> CHANGES =
      List.of(
          new Change("cn=template,ou=cos,SUFFIX", "postalCode", List.of("1", "2", "3")),
          new Change("cn=Paris,ou=cos,SUFFIX", "street", List.of("Rue", "Via")),
          new Change("uid=u2,ou=people,SUFFIX", "l", List.of("Paris", "Rome")),
          new Change(ONE, "l", List.of("Paris", "Rome")),
          new Change(ONE, "nsRoleDN", List.of("cn=managed,SUFFIX")),
          new Change(ONE, "secretary", List.of("uid=u2,ou=people,SUFFIX", ONE)),
          new Change(ONE, "manager", List.of("uid=u2,ou=people,SUFFIX", "uid=u3,ou=people,SUFFIX")),
          new Change("cn=filtered,SUFFIX", "nsRoleFilter", List.of("(l=Paris)", "(l=Rome)")),
          new Change("cn=Paris,ou=view,SUFFIX", "nsViewFilter", List.of("(l=Paris)", "(l=Rome)")),
          new Change("uid=posix,ou=people,SUFFIX", "gidNumber", List.of("7", "8")),
          new Change("uid=posix,ou=people,SUFFIX", "uidNumber", List.of("0", "42")));

  private static List<String> here(List<String> all) {
    return all.stream().map(one -> one.replace("SUFFIX", SUFFIX)).toList();
  }

  private static String allow(String name, String target, String rights, String who) {
    return "aci: (targetattr%s)(version 3.0; acl \"%s\"; allow (%s) userdn=\"ldap:///%s\";)"
        .formatted(target, name, rights, who);
  }

  private static String[] access() {
    String most = "!=\"userPassword || aci || description || telephoneNumber\"";
    return new String[] {
      allow("all", most, "read,search,compare", "anyone"),
      allow("users", "=\"telephoneNumber\"", "read,search,compare", "all"),
      allow("writer", "=\"*\"", "all", People.dn(WRITER)),
      allow("feed", "=\"*\"", "read,search,compare", FEED),
      allow("stoa", "=\"*\"", "proxy", ServiceWatch.DN)
    };
  }

  private static Ldif accounts() {
    Ldif ldif = Ldif.forDs389();
    Tree.top(ldif, People.SUFFIX, access());
    ldif.entry(People.PEOPLE, "objectClass: organizationalUnit", "ou: people");
    for (int i = 0; i < 4; i++) {
      account(ldif, People.dn(i), People.PASSWORD);
    }
    account(ldif, FEED, Stoas.FEED_PASSWORD);
    account(ldif, ServiceWatch.DN, ServiceWatch.PASSWORD);
    return ldif;
  }

  private static void account(Ldif ldif, String dn, String password) {
    String rdn = dn.substring(0, dn.indexOf(',')).replace("=", ": ");
    ldif.entry(
        dn,
        "objectClass: inetOrgPerson",
        "objectClass: extensibleObject",
        "nsSizeLimit: -1",
        "nsLookThroughLimit: -1",
        "nsTimeLimit: -1",
        "nsIdleTimeout: -1",
        rdn,
        rdn.startsWith("cn") ? "description: account" : "cn: account",
        "sn: account",
        "userPassword: " + password);
  }

  private static final String ENTRIES =
      """
      dn: ou=managed,SUFFIX
      objectClass: organizationalUnit
      ou: managed

      dn: cn=template,ou=managed,SUFFIX
      objectClass: mepTemplateEntry
      cn: template
      mepRDNAttr: cn
      mepStaticAttr: objectClass: posixGroup
      mepMappedAttr: cn: $uid
      mepMappedAttr: gidNumber: $gidNumber

      dn: ou=cos,SUFFIX
      objectClass: organizationalUnit
      ou: cos

      dn: cn=template,ou=cos,SUFFIX
      objectClass: extensibleObject
      objectClass: cosTemplate
      cn: template
      postalCode: 1

      dn: cn=Paris,ou=cos,SUFFIX
      objectClass: extensibleObject
      objectClass: cosTemplate
      cn: Paris
      street: Rue

      dn: cn=pointer,SUFFIX
      objectClass: cosSuperDefinition
      objectClass: cosPointerDefinition
      cn: pointer
      cosTemplateDn: cn=template,ou=cos,SUFFIX
      cosAttribute: postalCode default

      dn: cn=classic,SUFFIX
      objectClass: cosSuperDefinition
      objectClass: cosClassicDefinition
      cn: classic
      cosTemplateDn: ou=cos,SUFFIX
      cosSpecifier: l
      cosAttribute: street override

      dn: cn=indirect,SUFFIX
      objectClass: cosSuperDefinition
      objectClass: cosIndirectDefinition
      cn: indirect
      cosIndirectSpecifier: manager
      cosAttribute: departmentNumber

      dn: cn=managed,SUFFIX
      objectClass: ldapSubentry
      objectClass: nsRoleDefinition
      objectClass: nsSimpleRoleDefinition
      objectClass: nsManagedRoleDefinition
      cn: managed

      dn: cn=filtered,SUFFIX
      objectClass: ldapSubentry
      objectClass: nsRoleDefinition
      objectClass: nsComplexRoleDefinition
      objectClass: nsFilteredRoleDefinition
      cn: filtered
      nsRoleFilter: (l=Paris)

      dn: cn=nested,SUFFIX
      objectClass: ldapSubentry
      objectClass: nsRoleDefinition
      objectClass: nsComplexRoleDefinition
      objectClass: nsNestedRoleDefinition
      cn: nested
      nsRoleDN: cn=managed,SUFFIX
      nsRoleDN: cn=filtered,SUFFIX

      dn: ou=view,SUFFIX
      objectClass: organizationalUnit
      objectClass: nsView
      ou: view

      dn: cn=Paris,ou=view,SUFFIX
      objectClass: extensibleObject
      objectClass: nsView
      cn: Paris
      nsViewFilter: (l=Paris)
      """;

  private static Ldif tree() {
    Ldif ldif = Ldif.forDs389();
    Tree.fill(ldif, SUFFIX, access());
    Tree.odd(ldif, SUFFIX);
    for (String entry : ENTRIES.replace("SUFFIX", SUFFIX).split("\n\n")) {
      String[] lines = entry.split("\n");
      ldif.entry(
          lines[0].substring("dn: ".length()),
          List.of(lines).subList(1, lines.length).toArray(String[]::new));
    }
    return ldif;
  }

  private static Ds389Config config() {
    Ds389Config config =
        Ds389Config.stock()
            .set(CHANGELOG, "nsslapd-attribute", "nsuniqueid:targetUniqueId")
            .database(People.SUFFIX, accounts())
            .database(SUFFIX, tree());
    for (String plugin : PLUGINS) {
      config = config.plugin(plugin);
    }
    for (String entry : DEFINITIONS.split("\n\n")) {
      config = config.entry(entry + "\n");
    }
    return config;
  }

  private static final List<String> PLUGINS =
      List.of(
          "Retro Changelog Plugin",
          "MemberOf Plugin",
          "referential integrity postoperation",
          "Distributed Numeric Assignment Plugin",
          "Managed Entries",
          "Auto Membership Plugin",
          "Linked Attributes",
          "USN");

  @Override
  public World start(List<Stoas.Kind> kinds) {
    Ds389 server = Ds389.start(config());
    boolean started = false;
    try {
      prepare(server);
      started = true;
    } finally {
      if (!started) {
        server.close();
      }
    }
    Stoas stoas =
        new Stoas(
            server.address(),
            FEED,
            Stoas.people("*," + People.PEOPLE, SUFFIX, "description", "userPassword"),
            context -> context.equals(SUFFIX));
    return World.before(server, List.of(server), identities(), stoas, kinds);
  }

  /** Prepares a feed and proxied mode as an administrator does, and makes a first change. */
  private static void prepare(Ds389 server) {
    ServiceWatch.letActOnRoot(server);
    String allow = allow("feed", "=\"*\"", "read,search,compare", FEED).substring("aci: ".length());
    int port = server.address().getPort();
    try (LDAPConnection root =
        new LDAPConnection("127.0.0.1", port, Ds389Config.ROOT, Ds389Config.ROOT_PASSWORD)) {
      root.modify("cn=changelog", new Modification(ModificationType.ADD, "aci", allow));
      root.modify("cn=monitor", new Modification(ModificationType.ADD, "aci", allow));
      root.add(
          "dn: uid=posix,ou=people," + SUFFIX,
          "objectClass: inetOrgPerson",
          "objectClass: posixAccount",
          "uid: posix",
          "cn: posix",
          "sn: posix",
          "l: Paris",
          "homeDirectory: /",
          "uidNumber: 0",
          "gidNumber: 7");
    } catch (LDAPException | LDIFException e) {
      throw new AssertionError("389-ds cannot be prepared", e);
    }
  }

  @Override
  public String toString() {
    return name();
  }
}
