// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.feed.event.Change;
import io.stoa.feed.event.FeedGap;
import io.stoa.feed.event.FeedSink;
import io.stoa.feed.syncrepl.SyncEvents.SyncInfo;
import io.stoa.feed.syncrepl.SyncEvents.SyncState;
import io.stoa.feed.syncrepl.SyncReplSession.PendingDeletes;
import io.stoa.feed.syncrepl.SyncReplSession.Progress;
import io.stoa.feed.syncrepl.SyncReplSession.Start;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is made of the messages of a sync search (RFC 4533), and of what OpenLDAP makes of it. */
class SyncReplSessionTest {
  private static final String CONTEXT = "dc=x";
  private static final Uuid U = new Uuid(1, 2);
  private static final Uuid V = new Uuid(3, 4);
  private static final int LIMIT = 5;

  private final Recorder recorder = new Recorder();
  private SyncReplSession session = session(csn(1, 1), false);

  static String csn(int sid, int count) {
    return "20260101000000.%06dZ#000000#%03x#000000".formatted(count, sid);
  }

  static Cookie cookie(String... csns) {
    return Cookie.of(List.of(csns));
  }

  static SyncContext syncContext() {
    return new SyncContext(
        CONTEXT,
        LIMIT,
        type -> new String(type, StandardCharsets.UTF_8).equalsIgnoreCase("userPassword"),
        new SyncContext.Rules() {
          @Override
          public NormalDn name(byte[] dn) {
            return NormalDn.of(dn, ServerProfile.EXACT);
          }

          @Override
          public Image image(SearchEntry entry) {
            return Image.of(entry, true, ServerProfile.EXACT);
          }
        },
        () -> 77);
  }

  private SyncReplSession session(String start, boolean resumed) {
    return new SyncReplSession(
        syncContext(), new Start(cookie(start), resumed, true, false), recorder);
  }

  static byte[] octets(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] attribute(String type, String value) {
    return SearchEntry.encodeAttribute(octets(type), List.of(octets(value)));
  }

  static byte[] entry(String dn, String csn) {
    return SearchEntry.encode(
        octets(dn),
        List.of(
            attribute("cn", "a"), attribute("userPassword", "secret"), attribute("entryCSN", csn)));
  }

  private static byte[] nameOnly(String dn) {
    return SearchEntry.encode(octets(dn), List.of());
  }

  private void live() {
    session.onInfo(SyncInfo.REFRESH_DELETE, null, true, false, List.of());
    recorder.events.clear();
    recorder.position = Position.NONE;
  }

  @Test
  void isLiveWhenTheRefreshIsOver() {
    assertThat(session.state()).isEqualTo(Progress.REFRESHING);
    session.onInfo(SyncInfo.REFRESH_DELETE, null, true, false, List.of());
    assertThat(session.state()).isEqualTo(Progress.LIVE);
    assertThat(recorder.events).containsExactly("live 001:1");
  }

  @Test
  void theEndOfOnePhaseIsNotTheEndOfTheRefresh() {
    session.onInfo(SyncInfo.REFRESH_DELETE, null, false, false, List.of());
    assertThat(session.state()).isEqualTo(Progress.REFRESHING);
    session.onInfo(SyncInfo.REFRESH_DELETE, cookie(csn(1, 2)), true, false, List.of());
    assertThat(recorder.events).containsExactly("live 001:2");
  }

  /** A refresh tells in no order what happened: its cookies hold when it is over. */
  @Test
  void cookiesOfARefreshCountAtItsEnd() {
    session.onEntry(SyncState.ADD, U, entry("cn=a,dc=x", csn(1, 3)), cookie(csn(1, 3)));
    session.onInfo(SyncInfo.NEW_COOKIE, cookie(csn(2, 9)), false, false, List.of());
    assertThat(recorder.events).containsExactly("Modified cn=a,dc=x 001:3");
    assertThat(session.cookie()).isEqualTo(cookie(csn(1, 1)));
    session.onInfo(SyncInfo.REFRESH_DELETE, null, true, false, List.of());
    assertThat(recorder.events).last().isEqualTo("live 001:3 002:9");
  }

