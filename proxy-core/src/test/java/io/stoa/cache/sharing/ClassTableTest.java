// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import static io.stoa.testing.SmallDirectory.octets;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoa.cache.sharing.SharingClass.Attributes;
import io.stoa.feed.event.PrivilegedReader;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.Profiles;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.operation.ClientIdentity;
import io.stoa.testing.SmallDirectory;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who shares what is stored, and who does not. */
class ClassTableTest {
  private static final long ALL = -1;
  private static final String GROUP = "cn=apps,dc=x";
  private static final Duration KNOWN = Duration.ofSeconds(5);

  private final List<Set<Octets>> dropped = new ArrayList<>();
  private long now;

  private ClassTable table(Declaration... declared) {
    ClassTable table =
        new ClassTable(
            new ClassTable.Bounds(true, 1000, 1_000_000),
            new SharingConfig(List.of(declared), 1000),
            System::nanoTime,
            below -> 1);
    table.setProfile(SmallDirectory.PROFILE);
    table.onDropped(dropped::add);
    return table;
  }

  private static Declaration members(String name, String... patterns) {
    return new Declaration(name, List.of(patterns), List.of(), "dc=x", Attributes.ALL, false);
  }

  private static Declaration group() {
    return new Declaration("g", List.of(), List.of(GROUP), "dc=x", Attributes.ALL, false);
  }

  private static Octets simple(String dn) {
    return ClientIdentity.simple(octets(dn), null).name();
  }

  private SharingClass of(ClassTable table, String dn) {
    return table.of(simple(dn), ALL, now);
  }

  @Test
  void identitiesShareNothingWithoutClasses() {
    ClassTable table = table();
    assertThat(of(table, "cn=a,dc=x").partition()).isNotEqualTo(of(table, "cn=b,dc=x").partition());
    assertThat(of(table, "cn=a,dc=x").partition()).isEqualTo(of(table, "cn=a,dc=x").partition());
    assertThat(of(table, "cn=a,dc=x").shared()).isFalse();
  }

  @Test
  void membersShareAndOthersDoNot() {
    ClassTable table = table(members("k", "cn=a,ou=s,dc=x", "CN=B, ou=s, dc=x"));
    SharingClass one = of(table, "cn=a,ou=s,dc=x");
    SharingClass two = of(table, "cn=b,ou=S,DC=x");
    assertThat(one.shared()).isTrue();
    assertThat(one.name()).isEqualTo("k");
    assertThat(two.partition()).isEqualTo(one.partition());
    assertThat(of(table, "cn=c,ou=s,dc=x").shared()).isFalse();
    assertThat(table.of(Octets.EMPTY, ALL, now).shared()).isFalse();
  }

  /** What looks after the caches asks as somebody who would be given what is stored. */
  @Test
  void allPartitionsOfAnIdentityAreKnown() {
    ClassTable table = table(members("k", "cn=a,dc=x"), members("l", "cn=a,dc=x"));
    Octets name = simple("cn=a,dc=x");
    Octets own = table.of(name, 0, now).partition();
    Octets first = table.of(name, 1, now).partition();
    SharingClass second = table.of(name, 2, now);
    assertThat(table.partitions(name, now))
        .containsExactlyInAnyOrder(own, first, second.partition());
    ClassMember member = second.reader();
    assertThat(member).isNotNull();
    hold(member);
    assertThat(table.partitions(name, now)).containsExactlyInAnyOrder(own, first);
    assertThat(table.partitions(Octets.EMPTY, now)).containsExactly(Octets.EMPTY);
    assertThat(table.partitions(simple("cn=b,dc=x"), now)).doesNotContain(own, first);
  }

  private static void hold(ClassMember member) {
    member.classState().open(new MismatchInvestigation(member, new ScriptedHit(0), false, 0, 0));
  }

  private static void forgetAll(ClassTable table) {
    table.setBounds(new ClassTable.Bounds(true, 0, 1_000_000));
    table.setBounds(new ClassTable.Bounds(true, 1000, 1_000_000));
  }

  @Test
  void anEvictedMemberIsOnProbationAgain() {
    ClassTable table = table(members("k", "*,dc=x"));
    ClassMember before = of(table, "cn=a,dc=x").member();
    for (int hit = 0; hit < ClassMember.PROBATION; hit++) {
      before.onAgreement();
    }
    assertThat(before.isOnProbation(0)).isFalse();
    forgetAll(table);
    ClassMember after = of(table, "cn=a,dc=x").reader();
    assertThat(after).isNotNull().isNotSameAs(before);
    assertThat(after.isOnProbation(0)).isTrue();
  }

