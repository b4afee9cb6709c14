// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import static io.stoa.testing.SmallDirectory.CONTEXT;
import static io.stoa.testing.SmallDirectory.csn;
import static io.stoa.testing.SmallDirectory.deleted;
import static io.stoa.testing.SmallDirectory.dn;
import static io.stoa.testing.SmallDirectory.modified;
import static io.stoa.testing.SmallDirectory.person;
import static io.stoa.testing.SmallDirectory.query;
import static io.stoa.testing.SmallDirectory.renamed;
import static io.stoa.testing.SmallDirectory.unit;
import static io.stoa.testing.SmallDirectory.unmarked;
import static io.stoa.testing.SmallDirectory.upTo;
import static io.stoa.testing.SmallDirectory.uuid;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.coherence.invalidation.ChangeRing.Bounds;
import io.stoa.coherence.invalidation.ChangeRing.ReadSummary;
import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Modified;
import io.stoa.feed.event.Change.Receipt;
import io.stoa.feed.event.Change.Reporter;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.filter.Query;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ChangeRingTest {
  private static final Query MILLERS = query("ou=p,dc=x", 2, "(sn=miller)");
  private static final long FIRST = 1_000;

  private final Bounds bounds =
      new Bounds(Duration.ofHours(1), 100_000, Duration.ofHours(1), 1 << 30);
  private final ChangeRing ring = new ChangeRing(bounds, CONTEXT, upTo(0), gone -> {});

  private void append(Change change) {
    ring.append(change, FIRST);
    Position cookie = change.receipt().cookie();
    if (cookie != null) {
      ring.covered(cookie);
    }
  }

  private static ReadSummary reading(Query query, Set<Uuid> shown, Position had) {
    Map<Uuid, NormalDn> names = new HashMap<>();
    shown.forEach(uuid -> names.put(uuid, dn("cn=x,ou=p,dc=x")));
    return new ReadSummary(query, names, false, had, Long.MAX_VALUE / 2);
  }

  private List<Long> relevant(ReadSummary reading) {
    return ring.relevantTo(reading).stream().map(RingRecord::seq).sorted().toList();
  }

  @Test
  void findsChangesOfShownAndOfMatchingEntries() {
    append(modified(1, person("cn=a,ou=p,dc=x", "Miller"), 1));
    append(modified(2, person("cn=b,ou=p,dc=x", "Smith"), 2));
    append(modified(3, person("cn=c,ou=q,dc=x", "Miller"), 3));
    append(deleted(4, "cn=d,ou=p,dc=x", 4));
    assertThat(relevant(reading(MILLERS, Set.of(), upTo(0)))).containsExactly(1L);
    assertThat(relevant(reading(MILLERS, Set.of(uuid(2), uuid(4)), upTo(0))))
        .containsExactly(1L, 2L, 4L);
  }

  @Test
  void onlyTheLastChangeOfAShownEntryCounts() {
    append(modified(1, person("cn=a,ou=p,dc=x", "Miller"), 1));
    append(modified(1, person("cn=a,ou=p,dc=x", "Smith"), 2));
    assertThat(relevant(reading(MILLERS, Set.of(uuid(1)), upTo(0)))).containsExactly(2L);
  }

  /** The last one may be undone without a word: then a result that lacks the entry is too old. */
  @Test
  void anEarlierChangeOfAnUnshownEntryMayCount() {
    append(modified(1, person("cn=a,ou=p,dc=x", "Miller"), 1));
    append(modified(1, person("cn=a,ou=p,dc=x", "Smith"), 2));
    append(modified(2, person("cn=b,ou=p,dc=x", "Miller"), 3));
    append(deleted(2, "cn=b,ou=p,dc=x", 4));
    append(modified(3, person("cn=c,ou=p,dc=x", "Smith"), 5));
    assertThat(relevant(reading(MILLERS, Set.of(), upTo(0)))).containsExactly(1L, 3L);
  }

  /** What was done through Stoa is there, and so is nothing that was before it. */
  @Test
  void anOwnWriteIsNeverUndone() {
    append(modified(1, person("cn=a,ou=p,dc=x", "Miller"), 1));
    Receipt answered = new Receipt(csn(2), null, 0, Reporter.OWN_WRITE);
    Image smith = person("cn=a,ou=p,dc=x", "Smith");
    append(new Modified(uuid(1), smith.dn(), smith, answered));
    assertThat(relevant(reading(MILLERS, Set.of(), upTo(0)))).isEmpty();
  }

  @Test
  void theLastChangeIsTheOneWithTheHighestCsn() {
    append(modified(1, person("cn=a,ou=p,dc=x", "Miller"), 9));
    append(modified(1, person("cn=a,ou=p,dc=x", "Smith"), 8));
    assertThat(relevant(reading(MILLERS, Set.of(), upTo(0)))).containsExactly(1L);
  }

  @Test
  void aSubtreeMoveIsNotForgottenForALaterChange() {
    append(renamed(1, "ou=old,dc=x", unit("ou=p,dc=x"), 1));
    append(modified(1, unit("ou=p,dc=x"), 2));
    assertThat(relevant(reading(MILLERS, Set.of(), upTo(0)))).contains(1L);
  }

  @Test
  void readersStopWhereAllBeforeIsCoveredAndHasSettled() {
    for (int i = 1; i <= 200; i++) {
      append(modified(i, person("cn=a" + i + ",ou=p,dc=x", "Miller"), i));
    }
    assertThat(relevant(reading(MILLERS, Set.of(), upTo(200)))).hasSizeLessThan(100);
    assertThat(relevant(reading(MILLERS, Set.of(), upTo(0)))).hasSize(200);
    ReadSummary unsettled = new ReadSummary(MILLERS, Map.of(), false, upTo(200), FIRST);
    assertThat(relevant(unsettled)).hasSize(200);
  }

  @Test
  void readersDoNotStopBehindAChangeThatIsAheadOfTheCookies() {
    for (int i = 1; i <= 63; i++) {
      append(modified(i, person("cn=a" + i + ",ou=p,dc=x", "Miller"), i));
    }
    append(
        new Modified(
            uuid(64),
            dn("cn=own,ou=p,dc=x"),
            person("cn=own,ou=p,dc=x", "Miller"),
            unmarked(csn(500))));
    for (int i = 65; i <= 130; i++) {
      append(modified(i, person("cn=a" + i + ",ou=p,dc=x", "Miller"), i));
    }
    assertThat(relevant(reading(MILLERS, Set.of(), upTo(130)))).contains(64L);
  }

  @Test
  void onlyReportedPositionsAreCovered() {
    append(new Modified(uuid(1), dn("cn=a,dc=x"), person("cn=a,dc=x", "Miller"), unmarked(csn(7))));
    assertThat(ring.covered()).isEqualTo(upTo(0));
    assertThat(ring.covered(upTo(5))).isEqualTo(upTo(5));
    assertThat(ring.covered(upTo(3))).isEqualTo(upTo(5));
  }

  /** Also where another ring goes on, and whoever made the change. */
  @Test
  void reachedIncludesUncoveredChanges() {
    append(new Modified(uuid(1), dn("cn=a,dc=x"), person("cn=a,dc=x", "Miller"), unmarked(csn(7))));
    Csn strange = csn(3, "002");
    append(new Modified(uuid(2), dn("cn=b,dc=x"), person("cn=b,dc=x", "Smith"), unmarked(strange)));
    Position all = upTo(7).merge(strange.toPosition(CONTEXT));
    assertThat(ring.reached()).isEqualTo(all);
    assertThat(new ChangeRing(ring, gone -> {}).reached()).isEqualTo(all);
  }

  @Test
  void changesOfSeveralServersAreCoveredEachByItsOwnCount() {
    ring.append(
        new Modified(
            uuid(1),
            dn("cn=a,ou=p,dc=x"),
            person("cn=a,ou=p,dc=x", "Miller"),
            unmarked(csn(7, "002"))),
        FIRST);
    RingRecord record = ring.relevantTo(reading(MILLERS, Set.of(), upTo(9))).get(0);
    assertThat(record.isCoveredBy(upTo(9))).isFalse();
    assertThat(record.isCoveredBy(upTo(9).merge(csn(7, "002").toPosition(CONTEXT)))).isTrue();
  }
}
