// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Entry;
import io.stoa.feed.event.PrivilegedReader;
import io.stoa.sim.SimChange.Kind;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** The directory of the simulator does what was seen of OpenLDAP. */
class SimDirectoryTest {
  private static final long LONG = 5_000 * Faults.MILLIS;
  private static final String PERSON = SimNames.person(0, 0);
  private static final SimChange CHANGE = new SimChange(Kind.MODIFY, PERSON, "new");
  private static final SimChange IMPOSSIBLE = new SimChange(Kind.DELETE, "cn=no,dc=x", "");

  private final VirtualTime time = new VirtualTime(new StatelessRandom(1));
  private final List<SimCommit> commits = new ArrayList<>();
  private SimDirectory directory;

  private void directory(Quirk... quirks) {
    Faults faults =
        new Faults(
            new StatelessRandom(2),
            Fault.NONE,
            Set.of(quirks),
            VirtualTime.START,
            VirtualTime.START);
    directory = new SimDirectory(time, faults, SimTree.FIRST, true);
    directory.primary().whenAnnounced(commits::add);
  }

  private SimServer replica() {
    return directory.servers().get(1);
  }

  private String flag(SimServer server) {
    SimSearch search =
        new SimSearch(SimNames.ADMIN, PERSON, 0, "(objectClass=*)", List.of(SimTree.FLAG));
    return server.answer(search, time.now()).entries().toString();
  }

  private int write(SimChange change) {
    List<Integer> codes = new ArrayList<>();
    directory.write(change, codes::add);
    time.runUntil(time.now() + LONG);
    return codes.get(0);
  }

  private long after(BooleanSupplier done) {
    long start = time.now();
    while (!done.getAsBoolean() && time.now() < start + LONG) {
      time.runUntil(time.now() + Faults.MILLIS);
    }
    return time.now() - start;
  }

  @Test
  void aWriteReachesTheReplica() {
    directory();
    assertThat(write(CHANGE)).isZero();
    assertThat(flag(directory.primary())).contains("new");
    assertThat(flag(replica())).contains("new");
    assertThat(replica().position()).isEqualTo(directory.primary().position());
  }

  @Test
  void aTransactionIsAnnouncedBeforeItIsRead() {
    directory(Quirk.EARLY_NOTICE);
    directory.transaction(List.of(CHANGE), false);
    assertThat(commits).hasSize(1);
    assertThat(directory.primary().position()).isEqualTo(SimCsn.position(1));
    assertThat(flag(directory.primary())).doesNotContain("new");
    assertThat(after(() -> flag(directory.primary()).contains("new")))
        .isBetween(Faults.MILLIS, 300 * Faults.MILLIS);
  }

  /** Whoever writes meanwhile has to wait. */
  @Test
  void writesWaitForARunningTransaction() {
    directory(Quirk.EARLY_NOTICE);
    directory.transaction(List.of(CHANGE), false);
    assertThat(write(new SimChange(Kind.MODIFY, PERSON, "newer"))).isZero();
    assertThat(commits).hasSize(2);
    assertThat(flag(directory.primary())).contains("newer");
  }

  @Test
  void anAbortedTransactionLeavesNothing() {
    directory();
    directory.transaction(List.of(CHANGE, IMPOSSIBLE), false);
    directory.transaction(List.of(CHANGE), true);
    time.runUntil(time.now() + LONG);
    assertThat(commits).isEmpty();
    assertThat(flag(directory.primary())).doesNotContain("new");
  }

  /** Its prefix is announced, and a replica keeps it until the entry is written again. */
  @Test
  void anAbortedTransactionMakesReplicasDiverge() {
    directory(Quirk.PHANTOM);
    directory.transaction(List.of(CHANGE, IMPOSSIBLE), false);
    time.runUntil(time.now() + LONG);
    assertThat(commits).hasSize(1).allMatch(SimCommit::undone);
    assertThat(flag(directory.primary())).doesNotContain("new");
    assertThat(flag(replica())).contains("new");
    assertThat(replica().position()).isEqualTo(directory.primary().position());
    assertThat(write(new SimChange(Kind.MODIFY, PERSON, "healed"))).isZero();
    assertThat(flag(replica())).contains("healed").isEqualTo(flag(directory.primary()));
  }

  @Test
  void memberOfChangesWithoutANotice() {
    directory();
    Entry before = entry();
    assertThat(write(new SimChange(Kind.JOIN, SimNames.group(0), PERSON))).isZero();
    assertThat(commits)
        .extracting(SimCommit::uuid)
        .doesNotContain(before.getAttributeValue("entryUUID"));
    assertThat(entry().getAttributeValue(SimGroups.MEMBER_OF)).isEqualTo(SimNames.group(0));
    assertThat(entry().getAttributeValue(SimTree.CSN))
        .isEqualTo(before.getAttributeValue(SimTree.CSN));
    assertThat(write(new SimChange(Kind.LEAVE, SimNames.group(0), PERSON))).isZero();
    assertThat(entry()).isEqualTo(before);
  }

