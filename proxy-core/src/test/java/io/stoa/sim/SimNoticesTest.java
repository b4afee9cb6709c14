// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Modified;
import io.stoa.feed.event.Change.Receipt;
import io.stoa.feed.event.Change.Reporter;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.sim.check.Read;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What was told and is not so explains nothing but what Stoa says that it may show. */
class SimNoticesTest {
  private static final String PERSON = SimNames.person(0, 0);
  private static final SimChange CHANGE = new SimChange(SimChange.Kind.MODIFY, PERSON, "f2");

  /** As long as the account takes to look: 400 ms, and what comes together, and the loops' time. */
  private static final long CHECK_DELAY = 424 * Faults.MILLIS;

  private final Faults faults = faults(true, Fault.NONE);
  private final VirtualTime time = new VirtualTime(faults.draws());
  private final SimDirectory directory = new SimDirectory(time, faults, SimTree.FIRST, false);
  private final SimNotices notices = directory.timeline().notices();

  private static Faults faults(boolean uniform, Fault fault) {
    EnumSet<Quirk> quirks = EnumSet.of(Quirk.PHANTOM, Quirk.EARLY_NOTICE);
    return LongStream.rangeClosed(1, 100)
        .mapToObj(seed -> new Faults(new StatelessRandom(seed), fault, quirks, 0, 0))
        .filter(one -> one.isUniform() == uniform)
        .findFirst()
        .orElseThrow();
  }

  private long announce(boolean abort) {
    notices.start(time, faults);
    directory.primary().whenAnnounced(commit -> notices.onReported(change(commit)));
    time.runUntil(VirtualTime.START + 1_000 * Faults.MILLIS);
    directory.transaction(List.of(CHANGE), abort);
    return time.now();
  }

  private static Change change(SimCommit commit) {
    byte[] uuid = commit.uuid().getBytes(StandardCharsets.US_ASCII);
    Csn csn = Csn.parse(SimCsn.text(commit.csn()).getBytes(StandardCharsets.US_ASCII));
    NormalDn dn = NormalDn.of(PERSON.getBytes(StandardCharsets.UTF_8), SimSchema.PROFILE);
    Receipt receipt = new Receipt(csn, null, 0, Reporter.FEED);
    return new Modified(Objects.requireNonNull(Uuid.parse(uuid)), dn, null, receipt);
  }

  private List<Integer> explained(String who, String dn, long when, int oldest) {
    Read read = new Read(1, who, "", dn, false, when, when, when, Read.MEMORY, 0, Map.of(), null);
    return notices.explainingStates(read, dn, oldest);
  }

  private List<Integer> explained(long when) {
    return explained(SimNames.ADMIN, PERSON, when, 0);
  }

  @Test
  void aPhantomIsExplainedUntilTheCheckIsDue() {
    long told = announce(true);
    assertThat(explained(told - 1)).isEmpty();
    assertThat(explained(told)).hasSize(1);
    assertThat(explained(told + CHECK_DELAY)).hasSize(1);
    assertThat(explained(told + CHECK_DELAY + 1)).isEmpty();
  }

  @Test
  void aSlowCheckExtendsThePhantom() {
    long told = announce(true);
    String uuid = SimTree.FIRST.get(PERSON).getAttributeValue(SimTree.UUID);
    long asked = told + 420 * Faults.MILLIS;
    time.runUntil(told + 2 * CHECK_DELAY);
    notices.onFeedRead("(entryUUID=another)", asked);
    assertThat(explained(time.now())).isEmpty();
    notices.onFeedRead("(entryUUID=" + uuid + ")", told + CHECK_DELAY + 1);
    assertThat(explained(time.now())).as("the notice came too late").isEmpty();
    notices.onFeedRead("(entryUUID=" + uuid + ")", asked);
    long over = time.now() + 100 * Faults.MILLIS;
    assertThat(explained(over)).as("the next notice may be on its way").hasSize(1);
    assertThat(explained(over + 2 * Faults.MILLIS + 1)).isEmpty();
  }

  @Test
  void aPhantomIsExplainedOnlyForItsReaderAndEntry() {
    long told = announce(true);
    assertThat(explained(SimNames.CLERK, PERSON, told, 0)).isEmpty();
    assertThat(explained(SimNames.ANONYMOUS, PERSON, told, 0)).isEmpty();
    assertThat(explained(SimNames.ADMIN, SimNames.person(1, 1), told, 0)).isEmpty();
    notices.start(time, faults(false, Fault.NONE));
    assertThat(explained(told)).as("no class is uniform").isEmpty();
  }

  @Test
  void anEarlyNoticeIsExplainedUntilTheCommit() {
    long told = announce(false);
    assertThat(directory.timeline().newest()).isZero();
    time.runUntil(told + 400 * Faults.MILLIS);
    long done = directory.timeline().since(1);
    assertThat(explained(told)).containsExactly(1);
    assertThat(explained(done)).containsExactly(1);
    assertThat(explained(done + 1)).as("from then on it is so").isEmpty();
  }

  @Test
  void aPhantomDoesNotExplainLaterWrites() {
    long told = announce(true);
    directory.write(new SimChange(SimChange.Kind.MODIFY, PERSON, "f1"), code -> {});
    directory.write(new SimChange(SimChange.Kind.MODIFY, SimNames.person(1, 1), "f1"), code -> {});
    assertThat(explained(SimNames.ADMIN, PERSON, told, 0)).hasSize(1);
    assertThat(explained(SimNames.ADMIN, PERSON, told, 1)).isEmpty();
    assertThat(explained(SimNames.ADMIN, PERSON, told, 2)).isEmpty();
  }
}
