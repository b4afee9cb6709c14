// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.rights;

import static io.stoa.testing.SmallDirectory.octets;
import static io.stoa.testing.SmallDirectory.upTo;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.feed.event.Change;
import io.stoa.feed.event.PrivilegedReader;
import io.stoa.feed.event.PrivilegedReader.ReadFailure;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.testing.SmallDirectory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When rights are taken for what they were, and when not. */
class RightsWatchTest implements PrivilegedReader {
  private static final ReadFailure DENIED = new ReadFailure(50, "insufficient access rights");
  private static final ReadFailure BUSY = new ReadFailure(51, "busy");
  private static final String DATABASE = "olcDatabase={1}mdb,cn=config";
  private static final String GROUP = "cn=g,dc=x";
  private static final String READ_BY_ALL = "{0}to * by * read";

  private long now = 1_000_000_000;
  private final RightsWatermark watermark =
      new RightsWatermark(
          Duration.ofSeconds(5), Duration.ZERO, LongUnaryOperator.identity(), () -> now);
  private final List<SearchEntry> configuration = new ArrayList<>();
  private final Set<String> seen = new HashSet<>(Set.of(GROUP));
  private final Set<String> members = new TreeSet<>(Set.of("cn=a,dc=x", "cn=b,dc=x"));
  private boolean membersFail;
  private ReadFailure failure;
  private String obstacle = "";
  private String defect = "";
  private int changes;
  private Position reached = Position.NONE;
  private final List<Runnable> applying = new ArrayList<>();
  private final Replica replica = new Replica();
  private final List<RightsWatch.Server> servers =
      new ArrayList<>(List.of(new RightsWatch.Server("one", this, true)));
  private final RightsWatch watch =
      new RightsWatch(
          new RightsWatch.Config(
              "dc=x",
              Duration.ofSeconds(5),
              null,
              () -> unlessBroken("servers", servers),
              () -> unlessBroken("obstacle", obstacle.isEmpty() ? null : obstacle),
              new ReadGrant(
                  octets("cn=feed,dc=x"),
                  dn -> unlessBroken("names", NormalDn.of(dn, SmallDirectory.PROFILE)),
                  type -> false),
              () -> changes++,
              found -> applying.add(() -> found.accept(reached))),
          watermark,
          this,
          DerivedConfig.DEFAULTS);
  private final ChangeRules rules =
      new ChangeRules(
          watermark,
          () -> DerivedAttributes.of(DerivedConfig.DEFAULTS, SmallDirectory.RULES),
          watch::groups,
          SmallDirectory.CONTEXT);

  private <T> T unlessBroken(String what, T value) {
    if (defect.equals(what)) {
      throw new IllegalStateException(what);
    }
    if (defect.equals("stack of " + what)) {
      throw new StackOverflowError(what);
    }
    return value;
  }

  @Override
  public void search(
      Search search, Consumer<List<SearchEntry>> found, Consumer<ReadFailure> failed) {
    String base = unlessBroken("reader", new String(search.base(), StandardCharsets.UTF_8));
    if (failure != null) {
      failed.accept(failure);
    } else if (base.equals("cn=config")) {
      found.accept(List.copyOf(configuration));
    } else if (membersFail && search.attributes().contains("member")) {
      failed.accept(new ReadFailure(85, "timeout"));
    } else {
      String names = search.attributes().contains("member") ? String.join("\n", members) : "";
      SearchEntry group =
          names.isEmpty()
              ? entry(base, "entryUUID", "x")
              : entry(base, "entryUUID", "x", "member", names);
      found.accept(seen.contains(base) ? List.of(group) : List.of());
    }
  }

  /** Another server, of which a feed need not be able to come. */
  private static final class Replica implements PrivilegedReader {
    private final List<SearchEntry> configuration = new ArrayList<>();
    private ReadFailure failure;
    private ReadFailure membersFailure;
    private String member = "cn=a,dc=x";

    @Override
    public void search(
        Search search, Consumer<List<SearchEntry>> found, Consumer<ReadFailure> failed) {
      String base = new String(search.base(), StandardCharsets.UTF_8);
      if (!base.equals("cn=config") && membersFailure != null) {
        failed.accept(membersFailure);
      } else if (!base.equals("cn=config")) {
        found.accept(List.of(entry(base, "entryUUID", "x", "uniqueMember", member)));
      } else if (failure == null) {
        found.accept(List.copyOf(configuration));
      } else {
        failed.accept(failure);
      }
    }
  }

