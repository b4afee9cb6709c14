// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.accesslog;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.concurrent.ImmediateEventExecutor;
import io.stoa.feed.accesslog.LogFeed.Anchor;
import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Receipt;
import io.stoa.feed.event.Change.Reporter;
import io.stoa.feed.event.FeedGap;
import io.stoa.feed.event.FeedSink;
import io.stoa.feed.event.PrivilegedReader;
import io.stoa.feed.syncrepl.FeedCapabilities.FeedContext;
import io.stoa.feed.syncrepl.SyncContext;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.Uuid;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What becomes of records, however far entries are ahead of them or behind. */
class LogFeedTest {
  private static final String CONTEXT = "dc=x";
  private static final byte[] INNER = "ou=inner,dc=x".getBytes(UTF_8);
  private static final String MISSING = "the last reported record was removed from the log";
  private static final String UNKNOWN =
      "disconnected before the log was checked for missing records";
  private static final Uuid A = new Uuid(0, 1);
  private static final Uuid B = new Uuid(0, 2);

  private final Deque<Consumer<List<SearchEntry>>> reads = new ArrayDeque<>();
  private final List<Change> changes = new ArrayList<>();
  private final List<String> events = new ArrayList<>();
  private final List<Position> proved = new ArrayList<>();
  private final SyncContext syncContext = FeedKindChoiceIT.syncContext();
  private final PrivilegedReader reader = (search, found, failed) -> reads.add(found);
  private final LogCoverage coverage = new LogCoverage(CONTEXT, () -> 1, events::add);
  private final LogFeed feed = feed();
  private boolean broken;

  private LogFeed feed() {
    FeedContext context =
        new FeedContext(new RecordingSink(), reader, ImmediateEventExecutor.INSTANCE, events::add);
    byte[] base = CONTEXT.getBytes(UTF_8);
    coverage.begin(at(1));
    return new LogFeed(
        context,
        coverage,
        new LogChanges(syncContext, new LogScope(syncContext.rules(), base, List.of(base, INNER))),
        new LogReader(reader, syncContext, base),
        new Anchor(base, new Uuid(1, 1)));
  }

  /** Writes down what it hears; confined to the test. */
  private final class RecordingSink implements FeedSink {
    @Override
    public void onChange(Change change) {
      if (broken) {
        throw new IllegalStateException("not now");
      }
      changes.add(change);
    }

    @Override
    public void onCovered(Position position) {
      events.add("covered");
    }

    @Override
    public void onGap(FeedGap why) {
      events.add("gap");
    }

    @Override
    public void onLive(Position position) {
      events.add("live");
    }

    @Override
    public void onLost(String why) {
      events.add("lost");
    }
  }

  private static Csn csn(int count) {
    return new Csn("20260101000000.%06dZ#000000#000#000000".formatted(count));
  }

  private static Position at(int count) {
    return csn(count).toPosition(CONTEXT);
  }

  private static SearchEntry entry(String dn, String... attributes) {
    List<byte[]> all = new ArrayList<>();
    for (String one : attributes) {
      String[] parts = one.split(": ", 2);
      all.add(
          SearchEntry.encodeAttribute(parts[0].getBytes(UTF_8), List.of(parts[1].getBytes(UTF_8))));
    }
    try {
      return SearchEntry.parse(SearchEntry.encode(dn.getBytes(UTF_8), all));
    } catch (LdapProtocolException e) {
      throw new AssertionError(e);
    }
  }

  private void record(int count, String type, Uuid entry, String... more) {
    List<String> attributes = new ArrayList<>(List.of(more));
    attributes.add("reqType: " + type);
    attributes.add("reqDN: cn=" + entry.low() + ",dc=x");
    attributes.add("reqEntryUUID: " + entry);
    attributes.add("entryCSN: " + csn(count).text());
    SearchEntry record = entry("reqStart=" + count + ",cn=log", attributes.toArray(String[]::new));
    Receipt receipt = new Receipt(csn(count), at(count), 1, Reporter.FEED);
    Uuid id = new Uuid(9, count);
    feed.onChange(
        new Change.Modified(
            id, syncContext.rules().name(record.dn()), syncContext.rules().image(record), receipt));
  }

  private static SearchEntry entryOf(Uuid entry, int count, String... more) {
    List<String> attributes = new ArrayList<>(List.of(more));
    attributes.add("entryUUID: " + entry);
    attributes.add("entryCSN: " + csn(count).text());
    return entry("cn=" + entry.low() + ",dc=x", attributes.toArray(String[]::new));
  }

  private void answerRead(SearchEntry... entries) {
    reads.remove().accept(Arrays.asList(entries));
  }

  private void confirmUpTo(int count) {
    coverage.onPosition(at(count), at(count), proved::add);
  }

  @Test
  void reportsTheImageOfAChangedEntry() {
    record(2, "modify", A);
    answerRead(entryOf(A, 2));
    assertThat(changes).hasSize(1);
    assertThat(changes.get(0).image()).isNotNull();
    assertThat(changes.get(0).receipt().cookie()).isEqualTo(at(2));
  }

  /** What was below it may have been moved elsewhere before it was looked at. */
  @Test
  void aRenameCountsAsASubtreeRename() {
    record(2, "modrdn", A, "reqNewDN: cn=new,dc=x");
    answerRead(entryOf(A, 2, "hasSubordinates: FALSE"));
    assertThat(changes.get(0).image()).isNotNull();
    assertThat(changes.get(0)).isInstanceOf(Change.Renamed.class);
    assertThat(((Change.Renamed) changes.get(0)).leaf()).isFalse();
  }