  @Test
  void reportsChangesWithTheirPosition() {
    live();
    session.onEntry(SyncState.ADD, U, entry("cn=a,dc=x", csn(1, 2)), cookie(csn(1, 2)));
    session.onEntry(SyncState.MODIFY, U, entry("cn=b,dc=x", csn(1, 3)), cookie(csn(1, 3)));
    session.onEntry(SyncState.DELETE, U, nameOnly("cn=b,dc=x"), cookie(csn(1, 4)));
    assertThat(recorder.events)
        .containsExactly(
            "Modified cn=a,dc=x 001:2 F=001:2",
            "Modified cn=b,dc=x 001:3 F=001:3",
            "Deleted cn=b,dc=x 001:4 F=001:4");
    assertThat(recorder.changes).allMatch(change -> U.equals(change.uuid()));
    assertThat(recorder.changes.get(0).receipt().arrivedNanos()).isEqualTo(77);
  }

  @Test
  void passwordsAreRemovedFromEntries() {
    live();
    session.onEntry(SyncState.ADD, U, entry("cn=a,dc=x", csn(1, 2)), null);
    Image image = recorder.changes.get(0).image();
    assertThat(image).isNotNull();
    assertThat(image.entry().attributes())
        .extracting(attribute -> new String(attribute.type(), StandardCharsets.UTF_8))
        .containsExactly("cn", "entryCSN");
  }

  /** While a change with a lower CSN is under way, those that overtake it carry no cookie. */
  @Test
  void aChangeWithoutACookieMovesNothing() {
    live();
    session.onEntry(SyncState.MODIFY, U, entry("cn=a,dc=x", csn(1, 9)), null);
    assertThat(recorder.events).containsExactly("Modified cn=a,dc=x 001:9");
    assertThat(session.cookie()).isEqualTo(cookie(csn(1, 1)));
    session.onEntry(SyncState.MODIFY, V, entry("cn=b,dc=x", csn(1, 8)), cookie(csn(1, 9)));
    assertThat(recorder.events).last().isEqualTo("Modified cn=b,dc=x 001:8 F=001:9");
  }

  /** Cookies of the persist stage carry one CSN: the full vector goes back. */
  @Test
  void cookiesOfOneCsnAreMerged() {
    session =
        new SyncReplSession(
            syncContext(), new Start(cookie(csn(1, 1), csn(2, 5)), false, true, false), recorder);
    live();
    session.onEntry(SyncState.MODIFY, U, entry("cn=a,dc=x", csn(1, 2)), cookie(csn(1, 2)));
    session.onInfo(SyncInfo.NEW_COOKIE, cookie(csn(2, 6)), false, false, List.of());
    session.onInfo(SyncInfo.NEW_COOKIE, cookie(csn(3, 1)), false, false, List.of());
    assertThat(recorder.events)
        .containsExactly(
            "Modified cn=a,dc=x 001:2 F=001:2 002:5",
            "Unknown null 002:6 F=001:2 002:6",
            "Unknown null 003:1 F=001:2 002:6 003:1");
    assertThat(session.cookie()).isEqualTo(cookie(csn(1, 2), csn(2, 6), csn(3, 1)));
  }

  @Test
  void anOlderCookieTakesNothingBack() {
    live();
    session.onInfo(SyncInfo.NEW_COOKIE, cookie(csn(1, 5)), false, false, List.of());
    session.onInfo(SyncInfo.NEW_COOKIE, cookie(csn(1, 3)), false, false, List.of());
    assertThat(session.cookie()).isEqualTo(cookie(csn(1, 5)));
  }