  /** Else it would be rid of what could not be verified as soon as enough others have come. */
  @Test
  void anEvictedMemberKeepsItsPendingVerifications() {
    ClassTable table = table(members("k", "*,dc=x"));
    ClassMember before = of(table, "cn=a,dc=x").member();
    VerifiableHit.Hit first = () -> ScriptedHit.answer(0);
    VerifiableHit.Hit second = () -> ScriptedHit.answer(0);
    before.addPending(first, now);
    forgetAll(table);
    SharingClass after = of(table, "cn=a,dc=x");
    assertThat(after.shared()).isFalse();
    assertThat(after.member()).isNotNull().isNotSameAs(before);
    assertThat(after.member().duePending(now)).containsExactly(first);
    before.addPending(second, now); // that of which it is known only now that there was no answer
    after.member().onVerified(first);
    assertThat(of(table, "cn=a,dc=x").shared()).isFalse();
    after.member().onVerified(second);
    assertThat(of(table, "cn=a,dc=x").shared()).isTrue();
    assertThat(of(table, "cn=b,dc=x").shared()).isTrue();
  }

  /** The directory takes them for the same; in what it is not sure to do so, they may be. */
  @Test
  void aMismatchHoldsForAllSpellingsOfAName() {
    ClassTable table = table(members("k", "**,dc=x"));
    for (String dn : List.of("cn=a,dc=x", "unknown=a,dc=x")) {
      String other = dn.toUpperCase(Locale.ROOT).replace(",", " , ");
      ClassMember member = of(table, dn).member();
      assertThat(of(table, other).member()).isNotSameAs(member);
      VerifiableHit.Hit hit = () -> ScriptedHit.answer(0);
      member.addPending(hit, now);
      assertThat(of(table, other).shared()).isFalse();
      of(table, other).member().onVerified(hit);
      assertThat(of(table, other).shared()).isTrue();
      hold(member);
      assertThat(of(table, other).shared()).isFalse();
      assertThat(of(table, "cn=b,dc=x").shared()).isTrue();
    }
  }

  /** It would be somebody else than who binds with another spelling from then on. */
  @Test
  void aMemberRenamedByTheSchemaStartsAnewUnlessHeld() {
    ClassTable table = table(members("k", "*,dc=x", "sn=b,dc=x"));
    ClassMember retained = of(table, "cn=a,dc=x").member();
    table.setProfile(SmallDirectory.PROFILE);
    assertThat(of(table, "cn=a,dc=x").member()).isSameAs(retained);
    table.setProfile(ServerProfile.EXACT);
    ClassMember before = of(table, "sn=b,dc=x").member();
    for (int hit = 0; hit < ClassMember.PROBATION; hit++) {
      before.onAgreement();
    }
    table.setProfile(SmallDirectory.PROFILE);
    ClassMember after = of(table, "sn=b,dc=x").member();
    assertThat(after).isNotSameAs(before);
    assertThat(after.isOnProbation(0)).isTrue();
    hold(after);
    assertThat(of(table, "SN=b,dc=x").shared()).isFalse();
    table.setProfile(ServerProfile.EXACT);
    assertThat(of(table, "sn=b,dc=x").shared()).isFalse();
  }

  @Test
  void requestsOutsideTheDeclarationAreNotShared() {
    ClassTable table = table(members("k", "cn=a,dc=x"), members("l", "cn=a,dc=x"));
    Octets name = simple("cn=a,dc=x");
    assertThat(table.of(name, 0, now).shared()).isFalse();
    assertThat(table.of(name, 1, now).name()).isEqualTo("k");
    assertThat(table.of(name, 2, now).name()).isEqualTo("l");
    assertThat(table.of(name, 3, now).name()).isEqualTo("k");
    assertThat(table.of(name, 4, now).shared()).isFalse();
  }

