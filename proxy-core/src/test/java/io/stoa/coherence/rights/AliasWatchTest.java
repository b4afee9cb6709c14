// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.rights;

import static io.stoa.testing.SmallDirectory.deleted;
import static io.stoa.testing.SmallDirectory.image;
import static io.stoa.testing.SmallDirectory.modified;
import static io.stoa.testing.SmallDirectory.octets;
import static io.stoa.testing.SmallDirectory.person;
import static io.stoa.testing.SmallDirectory.unmarked;
import static io.stoa.testing.SmallDirectory.upTo;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.coherence.rights.AliasWatch.FeedProgress;
import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Unknown;
import io.stoa.feed.event.PrivilegedReader;
import io.stoa.feed.event.PrivilegedReader.ReadFailure;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.protocol.SearchEntry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When it is known that there is no alias, and when not any more. */
class AliasWatchTest implements PrivilegedReader {
  private static final String SHORT = "cn=short,dc=x";
  private static final long SETTLE = 400;

  /** Since when something is in a transaction. */
  private long open = Long.MAX_VALUE;

  private boolean reaches = true;
  private Position reached = Position.NONE;
  private long now = 1_000_000;
  private final RightsWatermark watermark =
      new RightsWatermark(Duration.ofSeconds(5), Duration.ofNanos(SETTLE), this::shown, () -> now);
  private final FeedProgress settling =
      new FeedProgress(SETTLE, this::shown, then -> reaches, receiver -> receiver.accept(reached));
  private final AliasWatch watch =
      new AliasWatch(octets("dc=x"), this, watermark, settling, () -> now);
  private final Deque<PendingReading> readings = new ArrayDeque<>();

  private long shown(long askedNanos) {
    return Math.min(askedNanos, open - 1);
  }

  /** Somebody who waits for an answer. */
  private record PendingReading(Consumer<List<SearchEntry>> found, Consumer<ReadFailure> failed) {}

  @Override
  public void search(
      Search search, Consumer<List<SearchEntry>> found, Consumer<ReadFailure> failed) {
    assertThat(new String(search.filter(), UTF_8)).isEqualTo("(objectClass=alias)");
    assertThat(search.sizeLimit()).isOne();
    readings.add(new PendingReading(found, failed));
  }

  @BeforeEach
  void requestResult() {
    assertThat(watch.hasNoAlias()).isFalse();
  }

  private void pass(long later) {
    now += later;
    watch.run();
  }

  private void none() {
    watch.onLive();
    pass(SETTLE);
    readings.remove().found().accept(List.of());
    pass(0);
    assertThat(watch.hasNoAlias()).isTrue();
  }

  private static SearchEntry alias() throws Exception {
    return SearchEntry.parse(SearchEntry.encode(octets(SHORT), List.of()));
  }

  @Test
  void aliasesAreReadOnceTheFeedHasSettled() {
    pass(10 * SETTLE);
    watch.onLive();
    pass(SETTLE - 1);
    assertThat(readings).isEmpty();
    pass(1);
    pass(SETTLE);
    assertThat(readings).hasSize(1);
    assertThat(watch.hasNoAlias()).isFalse();
    readings.remove().found().accept(List.of());
    pass(0);
    assertThat(watch.hasNoAlias()).isTrue();
    pass(10 * SETTLE);
    watch.onLive(); // it goes on
    pass(10 * SETTLE);
    assertThat(readings).isEmpty();
    assertThat(watch.hasNoAlias()).isTrue();
  }

  /** The feed may have to tell still that the last alias has gone, which a replica may have. */
  @Test
  void aServerMustCoverTheAccountsReading() {
    reaches = false;
    watch.onLive();
    pass(SETTLE);
    readings.remove().found().accept(List.of());
    pass(10 * SETTLE);
    assertThat(watch.hasNoAlias()).isFalse();
    assertThat(readings).isEmpty();
    reaches = true;
    reached = upTo(7);
    pass(0);
    assertThat(watch.hasNoAlias()).isTrue();
    assertThat(watermark.admits(DerivedData.ALIASES, upTo(6))).isFalse();
    assertThat(watermark.admits(DerivedData.ALIASES, upTo(7))).isTrue();
  }

  @Test
  void aDeletionCausesANewReading() throws Exception {
    watch.onLive();
    pass(SETTLE);
    readings.remove().found().accept(List.of(alias()));
    watch.onChange(deleted(2, SHORT, 6));
    pass(SETTLE);
    assertThat(readings).isEmpty(); // others may be deleted one after the other
    pass(Duration.ofSeconds(10).toNanos());
    readings.remove().found().accept(List.of());
    pass(0);
    assertThat(watch.hasNoAlias()).isTrue();
  }

  @Test
  void aChangeOfANonAliasKeepsTheResult() {
    none();
    watch.onChange(modified(1, person("cn=ann,dc=x", "A"), 5));
    watch.onChange(deleted(2, "cn=bob,dc=x", 6));
    assertThat(watch.hasNoAlias()).isTrue();
    assertThat(watermark.isCurrent(DerivedData.ALIASES, now, now)).isTrue();
  }