  /** A transaction has not ended yet, or was aborted. */
  @Test
  void aChangeThatIsNotVisibleYetHasNoImage() {
    record(3, "modify", A);
    answerRead(entryOf(A, 2));
    assertThat(changes).hasSize(1);
    assertThat(changes.get(0).image()).isNull();
    assertThat(changes.get(0).csn()).isEqualTo(csn(3));
  }

  /** As long as a change is not told, nothing that came after it counts. */
  @Test
  void aChangeReportedWithALaterRecordIsCoveredThen() {
    record(2, "modify", A);
    record(3, "modify", B);
    record(4, "modify", A);
    answerRead(entryOf(A, 4)); // A alone was asked for when the first record came
    answerRead(entryOf(B, 3), entryOf(A, 4));
    assertThat(changes).hasSize(2);
    assertThat(changes.get(0).uuid()).isEqualTo(B);
    assertThat(changes.get(0).receipt().cookie()).isNull();
    assertThat(changes.get(1).uuid()).isEqualTo(A);
    assertThat(changes.get(1).receipt().cookie()).isEqualTo(at(4));
  }

  @Test
  void noProofPrecedesItsChanges() {
    record(2, "modify", A);
    record(3, "modify", A);
    confirmUpTo(2);
    answerRead(entryOf(A, 3));
    assertThat(changes).isEmpty();
    assertThat(proved).isEmpty();
    answerRead(entryOf(A, 3));
    assertThat(changes).hasSize(1);
    confirmUpTo(3);
    assertThat(proved).containsExactly(at(2), at(3));
  }

  @Test
  void resumesAfterACutOnlyIfTheLogHasTheLastRecord() {
    feed.onLive(at(1));
    record(2, "delete", A);
    feed.onLost("cut");
    feed.onLive(at(2));
    answerRead(entry("reqStart=2,cn=log", "entryUUID: " + new Uuid(9, 2)));
    feed.onLost("cut");
    feed.onLive(at(2));
    answerRead();
    assertThat(events).containsExactly("live", "lost", "live", "lost", MISSING);
    record(3, "delete", A);
    feed.onLost("it begins anew");
    feed.onGap(FeedGap.HISTORY_LOST);
    assertThat(changes).hasSize(1);
    assertThat(events).endsWith(MISSING, "lost", "gap");
  }

  /** Whether records were missing is not known when it is cut off once more. */
  @Test
  void anUnverifiedResumptionIsAGap() {
    feed.onLive(at(1));
    feed.onLost("cut");
    feed.onLive(at(1));
    feed.onLost("again");
    assertThat(events).containsExactly("live", "lost", UNKNOWN, "lost");
    feed.onGap(FeedGap.HISTORY_LOST);
    assertThat(events).endsWith("gap");
  }

  /** What was told before does not say any more up to where all is told. */
  @Test
  void aGapRestartsTheFeed() {
    feed.onLive(at(1));
    feed.onLost("cut");
    feed.onGap(FeedGap.HISTORY_LOST);
    feed.onLive(at(5));
    assertThat(events)
        .containsExactly(
            "live", "lost", "gap", "beginning anew at the current position of the log");
    feed.onLost("it begins anew");
    feed.onGap(FeedGap.HISTORY_LOST);
    assertThat(events).filteredOn("gap"::equals).hasSize(1);
  }

  /** Another database has the same log. */
  @Test
  void changesInASubordinateContextAreIgnored() {
    record(2, "delete", A, "reqDN: cn=a,ou=inner,dc=x");
    assertThat(changes).isEmpty();
    record(3, "delete", A);
    assertThat(changes).hasSize(1);
    coverage.onPosition(at(2), at(3), proved::add);
    assertThat(proved).isEmpty();
  }

  /** On whatever thread it is heard, and whoever throws. */
  @Test
  void aChangeThatCannotBeDeliveredIsNotCovered() {
    broken = true;
    record(2, "modify", A);
    answerRead(entryOf(A, 2));
    assertThat(events).containsExactly("a change could not be processed");
    record(3, "delete", B);
    feed.onCovered(at(3));
    feed.onLost("it begins anew");
    feed.onGap(FeedGap.HISTORY_LOST);
    assertThat(changes).isEmpty();
    assertThat(events).containsExactly("a change could not be processed", "lost", "gap");
  }

  @Test
  void queuedRecordsAreLimited() {
    record(2, "modify", A); // is never shown
    for (int i = 0; events.isEmpty(); i++) {
      feed.onCovered(at(3));
      assertThat(i).isLessThanOrEqualTo(LogFeed.MAX_QUEUED);
    }
    assertThat(events).containsExactly("the server writes faster than entries can be read");
    answerRead(entryOf(A, 2));
    assertThat(changes).isEmpty();
  }

  @Test
  void aChangeThatCannotBeReadIsReportedWithoutAnImage() {
    feed.onLive(at(1));
    record(2, "modify", A);
    feed.onLost("cut");
    assertThat(changes).hasSize(1);
    assertThat(changes.get(0).image()).isNull();
    assertThat(events).containsExactly("live", "lost");
    answerRead(entryOf(A, 2));
    assertThat(changes).hasSize(1);
  }
}
