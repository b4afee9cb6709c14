// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.controls.ServerSideSortRequestControl;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import com.unboundid.ldap.sdk.controls.SortKey;
import io.stoa.testing.SambaDirectory;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A Samba domain controller of Active Directory, which computes many attributes and has controls of
 * its own. No feed tells of its changes. The root DSE is not asked, for Stoa adapts it. Immutable.
 */
record SambaSetUp(List<Stoas.Kind> ways) implements SetUp {
  private static final int ROOT = 1;
  private static final String ALICE = SambaDirectory.person("alice");
  private static final String GROUP = "CN=group0," + SambaDirectory.GROUPS;

  @Override
  public String name() {
    return "samba";
  }

  @Override
  public List<Identity> identities() {
    return List.of(
        Identity.ANONYMOUS,
        new Identity(SambaDirectory.ROOT, SambaDirectory.ROOT_PASSWORD),
        new Identity(ALICE, "pw-alice"),
        new Identity(SambaDirectory.person("bob"), "pw-bob"),
        Identity.ANONYMOUS);
  }

  @Override
  public List<Vocabulary> vocabularies() {
    return List.of(
        new Vocabulary(
            SambaDirectory.PEOPLE,
            ROOT,
            BASES,
            FILTERS,
            ATTRIBUTES,
            controls(),
            List.of("canonicalName", "memberOf", "primaryGroupToken", "tokenGroups"),
            List.of(ALICE, GROUP),
            CHANGES,
            Delay.NONE,
            SambaDirectory.SUFFIX));
  }

  private static final List<String> BASES =
      List.of(
          ALICE,
          SambaDirectory.person("bob"),
          SambaDirectory.person("staff1"),
          GROUP,
          "CN=group1," + SambaDirectory.GROUPS,
          SambaDirectory.PEOPLE,
          SambaDirectory.GROUPS,
          SambaDirectory.WORK,
          SambaDirectory.ROOT,
          "CN=none," + SambaDirectory.SUFFIX,
          "<SID=S-1-5-32-544>");

  private static final List<String> FILTERS =
      List.of(
          "(sAMAccountName=alice)",
          "(samaccountname=ALICE)",
          "(&(objectClass=user)(cn=staff1*))",
          "(memberOf=" + GROUP + ")",
          "(memberOf:1.2.840.113556.1.4.1941:=" + GROUP + ")",
          "(member=" + ALICE + ")",
          "(userAccountControl:1.2.840.113556.1.4.803:=512)",
          "(anr=ali)",
          "(description=described*)",
          "(objectCategory=person)",
          "(l=*)",
          "(isDeleted=TRUE)");

  private static final List<String> ATTRIBUTES =
      List.of(
          "*",
          "+",
          "1.1",
          "cn",
          "CN",
          "name",
          "sAMAccountName",
          "memberOf",
          "member",
          "member;range=0-3",
          "description",
          "l",
          "mail",
          "objectGUID",
          "objectSid",
          "canonicalName",
          "primaryGroupToken",
          "parentGUID",
          "nTSecurityDescriptor",
          "allowedAttributesEffective",
          "tokenGroups",
          "userAccountControl",
          "msDS-User-Account-Control-Computed",
          "whenChanged",
          "uSNChanged",
          "distinguishedName",
          "subSchemaSubEntry",
          "modifyTimestamp",
          "unknown");

  private static final List<Change> CHANGES =
      List.of(
          new Change(ALICE, "l", List.of("Paris", "Rome")),
          new Change(ALICE, "description", List.of("one", "two")),
          new Change(ALICE, "displayName", List.of("Alice", "Bob")),
          new Change(SambaDirectory.person("staff1"), "l", List.of("Paris", "Rome")),
          new Change(GROUP, "member", members()),
          new Change("CN=group1," + SambaDirectory.GROUPS, "member", members()),
          new Change(SambaDirectory.PEOPLE, "description", List.of("one", "two")));

  private static List<String> members() {
    return IntStream.range(0, 4).mapToObj(i -> SambaDirectory.person("staff" + i)).toList();
  }

  private static List<Control> controls() {
    return List.of(
        new Control("1.2.840.113556.1.4.529", true), // extended DNs
        new Control("1.2.840.113556.1.4.417", true), // show deleted entries
        new Control("1.2.840.113556.1.4.2064", false), // show recycled entries
        new Control("1.2.840.113556.1.4.1339", false), // domain scope
        new Control( // owner, group and access rules of the security descriptor
            "1.2.840.113556.1.4.801", true, new ASN1OctetString(new byte[] {0x30, 3, 2, 1, 7})),
        new Control( // search options
            "1.2.840.113556.1.4.1340", false, new ASN1OctetString(new byte[] {0x30, 3, 2, 1, 1})),
        new ServerSideSortRequestControl(false, new SortKey("sAMAccountName")),
        new SimplePagedResultsControl(2, null, false),
        new SimplePagedResultsControl(1000, null, true),
        new Control("1.2.3.4.5", false),
        new Control("1.2.3.4.5", true));
  }

  @Override
  public World start(List<Stoas.Kind> kinds) {
    SambaDirectory server = SambaDirectory.start();
    Stoas stoas =
        new Stoas(
            server.address(),
            SambaDirectory.ROOT,
            Stoas.people("*," + SambaDirectory.PEOPLE, SambaDirectory.SUFFIX, "description"),
            context -> false);
    World world = World.before(server, List.of(server), identities(), stoas, kinds);
    world.direct().becomeAnonymousAfterRefusedBinds();
    return world;
  }

  @Override
  public String toString() {
    return name();
  }
}