  /** OpenLDAP sends it for a change of an entry that the account cannot see. */
  @Test
  void aCookieAloneIsAHiddenChange() {
    session.onInfo(SyncInfo.NEW_COOKIE, cookie(csn(1, 2)), false, false, List.of());
    live();
    session.onInfo(SyncInfo.NEW_COOKIE, cookie(csn(1, 3)), false, false, List.of());
    assertThat(recorder.events).containsExactly("Unknown null 001:3 F=001:3");
    session.onInfo(SyncInfo.NEW_COOKIE, cookie(csn(1, 3)), false, false, List.of());
    session.onInfo(SyncInfo.NEW_COOKIE, null, false, false, List.of());
    assertThat(recorder.events).last().isEqualTo("covered 001:3");
  }

  @Test
  void aDeleteMayHaveNoName() {
    live();
    session.onEntry(SyncState.DELETE, U, nameOnly(""), cookie(csn(1, 2)));
    session.onEntry(SyncState.DELETE, V, null, null);
    assertThat(recorder.events).containsExactly("Deleted null 001:2 F=001:2", "Deleted null");
  }

  /** Of its cookie nothing holds before nothing more has come for a while. */
  @Test
  void aDeleteSettlesWhereSeveralServersTakeWrites() {
    live();
    session.onInfo(SyncInfo.NEW_COOKIE, cookie(csn(2, 1)), false, false, List.of());
    recorder.events.clear();
    session.onEntry(SyncState.DELETE, U, null, cookie(csn(2, 5)));
    PendingDeletes since = unsettled();
    session.onEntry(SyncState.DELETE, V, null, cookie(csn(2, 6)));
    session.onEntry(SyncState.MODIFY, U, entry("cn=a,dc=x", csn(1, 2)), cookie(csn(1, 2)));
    session.settle(since);
    session.onInfo(SyncInfo.NEW_COOKIE, cookie(csn(2, 6)), false, false, List.of());
    assertThat(recorder.events)
        .containsExactly(
            "Deleted null 002:5",
            "Deleted null 002:6",
            "Modified cn=a,dc=x 001:2 F=001:2 002:1",
            "covered 001:2 002:5",
            "covered 001:2 002:6");
  }

  /** A server that was cut off from another one is told first what has gone. */
  @Test
  void changesAfterADeleteMayBeEarlier() {
    live();
    session.onInfo(SyncInfo.NEW_COOKIE, cookie(csn(2, 1)), false, false, List.of());
    recorder.events.clear();
    session.onEntry(SyncState.DELETE, U, null, cookie(csn(2, 5)));
    PendingDeletes since = unsettled();
    session.onEntry(SyncState.MODIFY, V, entry("cn=a,dc=x", csn(2, 4)), Cookie.NONE);
    PendingDeletes later = unsettled();
    session.settle(since);
    assertThat(session.cookie()).isEqualTo(cookie(csn(1, 1), csn(2, 1)));
    session.settle(later);
    assertThat(recorder.events)
        .containsExactly("Deleted null 002:5", "Modified cn=a,dc=x 002:4", "covered 001:1 002:5");
    assertThat(session.pendingDeletes()).isNull();
  }

  /** It may go on from where it was when it is asked once more; if that is not done, it is void. */
  @Test
  void aFinalRefreshTimeoutIsAGap() {
    session = session(csn(1, 1), true);
    session.onRefreshTimeout("nothing comes", false);
    assertThat(session.state()).isEqualTo(Progress.LOST);
    session = session(csn(1, 1), true);
    session.onRefreshTimeout("nothing comes", true);
    session.onRefreshTimeout("nothing comes", true);
    assertThat(session.state()).isEqualTo(Progress.BROKEN);
    assertThat(recorder.events).containsExactly("lost", "lost", "gap TIMEOUT");
  }

  private PendingDeletes unsettled() {
    return Objects.requireNonNull(session.pendingDeletes());
  }

  /** Which of several changes the cookie is about is not known. */
  @Test
  void aDeleteWithACookieOfSeveralHasNoCsn() {
    live();
    session.onEntry(SyncState.DELETE, U, nameOnly("cn=a,dc=x"), cookie(csn(1, 2), csn(2, 2)));
    assertThat(recorder.events).containsExactly("Deleted cn=a,dc=x F=001:2 002:2");
  }

