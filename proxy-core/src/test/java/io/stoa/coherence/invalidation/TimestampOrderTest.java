// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import static io.stoa.testing.SmallDirectory.CONTEXT;
import static io.stoa.testing.SmallDirectory.dn;
import static io.stoa.testing.SmallDirectory.modified;
import static io.stoa.testing.SmallDirectory.octets;
import static io.stoa.testing.SmallDirectory.query;
import static io.stoa.testing.SmallDirectory.upTo;
import static io.stoa.testing.SmallDirectory.uuid;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.coherence.invalidation.ChangeRing.Bounds;
import io.stoa.coherence.invalidation.CoherenceDomain.Admission;
import io.stoa.coherence.invalidation.CoherenceDomain.DomainContext;
import io.stoa.coherence.view.FreshnessGuarantee;
import io.stoa.coherence.view.View;
import io.stoa.feed.event.FeedKind;
import io.stoa.feed.event.PrivilegedReader.ReadFailure;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.operation.ReadSource;
import io.stoa.testing.SmallDirectory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Who has seen the new state of an entry is not shown an old one, though servers show nothing of
 * states but the second in which they were made.
 */
class TimestampOrderTest {
  private static final String ANN = "cn=ann,ou=p,dc=x";
  private static final Object HOME = new Object();
  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  private Instant wall = Instant.parse("2026-11-22T00:01:00Z");
  private final TimestampOrder seconds = new TimestampOrder(() -> wall);
  private final SteppedExecutor own = new SteppedExecutor();

  private static byte[] at(int second) {
    return "202611220000%02dZ".formatted(second).getBytes(StandardCharsets.US_ASCII);
  }

  private static Csn content(String text) {
    return Csn.substituteFor(text.getBytes(StandardCharsets.US_ASCII));
  }

  private Csn state(int second, String content, long sentMillis, long nowMillis) {
    return seconds.state(at(second), content(content), sentMillis * MILLI, nowMillis * MILLI);
  }

  @Test
  void aLaterSecondIsALaterState() {
    Csn first = state(1, "a", 0, 10);
    Csn second = state(2, "b", 20, 30);
    assertThat(second).isGreaterThan(first);
    assertThat(TimestampOrder.haveUnknownOrder(first, second)).isFalse();
  }

  @Test
  void aStateAtTheEndOfASecondIsLaterThanOneWithinIt() {
    Csn within = state(1, "a", 0, 10);
    assertThat(state(1, "a", 900, 950)).isEqualTo(within);
    Csn other = state(1, "b", 900, 950);
    assertThat(TimestampOrder.haveUnknownOrder(within, other)).isTrue();
    Csn left = state(1, "b", 1_200, 1_250);
    assertThat(left).isGreaterThan(within).isGreaterThan(other);
    assertThat(TimestampOrder.haveUnknownOrder(within, left)).isFalse();
    assertThat(state(1, "c", 5_000, 5_050)).as("shown with more attributes").isEqualTo(left);
  }

  /** Only who was asked after that is known not to have answered before. */
  @Test
  void aSecondIsOverWhenALaterOneHasBeenShown() {
    state(1, "a", 0, 10);
    state(2, "x", 20, 30);
    Csn before = state(1, "a", 25, 40);
    Csn after = state(1, "a", 30, 40);
    assertThat(after).isGreaterThan(before);
  }

  /** It was imported, or the clock of a server is wrong: the seconds before it are not over. */
  @Test
  void aSecondInTheFutureEndsNoOther() {
    wall = Instant.parse("2026-11-22T00:00:01Z");
    Csn future = state(59, "f", 0, 10);
    assertThat(future).isEqualTo(state(59, "f", 5_000, 5_010));
    Csn one = state(1, "a", 20, 30);
    Csn other = state(1, "b", 40, 50);
    assertThat(TimestampOrder.haveUnknownOrder(one, other)).isTrue();
    assertThat(state(1, "b", 1_200, 1_250)).isGreaterThan(one).isGreaterThan(other);
    wall = Instant.parse("2026-11-22T00:00:58Z");
    state(59, "f", 6_000, 6_010);
    assertThat(state(59, "f", 7_200, 7_210)).isGreaterThan(future);
  }

