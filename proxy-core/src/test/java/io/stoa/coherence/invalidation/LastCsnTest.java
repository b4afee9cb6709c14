// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import static io.stoa.testing.SmallDirectory.CONTEXT;
import static io.stoa.testing.SmallDirectory.csn;
import static io.stoa.testing.SmallDirectory.modified;
import static io.stoa.testing.SmallDirectory.person;
import static io.stoa.testing.SmallDirectory.uuid;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Modified;
import io.stoa.feed.event.Change.Receipt;
import io.stoa.feed.event.Change.Reporter;
import io.stoa.ldap.csn.Position;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What is known of changes before the last one of an entry. */
class LastCsnTest {
  private static final long SECOND = 1_000_000_000;

  private final ChangeRing ring =
      new ChangeRing(
          new ChangeRing.Bounds(Duration.ofMinutes(1), 1_000, Duration.ofMinutes(1), 1_000_000),
          CONTEXT,
          Position.NONE,
          gone -> {});
  private final LastCsn last = new LastCsn();

  private void report(int number, long seconds) {
    Change change = modified(1, person("cn=a,dc=x", "Smith"), number);
    last.note(ring.append(change, seconds * SECOND), true);
  }

  private boolean isOvertaken(int number) {
    Change own = modified(1, person("cn=a,dc=x", "Smith"), number);
    Receipt answered = new Receipt(csn(number), null, 0, Reporter.OWN_WRITE);
    return last.isOvertaken(new Modified(uuid(1), own.dn(), own.image(), answered));
  }

  @Test
  void theLastChangeIsNotOvertaken() {
    report(5, 0);
    assertThat(isOvertaken(5)).isFalse();
  }

  @Test
  void recentChangesAreKnownAsOvertaken() {
    report(5, 0);
    report(6, 1);
    report(7, 2);
    assertThat(isOvertaken(5)).isTrue();
    assertThat(isOvertaken(6)).isTrue();
    assertThat(isOvertaken(4)).isFalse();
  }

  /** No more than a few, however many are told. */
  @Test
  void theOldestOfManyIsForgotten() {
    for (int number = 1; number <= 20; number++) {
      report(number, 0);
    }
    assertThat(isOvertaken(2)).isFalse();
    assertThat(isOvertaken(19)).isTrue();
  }

  /** Else what changes now and then would take room that nobody counts. */
  @Test
  void oldChangesAreForgotten() {
    report(5, 0);
    report(6, 1);
    report(7, 10);
    assertThat(isOvertaken(5)).isFalse();
    assertThat(isOvertaken(6)).isFalse();
  }
}