  @Test
  void setsOfDeletedEntriesAreDeletes() {
    session.onInfo(SyncInfo.SYNC_ID_SET, null, false, true, List.of(U, V));
    live();
    assertThat(recorder.changes).hasSize(2).allMatch(change -> change instanceof Change.Deleted);
    session.onInfo(SyncInfo.SYNC_ID_SET, cookie(csn(1, 2)), false, true, List.of(U));
    assertThat(recorder.events).containsExactly("Deleted null", "covered 001:2");
  }

  /** Nothing was kept yet: who begins now needs not know what is there. */
  @Test
  void aPresentPhaseIsNoGapForANewSearch() {
    session.onInfo(SyncInfo.SYNC_ID_SET, null, false, false, List.of(U, V));
    session.onEntry(SyncState.PRESENT, U, nameOnly("cn=a,dc=x"), null);
    session.onInfo(SyncInfo.REFRESH_PRESENT, cookie(csn(1, 2)), true, false, List.of());
    assertThat(recorder.events).containsExactly("live 001:2");
  }

  /** What has gone meanwhile is what is not named, and nobody here knows what that is. */
  @Test
  void aPresentPhaseIsAGapForAResumedSearch() {
    session = session(csn(1, 1), true);
    session.onInfo(SyncInfo.SYNC_ID_SET, null, false, false, List.of(U, V));
    session.onInfo(SyncInfo.REFRESH_PRESENT, cookie(csn(1, 2)), true, false, List.of());
    assertThat(recorder.events).containsExactly("gap HISTORY_LOST", "live 001:2");
    assertThat(session.state()).isEqualTo(Progress.LIVE);
  }

  /** OpenLDAP has sent such: consumers that believed it deleted everything (ITS). */
  @Test
  void aPresentPhaseWithoutItsListIsAGap() {
    session = session(csn(1, 1), true);
    session.onInfo(SyncInfo.REFRESH_PRESENT, null, true, false, List.of());
    assertThat(recorder.events).containsExactly("gap HISTORY_LOST", "live 001:1");
  }

  @Test
  void aDeletePhaseIsNoGapForAResumedSearch() {
    session = session(csn(1, 1), true);
    session.onEntry(SyncState.ADD, U, entry("cn=a,dc=x", csn(1, 2)), null);
    session.onInfo(SyncInfo.SYNC_ID_SET, null, false, true, List.of(V));
    session.onInfo(SyncInfo.REFRESH_DELETE, cookie(csn(1, 3)), true, false, List.of());
    assertThat(recorder.events)
        .containsExactly("Modified cn=a,dc=x 001:2", "Deleted null", "live 001:3");
  }

  /** As when the number of server IDs has changed: the server sends everything again. */
  @Test
  void aRefreshBeyondTheLimitIsAGap() {
    session = session(csn(1, 1), true);
    for (int i = 0; i <= LIMIT; i++) {
      session.onEntry(SyncState.ADD, new Uuid(0, i), entry("cn=a,dc=x", csn(1, 2)), null);
    }
    assertThat(recorder.changes).hasSize(LIMIT);
    assertThat(recorder.events).endsWith("lost", "gap TOO_MANY_PRESENT");
    assertThat(session.state()).isEqualTo(Progress.BROKEN);
  }

  @Test
  void aSetBeyondTheLimitIsAGap() {
    List<Uuid> many = List.of(U, V, U, V, U, V);
    session.onInfo(SyncInfo.SYNC_ID_SET, null, false, false, many);
    assertThat(recorder.events).containsExactly("lost", "gap TOO_MANY_PRESENT");
  }