  private static SearchEntry entry(String dn, String... pairs) {
    List<byte[]> attributes = new ArrayList<>();
    for (int i = 0; i < pairs.length; i += 2) {
      List<byte[]> values =
          Arrays.stream(pairs[i + 1].split("\n")).map(SmallDirectory::octets).toList();
      attributes.add(SearchEntry.encodeAttribute(octets(pairs[i]), values));
    }
    try {
      return SearchEntry.parse(SearchEntry.encode(octets(dn), attributes));
    } catch (LdapProtocolException e) {
      throw new AssertionError(e);
    }
  }

  private static SearchEntry database(String name, String version, String... rules) {
    return entry(
        name,
        "olcDatabase",
        "{1}mdb",
        "olcSuffix",
        "dc=X",
        "entryCSN",
        version,
        "olcAccess",
        String.join("\n", rules));
  }

  /** Beside the first, with rules of its own. */
  private void replica(String version, String... rules) {
    replica.configuration.clear();
    replica.configuration.add(database("olcDatabase={7}mdb,cn=config", version, rules));
    replica.configuration.addAll(configuration.subList(2, 4));
  }

  private void set(String version, String... rules) {
    configuration.clear();
    configuration.add(database(DATABASE, version, rules));
    overlay("{0}syncprov");
    configuration.add(entry("olcDatabase={-1}frontend,cn=config", "olcDatabase", "{-1}frontend"));
    configuration.add(entry("cn=config", "objectClass", "olcGlobal"));
  }

  private void overlay(String name, String... settings) {
    String[] pairs = new String[settings.length + 2];
    pairs[0] = "olcOverlay";
    pairs[1] = name;
    System.arraycopy(settings, 0, pairs, 2, settings.length);
    configuration.add(entry("olcOverlay=" + name + "," + DATABASE, pairs));
  }

  private boolean isWatched() {
    now += 1_000_000;
    watch.run(() -> now);
    return watermark.isWatched(now);
  }

  /** Why the servers may not show entries as their databases hold them; empty if they do. */
  private String foreign() {
    isWatched();
    String why = watch.foreign(now);
    return why == null ? "" : why;
  }

  /** Rights may be watched where it is not proved, and the other way round. */
  @Test
  void localDatabasesWithoutComputingOverlaysAreAProof() {
    assertThat(foreign()).contains("cannot read cn=config");
    set("1", "{0}to * by set=\"x\" read");
    overlay("{1}memberof");
    configuration.add(entry("olcDatabase={2}monitor,cn=config", "olcDatabase", "{2}monitor"));
    assertThat(isWatched()).isFalse();
    assertThat(foreign()).isEmpty();
    failure = BUSY;
    assertThat(foreign()).isEmpty();
    now += Duration.ofMinutes(11).toNanos();
    assertThat(foreign()).contains("older than 10 min");
    failure = null;
    assertThat(foreign()).isEmpty();
    obstacle = "somewhere else";
    assertThat(foreign()).isEqualTo("somewhere else");
  }

  /** A denied account has no proof any more; a silent server keeps it for a while. */
  @Test
  void theResultCodeDistinguishesADeniedAccountFromASilentServer() {
    set("1", READ_BY_ALL);
    assertThat(foreign()).isEmpty();
    failure = new ReadFailure(51, "50 (insufficient access rights)");
    assertThat(foreign()).isEmpty();
    failure = new ReadFailure(50, "51 (busy): 50 (insufficient access rights)");
    assertThat(foreign()).contains("cannot read cn=config");
  }

  @ParameterizedTest
  @ValueSource(strings = {"dynlist", "rwm", "valsort", "collect", "translucent", "unheardof"})
  void anUnsupportedOverlayIsNoProof(String overlay) {
    set("1", READ_BY_ALL);
    assertThat(foreign()).isEmpty();
    overlay("{1}" + overlay);
    assertThat(foreign()).isEqualTo("unsupported overlay " + overlay);
  }