  /** The directory may let depend on it what a client is given. */
  @Test
  void identitiesOfAnotherKindShareNothing() throws Exception {
    ClassTable table = table(members("k", "*,dc=x"));
    ClientIdentity one = ClientIdentity.simple(octets("cn=a,dc=x"), null);
    ClientIdentity sasl = ClientIdentity.sasl("DIGEST-MD5", octets("dn:cn=b,dc=x"));
    InetAddress first = InetAddress.getByName("192.0.2.1");
    InetAddress second = InetAddress.getByName("192.0.2.2");
    List<Octets> partitions =
        List.of(
            table.of(one.name(), ALL, now).partition(),
            table.of(sasl.name(), ALL, now).partition(),
            table.of(one.from(first).name(), ALL, now).partition(),
            table.of(one.from(second).name(), ALL, now).partition());
    assertThat(partitions).doesNotHaveDuplicates();
    ClientIdentity other = ClientIdentity.sasl("DIGEST-MD5", octets("dn:cn=c,dc=x"));
    assertThat(table.of(other.name(), ALL, now).partition()).isEqualTo(partitions.get(1));
    ClientIdentity unnamed = ClientIdentity.sasl("DIGEST-MD5", octets("u:c"));
    assertThat(table.of(unnamed.name(), ALL, now).shared()).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "cn=a,dc=x        | cn=a,dc=x        | true",
        "cn=a,dc=x        | cn=b,cn=a,dc=x   | false",
        "*,ou=s,dc=x      | cn=a,ou=s,dc=x   | true",
        "*,ou=s,dc=x      | ou=s,dc=x        | false",
        "*,ou=s,dc=x      | cn=b,cn=a,ou=s,dc=x | false",
        "**,ou=s,dc=x     | cn=b,cn=a,ou=s,dc=x | true",
        "**,ou=s,dc=x     | ou=s,dc=x        | false",
        "**,ou=s,dc=x     | cn=a,ou=t,dc=x   | false",
        "cn=*,ou=s,dc=x   | CN=a,ou=s,dc=x   | true",
        "cn=*,ou=s,dc=x   | cn = a,ou=s,dc=x | true",
        "cn=*,ou=s,dc=x   | sn=a,ou=s,dc=x   | false",
        "*,ou=s,dc=x      | nobody           | false",
        "*,ou=s,dc=x      | unknown=a,ou=s,dc=x | true",
        "*,unknown=s,dc=x | cn=a,unknown=S,dc=x | false",
        "*,ou=s\\,dc=x,dc=x | cn=a,ou=s,dc=x | false",
      })
  void patternsMatchOnlyCertainNames(String pattern, String dn, boolean matches) {
    NamePattern read = NamePattern.of(pattern, SmallDirectory.PROFILE);
    NormalDn name = NormalDn.of(octets(dn), SmallDirectory.PROFILE);
    assertThat(read.matches(octets(dn), name)).isEqualTo(matches);
  }

  @Test
  void noPatternIsCertainWithoutASchema() {
    NamePattern read = NamePattern.of("*,ou=s,dc=x", ServerProfile.EXACT);
    String dn = "cn=a,ou=S,dc=x";
    assertThat(read.matches(octets(dn), NormalDn.of(octets(dn), ServerProfile.EXACT))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "*", "**", "*,", "cn=*", "nonsense", "cn=*,cn=*,dc=x", "*,nonsense"})
  void invalidPatternsAreRefused(String pattern) {
    assertThatThrownBy(() -> NamePattern.check(pattern))
        .isInstanceOf(IllegalArgumentException.class);
  }

  // Groups

  /** A directory that holds the group. Not thread-safe. */
  private static final class Directory implements PrivilegedReader {
    private SearchEntry entry;
    private boolean answers = true;
    private int whole;

    void holds(String version, String... members) {
      entry =
          Profiles.entry(
              GROUP,
              Profiles.attribute("entryCSN", List.of(version)),
              Profiles.attribute("member", List.of(members)));
    }

    @Override
    public void search(
        Search search, Consumer<List<SearchEntry>> found, Consumer<ReadFailure> failed) {
      whole += search.attributes().contains("member") ? 1 : 0;
      if (answers) {
        found.accept(entry == null ? List.of() : List.of(entry));
      } else {
        failed.accept(ReadFailure.withoutResult("no answer"));
      }
    }
  }

  private GroupReader reader(ClassTable table, Directory directory) {
    return new GroupReader(table, dn -> directory, KNOWN, () -> now);
  }

  @Test
  void groupMembersShareWhileTheGroupIsKnown() {
    ClassTable table = table(group());
    Directory directory = new Directory();
    GroupReader reader = reader(table, directory);
    directory.holds("1", "cn=a,dc=x", "CN=B,dc=x");
    assertThat(of(table, "cn=a,dc=x").shared()).isFalse(); // it was not read yet
    reader.readAll();
    assertThat(of(table, "cn=a,dc=x").shared()).isTrue();
    assertThat(of(table, "cn=b,dc=x").shared()).isTrue();
    assertThat(of(table, "cn=c,dc=x").shared()).isFalse();
    now += KNOWN.toNanos() - 1;
    assertThat(of(table, "cn=a,dc=x").shared()).isTrue();
    now += 1;
    assertThat(of(table, "cn=a,dc=x").shared()).isFalse();
    assertThat(table.status(now).get(0).groupsUnknown()).isEqualTo(1);
    reader.readAll();
    assertThat(of(table, "cn=a,dc=x").shared()).isTrue();
    assertThat(directory.whole).as("an entry that has not changed is not read whole").isEqualTo(1);
  }

  @Test
  void aFormerGroupMemberSharesNoMore() {
    ClassTable table = table(group());
    Directory directory = new Directory();
    GroupReader reader = reader(table, directory);
    directory.holds("1", "cn=a,dc=x", "cn=b,dc=x");
    reader.readAll();
    Octets own = table.of(simple("cn=b,dc=x"), 0, now).partition();
    assertThat(of(table, "cn=b,dc=x").shared()).isTrue();
    directory.holds("2", "cn=a,dc=x", "cn=c,dc=x");
    reader.readAll();
    assertThat(of(table, "cn=a,dc=x").shared()).isTrue();
    assertThat(of(table, "cn=b,dc=x").shared()).isFalse();
    assertThat(of(table, "cn=b,dc=x").partition()).isEqualTo(own);
    assertThat(of(table, "cn=c,dc=x").shared()).isTrue();
  }

  @Test
  void aGroupThatIsGoneOrHiddenHasNoMembers() {
    ClassTable table = table(group());
    Directory directory = new Directory();
    GroupReader reader = reader(table, directory);
    directory.holds("1", "cn=a,dc=x");
    reader.readAll();
    assertThat(of(table, "cn=a,dc=x").shared()).isTrue();
    directory.entry = null;
    reader.readAll();
    assertThat(of(table, "cn=a,dc=x").shared()).isFalse();
  }

  @Test
  void anUnansweredGroupIsKnownUntilItExpires() {
    ClassTable table = table(group());
    Directory directory = new Directory();
    GroupReader reader = reader(table, directory);
    directory.holds("1", "cn=a,dc=x");
    reader.readAll();
    directory.answers = false;
    now += KNOWN.toNanos() / 2;
    reader.readAll();
    assertThat(of(table, "cn=a,dc=x").shared()).isTrue();
    now += KNOWN.toNanos() / 2;
    reader.readAll();
    assertThat(of(table, "cn=a,dc=x").shared()).isFalse();
  }

  // What is forgotten

  @Test
  void aForgottenIdentityDropsItsPartitions() {
    ClassTable table = table(members("k", "*,dc=x"));
    Octets shared = of(table, "cn=a,dc=x").partition();
    Octets own = table.of(simple("cn=a,dc=x"), 0, now).partition();
    assertThat(table.forget(name -> name.equals(simple("cn=a,dc=x")))).contains(shared, own);
    assertThat(of(table, "cn=a,dc=x").partition()).isNotEqualTo(shared);
    assertThat(of(table, "cn=b,dc=x").partition()).isEqualTo(of(table, "cn=a,dc=x").partition());
    assertThat(table.of(simple("cn=a,dc=x"), 0, now).partition()).isNotEqualTo(own);
  }

  @Test
  void onlyADemotedClassIsRestored() {
    ClassTable table = table(members("k", "*,dc=x"));
    SharingClass before = of(table, "cn=a,dc=x");
    assertThat(table.restore("k")).isFalse();
    assertThat(table.restore("other")).isFalse();
    before.member().classState().demote();
    assertThat(of(table, "cn=a,dc=x").shared()).isFalse();
    assertThat(table.status(now).get(0).demoted()).isTrue();
    assertThat(table.restore("k")).isTrue();
    SharingClass after = of(table, "cn=a,dc=x");
    assertThat(after.shared()).isTrue();
    assertThat(after.partition()).isNotEqualTo(before.partition());
    assertThat(after.member()).isNotSameAs(before.member());
  }

  /** The explanation of a search must find what the search itself would. */
  @Test
  void peekFindsThePartitionsThatAnIdentityKeepsUnderNewRules() {
    ClassTable table = table(members("k", "*,dc=x"));
    Octets name = simple("cn=a,dc=x");
    SharingClass own = table.of(name, 0, now);
    SharingClass shared = table.of(name, ALL, now);
    table.onMembersChanged();
    assertThat(table.peek(name, 0, now).partition()).isEqualTo(own.partition());
    assertThat(table.peek(name, ALL, now).member()).isSameAs(shared.member());
    assertThat(table.partitions(name, now)).contains(own.partition(), shared.partition());
  }

  @Test
  void peekAddsNoMember() {
    ClassTable table = table(members("k", "*,dc=x"));
    assertThat(table.peek(simple("cn=a,dc=x"), ALL, now).shared()).isTrue();
    assertThat(table.count()).isZero();
    assertThat(table.status(now).get(0).members()).isZero();
  }
}