  @Test
  void changesOfALiveSearchAreUnlimited() {
    live();
    for (int i = 0; i <= 3 * LIMIT; i++) {
      session.onEntry(SyncState.ADD, new Uuid(0, i), entry("cn=a,dc=x", csn(1, 2)), null);
    }
    assertThat(session.state()).isEqualTo(Progress.LIVE);
  }

  @Test
  void aRefreshThatIsRequiredIsAGap() {
    live();
    session.onDone(4096, null, false, "search base has changed");
    assertThat(recorder.events).containsExactly("lost", "gap REFRESH_REQUIRED");
    assertThat(session.state()).isEqualTo(Progress.BROKEN);
    session = session(csn(1, 1), true);
    session.onDone(4096, null, false, "");
    assertThat(session.state()).isEqualTo(Progress.BROKEN);
  }

  private void resumedTwice() {
    Start start = new Start(cookie(csn(1, 1)), true, true, true);
    session = new SyncReplSession(syncContext(), start, recorder);
    session.onInfo(SyncInfo.REFRESH_DELETE, cookie(csn(1, 2)), true, false, List.of());
    assertThat(session.state()).isEqualTo(Progress.REFRESHING);
    assertThat(session.needsSecondRefresh()).isTrue();
  }

  /** A transaction may have been under way when the search began. */
  @Test
  void aResumedSearchIsLiveAfterTheSecondRefresh() {
    resumedTwice();
    session.onEntry(SyncState.MODIFY, U, entry("cn=a,dc=x", csn(1, 3)), cookie(csn(1, 3)));
    session.onInfo(SyncInfo.SYNC_ID_SET, cookie(csn(1, 2)), false, true, List.of(U));
    assertThat(recorder.events).containsExactly("Modified cn=a,dc=x 001:3", "Deleted null");
    session.onSecondRefresh(0, true, "");
    assertThat(session.needsSecondRefresh()).isFalse();
    assertThat(session.state()).isEqualTo(Progress.LIVE);
    assertThat(recorder.events).last().isEqualTo("live 001:3");
  }

  /** What it says may be later than changes that have yet to come from another server. */
  @Test
  void aDeleteDuringTheSecondRefreshMustSettle() {
    Start start = new Start(cookie(csn(1, 1), csn(2, 5)), true, true, true);
    session = new SyncReplSession(syncContext(), start, recorder);
    session.onInfo(SyncInfo.REFRESH_DELETE, null, true, false, List.of());
    session.onEntry(SyncState.DELETE, U, nameOnly("cn=b,dc=x"), cookie(csn(2, 9)));
    SyncReplSession.PendingDeletes since = session.pendingDeletes();
    session.onSecondRefresh(0, true, "");
    assertThat(recorder.events).last().isEqualTo("live 001:1 002:5");
    session.settle(since);
    assertThat(recorder.events).last().isEqualTo("covered 001:1 002:9");
  }

  @Test
  void hiddenChangesDuringTheSecondRefreshAreNotLost() {
    resumedTwice();
    session.onInfo(SyncInfo.NEW_COOKIE, cookie(csn(1, 3)), false, false, List.of());
    assertThat(recorder.events).hasSize(1).allMatch(line -> line.startsWith("Unknown"));
  }

  @Test
  void aSecondRefreshWithoutTheChangesIsAGap() {
    resumedTwice();
    session.onSecondRefresh(0, false, "");
    assertThat(recorder.events).containsExactly("gap HISTORY_LOST", "live 001:2");
    recorder.events.clear();
    resumedTwice();
    session.onSecondRefresh(4096, false, "");
    assertThat(recorder.events).containsExactly("lost", "gap REFRESH_REQUIRED");
    recorder.events.clear();
    resumedTwice();
    session.onSecondRefresh(51, false, "busy");
    assertThat(recorder.events).containsExactly("lost");
    assertThat(session.cookie()).isEqualTo(cookie(csn(1, 1)));
  }