  @Test
  void anUnsupportedDatabaseIsNoProof() {
    set("1", READ_BY_ALL);
    configuration.add(
        entry("olcOverlay={0}chain,olcDatabase={-1}frontend,cn=config", "olcOverlay", "{0}chain"));
    assertThat(foreign()).isEqualTo("unsupported overlay chain");
    set("1", READ_BY_ALL);
    configuration.add(entry("olcDatabase={2}ldap,cn=config", "olcDatabase", "{2}ldap"));
    assertThat(foreign()).isEqualTo("unsupported database type ldap");
    set("1", READ_BY_ALL);
    configuration.add(
        entry("olcDatabase={2}mdb,cn=config", "olcDatabase", "{2}mdb", "olcSubordinate", "TRUE"));
    assertThat(foreign()).isEqualTo("databases are glued (olcSubordinate)");
    set("1", READ_BY_ALL);
    configuration.add(entry("olcDatabase={2}mdb,cn=config", "olcPlugin", "preoperation x.so f"));
    assertThat(foreign()).isEqualTo("plugins are loaded (olcPlugin)");
    configuration.clear();
    assertThat(foreign()).contains("cannot read cn=config");
  }

  /** Each server that may answer is read. */
  @Test
  void oneServerWithoutProofRefutesTheOthers() {
    set("1", READ_BY_ALL);
    replica("1", READ_BY_ALL);
    servers.add(new RightsWatch.Server("two", replica, false));
    assertThat(foreign()).isEmpty();
    replica.configuration.add(entry("olcDatabase={2}meta,cn=config", "olcDatabase", "{2}meta"));
    assertThat(foreign()).isEqualTo("unsupported database type meta (two)");
    replica.configuration.clear();
    assertThat(foreign()).contains("cannot read cn=config", "(two)");
  }

  @Test
  void unchangedRulesAreWatched() {
    assertThat(isWatched()).isFalse(); // nothing can be read
    assertThat(watermark.revocations()).isZero();
    set("1", READ_BY_ALL);
    assertThat(isWatched()).isTrue();
    long revocations = watermark.revocations();
    assertThat(isWatched()).isTrue();
    assertThat(watermark.revocations()).isEqualTo(revocations);
    failure = BUSY;
    assertThat(isWatched()).isFalse();
    failure = null;
    assertThat(isWatched()).isTrue();
    assertThat(watermark.revocations()).isEqualTo(revocations);
  }

  @Test
  void aChangeOfRulesRevokesEarlierAnswers() {
    set("1", READ_BY_ALL);
    isWatched();
    set("2", READ_BY_ALL, "{1}to * by * none");
    assertThat(isWatched()).isTrue();
    assertThat(watermark.oldest(now)).isEqualTo(now);
    set("3", READ_BY_ALL); // what was given in between may have been more
    long revocations = watermark.revocations();
    set("4", READ_BY_ALL, "{1}to * by * none");
    isWatched();
    assertThat(watermark.revocations()).isGreaterThan(revocations);
  }

  @Test
  void serversWithEqualRulesAreWatched() {
    set("1", READ_BY_ALL);
    replica("8", READ_BY_ALL);
    servers.add(new RightsWatch.Server("two", replica, false));
    assertThat(isWatched()).isTrue();
    assertThat(revokes(() -> replica("9", READ_BY_ALL, "{1}to * by * none"))).isTrue();
    assertThat(isWatched()).isFalse(); // who may see what depends on who is asked
    assertThat(revokes(() -> set("2", READ_BY_ALL, "{1}to * by * none"))).isTrue();
    assertThat(isWatched()).isTrue();
    assertThat(revokes(() -> {})).isFalse();
    replica.failure = DENIED;
    assertThat(isWatched()).isFalse();
  }

  /** Nobody knows what it was meanwhile, and it may have answered before it is asked. */
  @Test
  void anUnreachableServerRevokesRightsWhenItReturns() {
    set("1", READ_BY_ALL);
    replica("8", READ_BY_ALL);
    servers.add(new RightsWatch.Server("two", replica, false));
    assertThat(isWatched()).isTrue();
    assertThat(revokes(() -> replica.failure = new ReadFailure(91, "connect error"))).isFalse();
    assertThat(isWatched()).isFalse();
    assertThat(revokes(() -> replica.failure = null)).isTrue();
    assertThat(isWatched()).isTrue();
    servers.remove(1); // an administrator has taken it away
    assertThat(revokes(() -> {})).isFalse();
    assertThat(isWatched()).isTrue();
    assertThat(revokes(() -> servers.add(new RightsWatch.Server("two", replica, false)))).isTrue();
    assertThat(isWatched()).isTrue();
  }

