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
  private final Deque<Asked> asked = new ArrayDeque<>();

  private long shown(long askedNanos) {
    return Math.min(askedNanos, open - 1);
  }

  /** Somebody who waits for an answer. */
  private record Asked(Consumer<List<SearchEntry>> found, Consumer<String> failed) {}

  @Override
  public void search(Search search, Consumer<List<SearchEntry>> found, Consumer<String> failed) {
    assertThat(new String(search.filter(), UTF_8)).isEqualTo("(objectClass=alias)");
    assertThat(search.sizeLimit()).isOne();
    asked.add(new Asked(found, failed));
  }

  @BeforeEach
  void somebodyWantsToKnow() {
    assertThat(watch.hasNoAlias()).isFalse();
  }

  private void ask(long later) {
    now += later;
    watch.run();
  }

  private void none() {
    watch.onLive();
    ask(SETTLE);
    asked.remove().found().accept(List.of());
    ask(0);
    assertThat(watch.hasNoAlias()).isTrue();
  }

  private static SearchEntry alias() throws Exception {
    return SearchEntry.parse(SearchEntry.encode(octets(SHORT), List.of()));
  }

  @Test
  void itIsAskedForOnceWhatWasToldBeforeIsShown() {
    ask(10 * SETTLE);
    watch.onLive();
    ask(SETTLE - 1);
    assertThat(asked).isEmpty();
    ask(1);
    ask(SETTLE);
    assertThat(asked).hasSize(1);
    assertThat(watch.hasNoAlias()).isFalse();
    asked.remove().found().accept(List.of());
    ask(0);
    assertThat(watch.hasNoAlias()).isTrue();
    ask(10 * SETTLE);
    watch.onLive(); // it goes on
    ask(10 * SETTLE);
    assertThat(asked).isEmpty();
    assertThat(watch.hasNoAlias()).isTrue();
  }

  /** The feed may have to tell still that the last alias has gone, which a replica may have. */
  @Test
  void aServerMustHaveWhatTheAccountWasShown() {
    reaches = false;
    watch.onLive();
    ask(SETTLE);
    asked.remove().found().accept(List.of());
    ask(10 * SETTLE);
    assertThat(watch.hasNoAlias()).isFalse();
    assertThat(asked).isEmpty();
    reaches = true;
    reached = upTo(7);
    ask(0);
    assertThat(watch.hasNoAlias()).isTrue();
    assertThat(watermark.admits(DerivedData.ALIASES, upTo(6))).isFalse();
    assertThat(watermark.admits(DerivedData.ALIASES, upTo(7))).isTrue();
  }

  @Test
  void whetherTheLastOneHasGoneIsAskedAfterADeletion() throws Exception {
    watch.onLive();
    ask(SETTLE);
    asked.remove().found().accept(List.of(alias()));
    watch.onChange(deleted(2, SHORT, 6));
    ask(SETTLE);
    assertThat(asked).isEmpty(); // others may be deleted one after the other
    ask(Duration.ofSeconds(10).toNanos());
    asked.remove().found().accept(List.of());
    ask(0);
    assertThat(watch.hasNoAlias()).isTrue();
  }

  @Test
  void whatIsNoAliasChangesNothing() {
    none();
    watch.onChange(modified(1, person("cn=ann,dc=x", "A"), 5));
    watch.onChange(deleted(2, "cn=bob,dc=x", 6));
    assertThat(watch.hasNoAlias()).isTrue();
    assertThat(watermark.isCurrent(DerivedData.ALIASES, now, now)).isTrue();
  }

  @Test
  void whatMayBeAnAliasEndsIt() {
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
  void whatMayBeInATransactionIsAwaited() {
    none();
    long read = now;
    open = now;
    watch.onChange(modified(1, SHORT, 5));
    ask(10 * SETTLE);
    assertThat(asked).isEmpty();
    assertThat(watermark.isCurrent(DerivedData.ALIASES, read, now)).isFalse();
    assertThat(watermark.isCurrent(DerivedData.ALIASES, now, now)).isFalse();
    open = Long.MAX_VALUE;
    ask(0);
    asked.remove().found().accept(List.of());
    ask(0);
    assertThat(watch.hasNoAlias()).isTrue();
    assertThat(watermark.isCurrent(DerivedData.ALIASES, read, now)).isFalse();
    assertThat(watermark.isCurrent(DerivedData.ALIASES, now, now)).isTrue();
  }

  @Test
  void whereThereAreAliasesItIsNotAskedAgainBeforeSomethingHappens() throws Exception {
    watch.onLive();
    ask(SETTLE);
    asked.remove().found().accept(List.of(alias()));
    ask(10 * SETTLE);
    watch.onChange(modified(1, person("cn=ann,dc=x", "A"), 5));
    ask(10 * SETTLE);
    assertThat(asked).isEmpty();
    watch.onChange(modified(1, SHORT, 6));
    ask(SETTLE);
    asked.remove().failed().accept("4 (size limit exceeded): ");
    ask(Duration.ofMinutes(1).toNanos());
    assertThat(asked).isEmpty();
    assertThat(watch.hasNoAlias()).isFalse();
  }

  @Test
  void anAnswerThatIsOvertakenByAnAliasSaysNothing() {
    watch.onLive();
    ask(SETTLE);
    watch.onChange(modified(1, image(SHORT, Map.of("objectClass", "alias")), 5));
    asked.remove().found().accept(List.of());
    assertThat(watch.hasNoAlias()).isFalse();
    ask(SETTLE);
    watch.onInterrupted();
    watch.onLive();
    asked.remove().found().accept(List.of());
    assertThat(watch.hasNoAlias()).isFalse();
  }

  @Test
  void nobodyIsAskedBeforeSomebodyWantsToKnow() {
    AliasWatch other = new AliasWatch(octets("dc=x"), this, watermark, settling, () -> now);
    other.onLive();
    now += 10 * SETTLE;
    other.run();
    assertThat(asked).isEmpty();
    assertThat(other.hasNoAlias()).isFalse();
    other.run();
    asked.remove().found().accept(List.of());
    other.run();
    assertThat(other.hasNoAlias()).isTrue();
  }

  @Test
  void afterACutNothingIsKnownUntilItWasAskedAgain() {
    none();
    long read = now;
    watch.onInterrupted();
    assertThat(watch.hasNoAlias()).isFalse();
    assertThat(watermark.isCurrent(DerivedData.ALIASES, read, now)).isFalse();
    ask(10 * SETTLE);
    assertThat(asked).isEmpty();
    none();
  }

  @Test
  void whoCannotBeAskedIsAskedLater() {
    watch.onLive();
    ask(SETTLE);
    for (int seconds : List.of(10, 20, 40, 80, 160, 320, 600, 600)) {
      asked.remove().failed().accept("81 (server down): ");
      watch.onChange(modified(1, SHORT, 5)); // which changes nothing of that
      ask(Duration.ofSeconds(seconds).toNanos() - 1);
      assertThat(asked).isEmpty();
      ask(1);
    }
    asked.remove().found().accept(List.of());
    ask(0);
    assertThat(watch.hasNoAlias()).isTrue();
    watch.onChange(modified(1, SHORT, 6));
    ask(SETTLE);
    asked.remove().failed().accept("51 (busy): ");
    ask(Duration.ofSeconds(10).toNanos());
    assertThat(asked).hasSize(1);
  }
}