  @Test
  void aServerThatIsBehindHasANewHistory() {
    session.onDone(53, null, false, "consumer state is newer than provider!");
    assertThat(recorder.events).containsExactly("lost", "gap NEW_HISTORY");
    session = session(csn(1, 1), true);
    recorder.events.clear();
    session.onDone(53, null, false, "consumer has state info but provider doesn't!");
    assertThat(recorder.events).containsExactly("lost", "gap NEW_HISTORY");
  }

  @Test
  void aServerThatIsBehindIsLeftIfAnotherMayBeCurrent() {
    session =
        new SyncReplSession(
            syncContext(), new Start(cookie(csn(1, 1)), true, false, false), recorder);
    session.onDone(53, null, false, "consumer state is newer than provider!");
    assertThat(recorder.events).containsExactly("lost");
    assertThat(session.state()).isEqualTo(Progress.LOST);
    assertThat(session.isRefused()).isTrue();
  }

  /** The next one may have its changes elsewhere. */
  @Test
  void aSearchThatNoServerSupportsIsAGap() {
    for (int code : new int[] {12, 32}) {
      recorder.events.clear();
      session =
          new SyncReplSession(
              syncContext(), new Start(cookie(csn(1, 1)), true, false, false), recorder);
      session.onDone(code, null, false, "");
      assertThat(recorder.events).containsExactly("lost");
      assertThat(session.isRefused()).isTrue();
      session = session(csn(1, 1), true);
      recorder.events.clear();
      session.onDone(code, null, false, "");
      assertThat(recorder.events).containsExactly("lost", "gap HISTORY_LOST");
      assertThat(session.state()).isEqualTo(Progress.BROKEN);
    }
  }

  @Test
  void otherResultsAreResumed() {
    for (int code : new int[] {0, 1, 3, 11, 50, 51, 52, 53, 80}) {
      session = session(csn(1, 1), false);
      live();
      session.onDone(code, cookie(csn(1, 7)), false, "");
      assertThat(recorder.events).containsExactly("lost");
      assertThat(session.state()).isEqualTo(Progress.LOST);
      assertThat(session.cookie()).isEqualTo(cookie(csn(1, 1)));
    }
  }

  @Test
  void noMessageCountsAfterTheEnd() {
    live();
    session.onLost("cut");
    session.onLost("again");
    session.onEntry(SyncState.ADD, U, entry("cn=a,dc=x", csn(1, 2)), cookie(csn(1, 2)));
    session.onInfo(SyncInfo.NEW_COOKIE, cookie(csn(1, 3)), false, false, List.of());
    session.onInfo(SyncInfo.REFRESH_PRESENT, null, true, false, List.of());
    session.onDone(4096, null, false, "");
    assertThat(recorder.events).containsExactly("lost");
    assertThat(session.cookie()).isEqualTo(cookie(csn(1, 1)));
  }

  @Test
  void anEntryThatCannotBeReadIsAGap() {
    live();
    session.onEntry(SyncState.MODIFY, U, new byte[] {1, 2}, cookie(csn(1, 2)));
    assertThat(recorder.events).containsExactly("lost", "gap HISTORY_LOST");
    assertThat(recorder.position).isEqualTo(Position.NONE);
  }

  @Test
  void aRefreshOfALiveSearchIsAGap() {
    live();
    session.onInfo(SyncInfo.SYNC_ID_SET, cookie(csn(1, 9)), false, false, List.of(U));
    assertThat(recorder.events).containsExactly("lost", "gap REFRESH_REQUIRED");
    session = session(csn(1, 1), false);
    live();
    session.onEntry(SyncState.PRESENT, U, null, cookie(csn(1, 9)));
    assertThat(recorder.events).containsExactly("lost", "gap REFRESH_REQUIRED");
  }