  /** Of changes on one server is known, whatever has become of another. */
  @Test
  void anUnreachableServerDoesNotHideChangesOfOthers() {
    set("1", READ_BY_ALL);
    replica("8", READ_BY_ALL);
    servers.add(0, new RightsWatch.Server("two", replica, false));
    assertThat(isWatched()).isTrue();
    replica.failure = new ReadFailure(91, "connect error");
    assertThat(revokes(() -> set("2", READ_BY_ALL, "{1}to * by * none"))).isTrue();
  }

  private void setRepaired() {
    set("1", READ_BY_ALL, "{1}to * by group=" + GROUP + " write");
    overlay("{1}refint", "olcRefintAttribute", "member");
  }

  /** A directory that repairs names in groups tells nobody. */
  @Test
  void aMemberRemovedByRefintIsNoticed() {
    setRepaired();
    assertThat(isWatched()).isTrue();
    assertThat(revokes(() -> {})).isFalse();
    assertThat(revokes(() -> members.remove("cn=a,dc=x"))).isTrue();
    assertThat(revokes(() -> {})).isFalse();
    assertThat(isWatched()).isTrue();
    failure = BUSY; // for as long nobody knows
    assertThat(revokes(() -> {})).isFalse();
    assertThat(isWatched()).isFalse();
    failure = null;
    assertThat(revokes(() -> {})).isFalse();
    assertThat(revokes(() -> members.add("cn=c,dc=x"))).isTrue();
  }

  /** Each repairs its own. */
  @Test
  void aMemberRemovedByRefintOnAnotherServerIsNoticed() {
    setRepaired();
    replica("8", READ_BY_ALL, "{1}to * by group=" + GROUP + " write");
    servers.add(new RightsWatch.Server("two", replica, false));
    assertThat(isWatched()).isTrue();
    assertThat(watch.groups().mayBeRepaired()).isFalse();
    assertThat(revokes(() -> {})).isFalse();
    assertThat(revokes(() -> replica.member = "cn=b,dc=x")).isTrue();
  }

  /** It may be any group, so that nobody can look who is in it. */
  @Test
  void everyDeletionCountsIfAPatternNamesTheGroup() {
    set("1", READ_BY_ALL, "{1}to dn.regex=\"ou=(.+),dc=x$\" by group.expand=\"cn=$1,dc=x\" write");
    overlay("{1}refint", "olcRefintAttribute", "member");
    isWatched();
    assertThat(watch.groups().mayBeRepaired()).isTrue();
  }

  /** Nobody in it may be nobody who is shown. */
  @Test
  void everyDeletionCountsIfAGroupShowsNoMembers() {
    setRepaired();
    assertThat(isWatched()).isTrue();
    assertThat(watch.groups().mayBeRepaired()).isFalse();
    assertThat(revokes(members::clear)).isTrue();
    assertThat(isWatched()).isTrue();
    assertThat(watch.groups().mayBeRepaired()).isTrue();
  }

  /** What is read of a group beside its members is read all the same. */
  @Test
  void everyDeletionCountsIfMembersCannotBeRead() {
    membersFail = true;
    setRepaired();
    assertThat(isWatched()).isTrue();
    assertThat(watch.groups().mayBeRepaired()).isTrue();
    membersFail = false;
    assertThat(revokes(() -> {})).isFalse();
    now += Duration.ofHours(1).toNanos();
    assertThat(isWatched()).isTrue();
    assertThat(watch.groups().mayBeRepaired()).isFalse();
  }

  /** A server that was not asked may have taken somebody out meanwhile. */
  @Test
  void groupsOfAReturnedServerAreReadAgain() {
    setRepaired();
    replica("8", READ_BY_ALL, "{1}to * by group=" + GROUP + " write");
    servers.add(new RightsWatch.Server("two", replica, false));
    assertThat(isWatched()).isTrue();
    replica.membersFailure = new ReadFailure(52, "unavailable");
    assertThat(isWatched()).isTrue(); // any deletion counts
    assertThat(watch.groups().mayBeRepaired()).isTrue();
    replica.failure = new ReadFailure(52, "unavailable");
    assertThat(isWatched()).isFalse();
  }