  @Test
  void aChangeThatMayBeAnAliasRevokesTheResult() {
    for (Change change :
        List.of(
            modified(1, image(SHORT, Map.of("objectClass", "alias")), 5),
            modified(1, image(SHORT, Map.of("objectClass", "2.5.6.1")), 5),
            modified(1, image(SHORT, Map.of("objectClass", "x", "aliasedEntryName", "dc=x")), 5),
            modified(1, image(SHORT, Map.of("cn", "short")), 5),
            modified(1, SHORT, 5),
            new Unknown(null, unmarked(null)))) {
      watch.onInterrupted();
      none();
      long read = now + SETTLE - 1;
      watch.onChange(change);
      assertThat(watch.hasNoAlias()).as(change.toString()).isFalse();
      assertThat(watermark.isCurrent(DerivedData.ALIASES, read, now)).isFalse();
      assertThat(watermark.isCurrent(DerivedData.ALL, read, now)).isTrue();
    }
  }

  @Test
  void aChangeInATransactionIsAwaited() {
    none();
    long read = now;
    open = now;
    watch.onChange(modified(1, SHORT, 5));
    pass(10 * SETTLE);
    assertThat(readings).isEmpty();
    assertThat(watermark.isCurrent(DerivedData.ALIASES, read, now)).isFalse();
    assertThat(watermark.isCurrent(DerivedData.ALIASES, now, now)).isFalse();
    open = Long.MAX_VALUE;
    pass(0);
    readings.remove().found().accept(List.of());
    pass(0);
    assertThat(watch.hasNoAlias()).isTrue();
    assertThat(watermark.isCurrent(DerivedData.ALIASES, read, now)).isFalse();
    assertThat(watermark.isCurrent(DerivedData.ALIASES, now, now)).isTrue();
  }

  @Test
  void existingAliasesAreNotReadAgainWithoutAChange() throws Exception {
    watch.onLive();
    pass(SETTLE);
    readings.remove().found().accept(List.of(alias()));
    pass(10 * SETTLE);
    watch.onChange(modified(1, person("cn=ann,dc=x", "A"), 5));
    pass(10 * SETTLE);
    assertThat(readings).isEmpty();
    watch.onChange(modified(1, SHORT, 6));
    pass(SETTLE);
    readings.remove().failed().accept(new ReadFailure(4, "more than one entry"));
    pass(Duration.ofMinutes(1).toNanos());
    assertThat(readings).isEmpty();
    assertThat(watch.hasNoAlias()).isFalse();
  }

  @Test
  void anAnswerOvertakenByAnAliasIsIgnored() {
    watch.onLive();
    pass(SETTLE);
    watch.onChange(modified(1, image(SHORT, Map.of("objectClass", "alias")), 5));
    readings.remove().found().accept(List.of());
    assertThat(watch.hasNoAlias()).isFalse();
    pass(SETTLE);
    watch.onInterrupted();
    watch.onLive();
    readings.remove().found().accept(List.of());
    assertThat(watch.hasNoAlias()).isFalse();
  }

  @Test
  void aliasesAreNotReadBeforeTheFirstRequest() {
    AliasWatch other = new AliasWatch(octets("dc=x"), this, watermark, settling, () -> now);
    other.onLive();
    now += 10 * SETTLE;
    other.run();
    assertThat(readings).isEmpty();
    assertThat(other.hasNoAlias()).isFalse();
    other.run();
    readings.remove().found().accept(List.of());
    other.run();
    assertThat(other.hasNoAlias()).isTrue();
  }

  @Test
  void aCutRequiresANewReading() {
    none();
    long read = now;
    watch.onInterrupted();
    assertThat(watch.hasNoAlias()).isFalse();
    assertThat(watermark.isCurrent(DerivedData.ALIASES, read, now)).isFalse();
    pass(10 * SETTLE);
    assertThat(readings).isEmpty();
    none();
  }

  @Test
  void aFailedReadingIsRepeatedWithBackOff() {
    watch.onLive();
    pass(SETTLE);
    for (int seconds : List.of(10, 20, 40, 80, 160, 320, 600, 600)) {
      readings.remove().failed().accept(new ReadFailure(81, "4 (the text decides nothing)"));
      watch.onChange(modified(1, SHORT, 5)); // which changes nothing of that
      pass(Duration.ofSeconds(seconds).toNanos() - 1);
      assertThat(readings).isEmpty();
      pass(1);
    }
    readings.remove().found().accept(List.of());
    pass(0);
    assertThat(watch.hasNoAlias()).isTrue();
    watch.onChange(modified(1, SHORT, 6));
    pass(SETTLE);
    readings.remove().failed().accept(new ReadFailure(51, "4 (the text decides nothing)"));
    pass(Duration.ofSeconds(10).toNanos());
    assertThat(readings).hasSize(1);
  }
}