  @Test
  void anInvalidTimestampIsNoState() {
    byte[] other = "20261122000001.5Z".getBytes(StandardCharsets.US_ASCII);
    assertThat(seconds.state(other, content("a"), 0, 0)).isNull();
  }

  private CoherenceDomain domain() {
    Bounds ring = new Bounds(Duration.ofMinutes(5), 1_000, Duration.ofMillis(800), 1 << 24);
    DomainConfig config =
        new DomainConfig(
            CONTEXT,
            name -> NormalDn.of(name, SmallDirectory.PROFILE),
            type -> false,
            DomainConfig.SETTLE,
            ring,
            0,
            () -> false,
            FeedKind.CHANGELOG,
            now -> now);
    DomainContext context =
        new DomainContext(
            own,
            own::now,
            new FreshnessGuarantee(now -> true, null, null),
            now -> {},
            (search, found, failed) -> failed.accept(ReadFailure.withoutResult("")));
    CoherenceDomain domain = new CoherenceDomain(config, context, change -> {});
    domain.setFeedServer(HOME);
    domain.feed().onLive(upTo(1));
    own.pass(1_000); // what was counted before the feed began has settled
    return domain;
  }

  private static ReadStart open(CoherenceDomain domain, String filter) {
    return domain.beginRead(query(ANN, 0, filter), octets(ANN), (view, cause) -> {});
  }

  private static Admission settle(
      CoherenceDomain domain, ReadStart readStart, int second, String content) {
    Csn state = domain.state(readStart, at(second), content(content));
    ReadResult result =
        new ReadResult(false, List.of(new ReadResult.Shown(uuid(1), state, dn(ANN), octets(ANN))));
    return domain.admit(readStart, result, new ReadSource(HOME, Position.NONE, 0, 0));
  }

  @Test
  void viewsOfAnEarlierStateAreInvalidated() {
    CoherenceDomain domain = domain();
    View old = settle(domain, open(domain, "(cn=ann)"), 1, "a").view();
    ReadStart slow = open(domain, "(l=*)");
    View same = settle(domain, open(domain, "(objectClass=*)"), 1, "a").view();
    assertThat(old.isInvalid()).isFalse();
    View news = settle(domain, open(domain, "(sn=*)"), 2, "b").view();
    assertThat(old.isInvalid()).isTrue();
    assertThat(same.isInvalid()).isTrue();
    assertThat(news.isInvalid()).isFalse();
    assertThat(settle(domain, slow, 1, "a").refusal()).isEqualTo(Refusal.STALE);
  }

  /** Its client has seen it all the same. */
  @Test
  void viewsOfAnEarlierStateAreInvalidatedByARefusedRead() {
    CoherenceDomain domain = domain();
    View old = settle(domain, open(domain, "(cn=ann)"), 1, "a").view();
    ReadStart wide =
        domain.beginRead(query("dc=x", 2, "(sn=*)"), octets("dc=x"), (view, cause) -> {});
    domain.feed().onChange(modified(2, "cn=bob,ou=p,dc=x", 2));
    own.run();
    assertThat(old.isInvalid()).isFalse();
    assertThat(settle(domain, wide, 2, "b").view()).isNull();
    assertThat(old.isInvalid()).isTrue();
  }

  /** Nobody knows which of the two is later. */
  @Test
  void neitherOfTwoStatesOfOneSecondIsKept() {
    CoherenceDomain domain = domain();
    View one = settle(domain, open(domain, "(cn=ann)"), 1, "a").view();
    assertThat(settle(domain, open(domain, "(sn=*)"), 1, "b").view()).isNull();
    assertThat(one.isInvalid()).isTrue();
  }
}