  private Entry entry() {
    return entry(PERSON);
  }

  private Entry entry(String dn) {
    SimTimeline timeline = directory.timeline();
    return timeline.tree(timeline.newest()).get(dn);
  }

  @Test
  void refintRepairsAGroupWithoutANotice() {
    directory(Quirk.HIDDEN_REFINT);
    String group = SimNames.group(0);
    String other = SimNames.person(0, 1);
    assertThat(write(new SimChange(Kind.JOIN, group, PERSON))).isZero();
    int csn = SimCsn.entryNumber(entry(group));
    assertThat(write(new SimChange(Kind.RENAME, PERSON, other))).isZero();
    assertThat(entry(group).getAttributeValues(SimGroups.MEMBER)).contains(other);
    assertThat(write(new SimChange(Kind.DELETE, other, ""))).isZero();
    assertThat(entry(group).getAttributeValues(SimGroups.MEMBER)).containsExactly(SimNames.ADMIN);
    assertThat(SimCsn.entryNumber(entry(group))).isEqualTo(csn);
    assertThat(commits).hasSize(3);
  }

  @Test
  void aSubtreeThatIsRenamedIsOneChange() {
    directory();
    String there = SimNames.container(SimNames.PRESENT_CONTAINERS);
    assertThat(write(new SimChange(Kind.RENAME, SimNames.container(0), there))).isZero();
    assertThat(commits).hasSize(1);
    SimTree tree = directory.timeline().tree(directory.primary().state());
    Entry child = tree.get(SimNames.person(0, SimNames.PRESENT_CONTAINERS));
    assertThat(SimCsn.entryNumber(child)).isZero();
    assertThat(tree.get(PERSON)).isNull();
  }

  @Test
  void aPendingWriteHoldsThePositionBack() {
    directory(Quirk.PENDING_CSN);
    int late = 0;
    for (int i = 1; i <= 20; i++) {
      directory.write(new SimChange(Kind.MODIFY, PERSON, "n" + i), code -> {});
      late += SimCsn.number(directory.primary().position()) < i ? 1 : 0;
      time.runUntil(time.now() + 20 * Faults.MILLIS);
      assertThat(SimCsn.number(directory.primary().position())).isEqualTo(i);
    }
    assertThat(late).isBetween(1, 19);
  }

  @Test
  void accessRulesHoldFromWhenTheyChange() {
    directory();
    SimSearch search =
        new SimSearch(SimNames.CLERK, PERSON, 0, "(objectClass=*)", List.of(SimTree.PHONE));
    assertThat(feedReadsEntry(search)).doesNotContain(SimTree.PHONE);
    directory.setRules(3);
    assertThat(feedReadsEntry(search)).contains(SimTree.PHONE);
    directory.setRules(SimAcl.BY_GROUP);
    assertThat(feedReadsEntry(search)).doesNotContain(SimTree.PHONE);
    assertThat(write(new SimChange(Kind.JOIN, SimNames.group(0), SimNames.CLERK))).isZero();
    assertThat(feedReadsEntry(search)).contains(SimTree.PHONE);
  }

  private String feedReadsEntry(SimSearch search) {
    return directory.primary().answer(search, time.now()).entries().toString();
  }

  /** The identity of the feed is shown UUIDs and CSNs, and nothing of what is hidden from it. */
  @Test
  void theFeedAccountSeesNoHiddenEntries() {
    directory(Quirk.HIDDEN_SUBTREE);
    Faults faults =
        new Faults(
            new StatelessRandom(2),
            Fault.NONE,
            Set.of(Quirk.HIDDEN_SUBTREE),
            VirtualTime.START,
            VirtualTime.START);
    SimReader reader = new SimReader(time, faults, directory.primary(), Runnable::run);
    assertThat(read(reader, PERSON)).contains(SimTree.UUID).contains(SimTree.CSN);
    assertThat(read(reader, SimNames.person(1, 1))).isEmpty();
  }

  private String read(SimReader reader, String dn) {
    List<String> read = new ArrayList<>();
    byte[] base = dn.getBytes(StandardCharsets.UTF_8);
    byte[] filter = "(objectClass=*)".getBytes(StandardCharsets.UTF_8);
    PrivilegedReader.Search search =
        new PrivilegedReader.Search(base, 0, filter, List.of("*", "+"));
    reader.search(
        search,
        found ->
            found.forEach(
                entry ->
                    entry
                        .attributes()
                        .forEach(one -> read.add(new String(one.type(), StandardCharsets.UTF_8)))),
        failed -> read.add(failed.text()));
    time.runUntil(time.now() + LONG);
    return String.join(" ", read);
  }
}