  @Test
  void tooLargeGroupsAreNotReadAgain() {
    IntStream.range(0, 6_000).forEach(number -> members.add("cn=" + number + ",dc=x"));
    setRepaired();
    assertThat(isWatched()).isTrue();
    assertThat(watch.groups().mayBeRepaired()).isTrue();
    assertThat(revokes(() -> members.remove("cn=a,dc=x"))).isFalse(); // any deletion revokes
    assertThat(watch.groups().mayBeRepaired()).isTrue();
  }

  private boolean revokes(Runnable change) {
    long before = watermark.revocations();
    change.run();
    isWatched();
    return watermark.revocations() > before;
  }

  /** The feed tells it, and what was told before is needed from then on. */
  private void apply(Change change) {
    reached = reached.merge(change.receipt().csn().toPosition(SmallDirectory.CONTEXT));
    rules.accept(change);
  }

  /** Somebody has left it. */
  private static Change left(int number) {
    Map<String, String> group =
        Map.of("objectClass", "groupOfNames", "cn", "g", "hasSubordinates", "FALSE");
    return SmallDirectory.modified(1, SmallDirectory.image(GROUP, group), number);
  }

  /** A server that lacks the change shows still what that somebody may not see any more. */
  @Test
  void changesFromBeforeTheFirstReadingMayConcernItsGroups() {
    apply(left(5));
    assertThat(watermark.admitsRights(upTo(4))).isTrue(); // nobody knows yet
    set("1", "{0}to * by group=\"" + GROUP + "\" read");
    assertThat(isWatched()).isTrue();
    applying.forEach(Runnable::run);
    assertThat(watermark.admitsRights(upTo(4))).isFalse();
    assertThat(watermark.admitsRights(upTo(5))).isTrue();
    assertThat(watermark.oldest(now)).isEqualTo(now);
    apply(SmallDirectory.modified(2, SmallDirectory.person("cn=a,dc=x", "A"), 6));
    assertThat(watermark.admitsRights(upTo(5))).isTrue();
  }

  /**
   * Whatever is applied in between is one of those that are told, or finds its group among them.
   */
  @Test
  void changesAppliedAfterAReadingConcernItsGroups() {
    set("1", "{0}to * by group=\"" + GROUP + "\" read");
    assertThat(isWatched()).isTrue();
    assertThat(applying).hasSize(1);
    apply(left(5));
    assertThat(watermark.admitsRights(upTo(4))).isFalse();
    applying.clear();
    assertThat(isWatched()).isTrue();
    assertThat(applying).isEmpty(); // nothing has changed
  }

  /** A rule may name it long after somebody has left it. */
  @Test
  void changesFromBeforeARuleMayConcernItsGroups() {
    set("1", READ_BY_ALL);
    isWatched();
    applying.forEach(Runnable::run);
    applying.clear();
    apply(left(5));
    set("2", "{0}to * by group=\"" + GROUP + "\" read");
    assertThat(isWatched()).isTrue();
    applying.forEach(Runnable::run);
    assertThat(watermark.admitsRights(upTo(4))).isFalse();
    assertThat(watermark.admitsRights(upTo(5))).isTrue();
  }

  /** A reading that fails in any way is over, and there is another one. */
  @ParameterizedTest
  @ValueSource(strings = {"servers", "reader", "names", "stack of names", "obstacle"})
  void aDefectEndsOneReadingOnly(String where) {
    set("1", "{0}to * by group=\"" + GROUP + "\" read");
    replica("8", "{0}to * by group=\"" + GROUP + "\" read");
    for (int i = 0; i < 2; i++) {
      assertThat(isWatched()).isTrue();
      defect = where;
      assertThat(isWatched()).isFalse();
      assertThat(isWatched()).isFalse();
      defect = "";
      assertThat(isWatched()).isTrue();
      servers.add(new RightsWatch.Server("two", replica, false));
    }
  }

  @Test
  void visibleGroupsMayDecide() {
    set("1", "{0}to * by group=\"" + GROUP + "\" read");
    assertThat(isWatched()).isTrue();
    assertThat(watch.groups().named()).containsExactly(SmallDirectory.dn(GROUP));
    seen.clear();
    assertThat(isWatched()).isFalse();
    set("2", "{0}to * by group=\"cn=g,dc=elsewhere\" read");
    seen.add("cn=g,dc=elsewhere");
    assertThat(isWatched()).isFalse();
    set("3", "{0}to * by group.expand=\"cn=$1,dc=x\" read");
    assertThat(isWatched()).isTrue();
    assertThat(watch.groups().any()).isTrue();
    set("4", "{0}to * by group.expand=\"cn=$1,dc=y\" read");
    assertThat(isWatched()).isFalse();
  }