  /** Whatever is said in whatever order: nothing fails, and no cookie is overtaken. */
  @Test
  void messagesInAnyOrderNeverOvertakeTheirCookie() {
    for (int seed = 0; seed < 20_000; seed++) {
      Random random = new Random(seed);
      Recorder heard = new Recorder();
      Cookie said = cookie(csn(1, 1));
      SyncReplSession any =
          new SyncReplSession(
              syncContext(),
              new Start(said, random.nextBoolean(), random.nextBoolean(), random.nextBoolean()),
              heard);
      for (int step = 0; step < 12; step++) {
        Cookie cookie = random.nextInt(3) == 0 ? null : anyCookie(random);
        said = said.merge(cookie);
        sendRandomMessage(any, random, cookie);
        assertThat(said.covers(any.cookie())).as("seed %d", seed).isTrue();
        assertThat(said.position(CONTEXT).covers(heard.position)).as("seed %d", seed).isTrue();
        assertThat(any.position().covers(heard.position)).as("seed %d", seed).isTrue();
      }
      assertThat(heard.events.stream().filter("lost"::equals).count()).isLessThanOrEqualTo(1);
      assertThat(heard.events.stream().filter(line -> line.startsWith("live")).count())
          .isLessThanOrEqualTo(1);
    }
  }

  private static Cookie anyCookie(Random random) {
    List<String> csns = new ArrayList<>();
    for (int count = random.nextInt(3); count >= 0; count--) {
      csns.add(csn(1 + random.nextInt(3), random.nextInt(20)));
    }
    return random.nextInt(9) == 0 ? Cookie.NONE : Cookie.of(csns);
  }

  private static void sendRandomMessage(
      SyncReplSession any, Random random, @Nullable Cookie cookie) {
    Uuid uuid = new Uuid(0, random.nextInt(3));
    byte[] op =
        switch (random.nextInt(4)) {
          case 0 -> null;
          case 1 -> new byte[random.nextInt(3)];
          case 2 -> nameOnly("");
          default -> entry("cn=a,dc=x", csn(1, random.nextInt(20)));
        };
    switch (random.nextInt(13)) {
      case 0 -> any.onLost("cut");
      case 1 ->
          any.onDone(random.nextBoolean() ? 4096 : 53, cookie, random.nextBoolean(), "consumer");
      case 12 -> any.onSecondRefresh(random.nextInt(2), random.nextBoolean(), "");
      case 2, 3, 4, 5 ->
          any.onInfo(
              List.of(SyncInfo.values()).get(random.nextInt(4)),
              cookie,
              random.nextBoolean(),
              random.nextBoolean(),
              List.of(uuid));
      default -> any.onEntry(List.of(SyncState.values()).get(random.nextInt(4)), uuid, op, cookie);
    }
  }

  /** Writes down what it hears; confined to the test. */
  static final class Recorder implements FeedSink {
    final List<String> events = new ArrayList<>();
    final List<Change> changes = new ArrayList<>();
    Position position = Position.NONE;

    @Override
    public void onChange(Change change) {
      changes.add(change);
      position =
          change.receipt().cookie() == null ? position : position.merge(change.receipt().cookie());
      events.add(
          change.getClass().getSimpleName()
              + " "
              + name(change.dn())
              + (change.csn() == null ? "" : " " + brief(change.csn().text()))
              + (change.receipt().cookie() == null
                  ? ""
                  : " F=" + format(change.receipt().cookie())));
    }

    @Override
    public void onCovered(Position f) {
      position = position.merge(f);
      events.add("covered " + format(f));
    }

    @Override
    public void onGap(FeedGap why) {
      events.add("gap " + why);
    }

    @Override
    public void onLive(Position f) {
      position = position.merge(f);
      events.add("live " + format(f));
    }

    @Override
    public void onLost(String why) {
      events.add("lost");
    }

    private static @Nullable String name(@Nullable NormalDn dn) {
      return dn == null ? null : new String(dn.octets().array(), StandardCharsets.UTF_8);
    }

    private static String brief(String csn) {
      return csn.substring(30, 33) + ":" + Integer.parseInt(csn.substring(15, 21));
    }

    private static String format(Position position) {
      return position.marks().values().stream()
          .map(Recorder::brief)
          .sorted()
          .collect(Collectors.joining(" "));
    }
  }
}
