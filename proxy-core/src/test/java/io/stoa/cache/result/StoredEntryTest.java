// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import static io.stoa.testing.SmallDirectory.octets;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.AttributeSelection;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.testing.SmallDirectory;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class StoredEntryTest {
  private static final StoredEntry.Key KEY =
      new StoredEntry.Key(Octets.EMPTY, Octets.EMPTY, Octets.ofUtf8("cn=x"));

  private static final List<byte[]> CN = List.of(octets("cn"));
  private static final List<byte[]> CN_AND_SN = List.of(octets("cn"), octets("sn"));

  private static AttributeSelection selection(String... names) {
    return AttributeSelection.of(
        Arrays.stream(names).map(n -> n.getBytes(StandardCharsets.UTF_8)).toList(),
        ServerProfile.EXACT);
  }

  private static StoredEntry.Read read(AttributeSelection selection, long epoch, long sent) {
    return new StoredEntry.Read(
        selection,
        new EncodedResponse(new byte[] {1}),
        new Lookup.Origin(List.of(), epoch, sent, null),
        StoredEntry.EntryState.UNKNOWN);
  }

  private static StoredEntry of(StoredEntry.Read read) {
    return new StoredEntry(KEY, new StoredEntry.Read[] {read});
  }

  @Test
  void differentSelectionsAreKeptSideBySide() {
    StoredEntry entry = of(read(selection("cn"), 1, 10)).with(read(selection("mail"), 1, 20));
    assertThat(entry.find(selection("cn"), 1)).isNotNull();
    assertThat(entry.find(selection("mail"), 1)).isNotNull();
    assertThat(entry.find(selection("cn", "mail"), 1)).isNull();
  }

  @Test
  void theSameSelectionIsReplaced() {
    StoredEntry entry = of(read(selection("cn"), 1, 10)).with(read(selection("cn"), 1, 20));
    assertThat(entry.reads()).hasSize(1);
    assertThat(entry.reads()[0].asOf()).isEqualTo(20);
  }

  /** What shows less need not be made of it for each who asks for less. */
  @Test
  void equallyNewSelectionsAreKeptSideBySide() {
    Csn now = new Csn("20260101000000.000002Z#000000#001#000000");
    AttributeSelection less = AttributeSelection.of(CN, SmallDirectory.PROFILE);
    AttributeSelection more = AttributeSelection.of(CN_AND_SN, SmallDirectory.PROFILE);
    StoredEntry entry = of(reported(less, 20, now)).updated(reported(more, 20, now), now);
    assertThat(entry.find(less, now).selection()).isEqualTo(less);
    entry = entry.updated(reported(more, 30, now), now);
    assertThat(entry.reads()).hasSize(1);
    assertThat(entry.find(less, now).asOf()).isEqualTo(30);
  }

  private static StoredEntry.Read reported(AttributeSelection selection, long asOf, Csn version) {
    return new StoredEntry.Read(
        selection,
        new EncodedResponse(new byte[] {1}),
        new Lookup.Origin(List.of(), 1, asOf, null),
        StoredEntry.EntryState.feedOnly(version));
  }

  @Test
  void theOldestSelectionGoesWhenThereAreTooMany() {
    StoredEntry entry = of(read(selection("a0"), 1, 0));
    for (int i = 1; i <= 4; i++) {
      entry = entry.with(read(selection("a" + i), 1, i));
    }
    assertThat(entry.reads()).hasSize(4);
    assertThat(entry.find(selection("a0"), 1)).isNull();
    assertThat(entry.find(selection("a1"), 1)).isNotNull();
  }

  @Test
  void readsOfAnEarlierEpochAreDropped() {
    StoredEntry entry = of(read(selection("cn"), 1, 10)).with(read(selection("mail"), 2, 20));
    assertThat(entry.reads()).hasSize(1);
    assertThat(entry.find(selection("cn"), 1)).isNull();
    assertThat(entry.with(read(selection("cn"), 1, 30))).isSameAs(entry);
  }

  private static StoredEntry.Read shows(String content, long epoch, long sent) {
    Csn state = Csn.substituteFor(content.getBytes(StandardCharsets.UTF_8));
    return new StoredEntry.Read(
        selection("cn"),
        new EncodedResponse(new byte[] {1}),
        new Lookup.Origin(List.of(), epoch, sent, null),
        new StoredEntry.EntryState(state, 0, false));
  }

  /** What stands for a state says nothing of which is later. */
  @Test
  void aLaterReadReplacesAStateWithoutOrder() {
    for (String other : List.of("b", "c", "d", "e", "f")) {
      StoredEntry.Read late = shows(other, 1, 20);
      assertThat(of(shows("a", 1, 10)).with(late).reads()).containsExactly(late);
      assertThat(of(late).with(shows("a", 1, 10)).reads()).containsExactly(late);
    }
  }

  /** An entry in another state might not be in the result. */
  @Test
  void aStateIsFoundOnlyInItsEpoch() {
    StoredEntry.Read read = shows("a", 1, 10);
    StoredEntry entry = of(read);
    assertThat(entry.find(selection("cn"), 1, read.version())).isSameAs(read);
    assertThat(entry.find(selection("cn"), 1, shows("b", 1, 10).version())).isNull();
    assertThat(entry.find(selection("cn"), 2, read.version())).isNull();
  }

  @Test
  void keysDifferByIdentityAndByValues() {
    Octets dn = Octets.ofUtf8("cn=x");
    assertThat(new StoredEntry.Key(Octets.ofUtf8("cn=me"), Octets.EMPTY, dn)).isNotEqualTo(KEY);
    assertThat(new StoredEntry.Key(Octets.EMPTY, Octets.ofUtf8("form"), dn)).isNotEqualTo(KEY);
    assertThat(new StoredEntry.Key(Octets.EMPTY, Octets.EMPTY, dn)).isEqualTo(KEY);
  }
}