  /** A member of such a group may be given more entries than others. */
  @Test
  void groupsNamedByLimitsMayDecide() {
    set("1", READ_BY_ALL);
    limits("{0}group=\"" + GROUP + "\" size=10");
    assertThat(isWatched()).isTrue();
    assertThat(watch.groups().named()).containsExactly(SmallDirectory.dn(GROUP));
    seen.clear();
    assertThat(isWatched()).isFalse();
    set("2", READ_BY_ALL);
    limits("{0}group/groupOfURLs/memberURL=\"" + GROUP + "\" size=10");
    assertThat(isWatched()).isFalse();
  }

  private void limits(String value) {
    configuration.add(
        entry("olcDatabase={-1}frontend", "olcDatabase", "{-1}frontend", "olcLimits", value));
  }

  @Test
  void unsupportedRulesAreNotWatched() {
    set("1", "{0}to * by peername.ip=10.0.0.1 read");
    assertThat(isWatched()).isFalse();
    set("2", READ_BY_ALL);
    overlay("{1}rwm");
    assertThat(isWatched()).isFalse();
    set("3", READ_BY_ALL);
    assertThat(isWatched()).isTrue();
    configuration.remove(1); // no overlay at all: the feed needs one, so not all is seen
    assertThat(isWatched()).isFalse();
    set("4", READ_BY_ALL);
    obstacle = "several servers";
    assertThat(isWatched()).isFalse();
    obstacle = "";
    assertThat(isWatched()).isTrue();
    failure = DENIED;
    assertThat(isWatched()).isFalse();
  }

  @Test
  void aPartOfTheConfigurationIsNotWatched() {
    set("1", READ_BY_ALL);
    assertThat(isWatched()).isTrue();
    configuration.remove(3); // what holds for the server as a whole
    assertThat(isWatched()).isFalse();
    set("2", READ_BY_ALL);
    configuration.remove(2); // the rules of the frontend follow those of each database
    assertThat(isWatched()).isFalse();
  }

  /** The feed of one tells nothing of the other. */
  @Test
  void groupsInAnotherDatabaseAreNotWatched() {
    set("1", READ_BY_ALL);
    configuration.add(
        entry("olcDatabase={2}mdb", "olcDatabase", "{2}mdb", "olcSuffix", "ou=g,dc=x"));
    assertThat(isWatched()).isTrue();
    seen.add("cn=g,ou=g,dc=x");
    set("2", "{0}to * by group=\"cn=g,ou=g,dc=x\" read");
    assertThat(isWatched()).isTrue();
    configuration.add(
        entry("olcDatabase={2}mdb", "olcDatabase", "{2}mdb", "olcSuffix", "ou=g,dc=x"));
    assertThat(isWatched()).isFalse();
  }

  @Test
  void groupsOfUnknownClassesAreNotWatched() {
    set("1", READ_BY_ALL);
    overlay("{1}memberof", "olcMemberOfGroupOC", "organizationalRole");
    assertThat(isWatched()).isFalse();
    set("2", READ_BY_ALL);
    overlay("{1}memberof", "olcMemberOfMemberAD", "roleOccupant");
    assertThat(isWatched()).isFalse();
    set("3", READ_BY_ALL);
    overlay("{1}dynlist", "olcDynListAttrSet", "{0}myGroup myURL member");
    assertThat(isWatched()).isFalse();
  }

  @Test
  void overlaysDefineTheDerivedAttributes() {
    set("1", READ_BY_ALL);
    isWatched();
    int before = changes;
    overlay("{1}refint", "olcRefintAttribute", "manager");
    overlay("{2}memberof", "olcMemberOfMemberOfAD", "isIn", "olcMemberOfRefInt", "TRUE");
    overlay(
        "{3}dynlist", "olcDynListAttrSet", "{0}groupOfURLs memberURL member+memberOf@groupOfNames");
    assertThat(isWatched()).isTrue();
    assertThat(changes).isEqualTo(before + 1);
    assertThat(watch.derived().linked()).containsExactly("manager", "member");
    assertThat(watch.derived().groups()).containsExactly("memberOf", "isMemberOf", "isIn");
    assertThat(watch.derived().composed()).containsExactly("member");
    isWatched();
    assertThat(changes).isEqualTo(before + 1);
  }
}
