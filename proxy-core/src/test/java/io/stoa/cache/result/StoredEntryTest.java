// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import static io.stoa.testing.SmallDirectory.octets;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoa.cache.result.StoredEntry.EntryState;
import io.stoa.cache.result.StoredEntry.ReadContext;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.schema.AttributeSelection;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.testing.SmallDirectory;
import io.stoa.testing.Soak;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class StoredEntryTest {
  private static final List<byte[]> CN = List.of(octets("cn"));
  private static final List<byte[]> CN_AND_SN = List.of(octets("cn"), octets("sn"));
  private static final Csn NOW = new Csn("20260101000000.000002Z#000000#001#000000");

  private final EntryTable table = new EntryTable();

  private static AttributeSelection selection(String... names) {
    return AttributeSelection.of(
        Arrays.stream(names).map(n -> n.getBytes(StandardCharsets.UTF_8)).toList(),
        ServerProfile.EXACT);
  }

  private static StoredEntry read(
      AttributeSelection selection, long epoch, long sent, EntryState state) {
    return read("", "", "cn=x", selection, epoch, sent, state);
  }

  private static StoredEntry read(
      String partition,
      String form,
      String dn,
      AttributeSelection selection,
      long epoch,
      long sent,
      EntryState state) {
    ReadContext context =
        new ReadContext(Octets.ofUtf8(partition), Octets.ofUtf8(form), selection, List.of(), null);
    byte[] op = SearchEntry.encode(octets(dn), List.of());
    return new StoredEntry(context, op, epoch, sent, state);
  }

  private static StoredEntry read(AttributeSelection selection, long epoch, long sent) {
    return read(selection, epoch, sent, EntryState.UNKNOWN);
  }

  private static StoredEntry named(String partition, String form, String dn) {
    return read(partition, form, dn, selection("cn"), 1, 10, EntryState.UNKNOWN);
  }

  private static StoredEntry reported(AttributeSelection selection, long asOf) {
    return read(selection, 1, asOf, EntryState.feedOnly(NOW));
  }

  private static StoredEntry shows(String content, long epoch, long sent) {
    Csn state = Csn.substituteFor(content.getBytes(StandardCharsets.UTF_8));
    return read(selection("cn"), epoch, sent, new EntryState(state, 0, false));
  }

  /** Returns the read of the entry that serves any result of it. */
  private StoredEntry find(AttributeSelection selection, long epoch) {
    return table.find(read(selection, 1, 0), selection, epoch, null);
  }

  @Test
  void differentSelectionsAreKeptSideBySide() {
    table.add(read(selection("cn"), 1, 10));
    table.add(read(selection("mail"), 1, 20));
    assertThat(find(selection("cn"), 1)).isNotNull();
    assertThat(find(selection("mail"), 1)).isNotNull();
    assertThat(find(selection("cn", "mail"), 1)).isNull();
    assertThat(table.count()).isEqualTo(1);
  }

  @Test
  void theSameSelectionIsReplaced() {
    StoredEntry first = table.add(read(selection("cn"), 1, 10));
    StoredEntry second = table.add(read(selection("cn"), 1, 20));
    assertThat(find(selection("cn"), 1)).isSameAs(second);
    assertThat(first.find(selection("cn"), 1, null)).isNull();
    assertThat(first.newer()).isNull();
  }

  /** A large group may be the answer to many searches. */
  @Test
  void equalReadsShareTheirOctets() {
    StoredEntry first = table.add(read(selection("cn"), 1, 0));
    for (int i = 1; i < 1_000; i++) {
      StoredEntry later = table.add(read(selection("cn"), 1, i));
      assertThat(later.op()).isSameAs(first.op());
    }
    assertThat(first.newer()).as("superseded reads keep no newer ones").isNull();
    assertThat(find(selection("cn"), 1).asOf()).isEqualTo(999);
  }

  /** What shows less need not be made of it for each who asks for less. */
  @Test
  void equallyNewSelectionsAreKeptSideBySide() {
    AttributeSelection less = AttributeSelection.of(CN, SmallDirectory.PROFILE);
    AttributeSelection more = AttributeSelection.of(CN_AND_SN, SmallDirectory.PROFILE);
    table.addReport(reported(less, 20), NOW);
    table.addReport(reported(more, 20), NOW);
    StoredEntry any = reported(less, 0);
    assertThat(table.find(any, less, StoredEntry.ANY_EPOCH, NOW).selection()).isEqualTo(less);
    table.addReport(reported(more, 30), NOW);
    assertThat(table.find(any, less, StoredEntry.ANY_EPOCH, NOW).asOf()).isEqualTo(30);
  }

  @Test
  void theOldestSelectionGoesWhenThereAreTooMany() {
    for (int i = 0; i <= 4; i++) {
      table.add(read(selection("a" + i), 1, i));
    }
    assertThat(find(selection("a0"), 1)).isNull();
    assertThat(find(selection("a1"), 1)).isNotNull();
    assertThat(find(selection("a4"), 1)).isNotNull();
  }

  @Test
  void readsOfAnEarlierEpochAreDropped() {
    table.add(read(selection("cn"), 1, 10));
    StoredEntry newer = table.add(read(selection("mail"), 2, 20));
    assertThat(find(selection("cn"), 1)).isNull();
    assertThat(table.add(read(selection("cn"), 1, 30))).isSameAs(newer);
    assertThat(find(selection("cn"), 1)).isNull();
  }

  /** What stands for a state says nothing of which is later. */
  @Test
  void aLaterReadReplacesAStateWithoutOrder() {
    for (String other : List.of("b", "c", "d", "e", "f")) {
      EntryTable own = new EntryTable();
      StoredEntry early = shows("a", 1, 10);
      StoredEntry late = shows(other, 1, 20);
      own.add(early);
      StoredEntry added = own.add(late);
      assertThat(added.asOf()).isEqualTo(20);
      assertThat(own.add(shows("a", 1, 10))).isSameAs(added);
      assertThat(own.find(late, selection("cn"), 1, early.version())).isNull();
    }
  }

  /** An entry in another state might not be in the result. */
  @Test
  void aStateIsFoundOnlyInItsEpoch() {
    StoredEntry read = shows("a", 1, 10);
    table.add(read);
    assertThat(read.find(selection("cn"), 1, read.version())).isSameAs(read);
    Csn other = shows("b", 1, 10).version();
    assertThat(read.find(selection("cn"), 1, other)).isNull();
    assertThat(read.find(selection("cn"), 2, read.version())).isNull();
  }

  @Test
  void entriesDifferByIdentityFormAndName() {
    table.add(named("", "", "cn=x"));
    table.add(named("cn=me", "", "cn=x"));
    table.add(named("", "form", "cn=x"));
    table.add(named("", "", "cn=y"));
    assertThat(table.count()).isEqualTo(4);
    table.add(named("", "", "cn=x"));
    assertThat(table.count()).isEqualTo(4);
  }

  /** Names of any length are found in the encoded entry. */
  @Test
  void theNameIsReadFromTheEntry() {
    for (int length : new int[] {0, 1, 100, 127, 128, 255, 256, 70_000}) {
      String dn = "x".repeat(length);
      assertThat(named("", "", dn).dn()).isEqualTo(Octets.ofUtf8(dn));
    }
  }

  /** Each result holds each of its reads. The last one that releases the newest read removes it. */
  @Test
  void entriesStayWhileAResultHoldsTheirNewestRead() {
    Random random = new Random(Soak.seed());
    Map<String, List<StoredEntry>> held = new HashMap<>();
    for (int round = 0; round < 100_000; round++) {
      String name = "cn=" + random.nextInt(2_000);
      List<StoredEntry> reads = held.computeIfAbsent(name, any -> new ArrayList<>());
      if (random.nextInt(1_000) < (round / 10_000 % 2 == 0 ? 700 : 300) || reads.isEmpty()) {
        reads.add(table.add(named("", "", name)));
      } else {
        table.release(reads.remove(random.nextInt(reads.size())));
      }
    }
    held.values().removeIf(reads -> reads.stream().allMatch(StoredEntry::isSuperseded));
    assertThat(table.count()).isEqualTo(held.size());
    held.forEach(
        (name, reads) -> {
          StoredEntry found = table.find(named("", "", name), selection("cn"), 1, null);
          assertThat(found).as(name).isIn(reads);
          reads.forEach(table::release);
        });
    assertThat(table.count()).isZero();
  }

  /** A small result keeps no large read of a result that was dropped, in either order. */
  @Test
  void aReadThatNoResultHoldsIsUnlinked() {
    StoredEntry first = table.add(read(selection("cn"), 1, 10));
    StoredEntry second = table.add(read(selection("sn"), 1, 20));
    StoredEntry third = table.add(read(selection("mail"), 1, 30));
    table.release(second);
    assertThat(first.newer()).isSameAs(third);
    assertThat(find(selection("sn"), 1)).isNull();
    assertThat(table.hold(second)).isFalse();
    table.release(first);
    assertThat(find(selection("cn"), 1)).isNull();
    assertThat(find(selection("mail"), 1)).isSameAs(third);
    assertThat(table.hold(third)).isTrue();
    table.release(third);
    assertThat(table.count()).isOne();
    table.release(third);
    assertThat(table.count()).isZero();
  }

  @Test
  void anEntryThatNoResultHoldsCannotBeReleased() {
    StoredEntry read = named("", "", "cn=x");
    assertThatThrownBy(() -> table.release(read)).isInstanceOf(IllegalStateException.class);
  }
}
