// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.feed.syncrepl.Cookie;
import io.stoa.feed.syncrepl.SyncEvents;
import io.stoa.feed.syncrepl.SyncEvents.SyncInfo;
import io.stoa.feed.syncrepl.SyncEvents.SyncState;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.sim.SimChange.Kind;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The sync provider of the simulator says what OpenLDAP's says, quirk by quirk. */
class SimSyncProviderTest {
  private static final long MOMENT = 500 * Faults.MILLIS;
  private static final String PERSON = SimNames.person(0, 0);
  private static final SimChange CHANGE = new SimChange(Kind.MODIFY, PERSON, "new");
  private static final SimChange DELETE = new SimChange(Kind.DELETE, PERSON, "");
  private static final String NEW_NAME = SimNames.container(SimNames.PRESENT_CONTAINERS);
  private static final SimChange RENAME =
      new SimChange(Kind.RENAME, SimNames.container(0), NEW_NAME);

  private final VirtualTime time = new VirtualTime(new StatelessRandom(1));
  private final List<String> events = new ArrayList<>();
  private SimDirectory directory;
  private SimSyncProvider provider;

  /** Writes down what is said, with the number of the cookie. Thread-confined. */
  private final class EventRecorder implements SyncEvents {
    @Override
    public void onEntry(SyncState state, Uuid uuid, byte @Nullable [] op, @Nullable Cookie cookie) {
      events.add(state + " " + dn(op) + number(cookie));
    }

    @Override
    public void onInfo(
        SyncInfo kind,
        @Nullable Cookie cookie,
        boolean refreshDone,
        boolean refreshDeletes,
        List<Uuid> uuids) {
      events.add(kind + (refreshDeletes ? " gone " : " ") + uuids.size() + number(cookie));
    }

    @Override
    public void onSecondRefresh(int resultCode, boolean refreshDeletes, String diagnostic) {
      events.add("again " + resultCode + (refreshDeletes ? " gone" : ""));
    }

    @Override
    public void onDone(
        int resultCode, @Nullable Cookie cookie, boolean refreshDeletes, String diagnostic) {
      events.add("done " + resultCode);
    }

    @Override
    public void onLost(String why) {
      events.add("lost");
    }
  }

  private static String dn(byte @Nullable [] op) {
    try {
      return op == null
          ? "nothing"
          : new String(SearchEntry.parse(op).dn(), StandardCharsets.UTF_8);
    } catch (LdapProtocolException e) {
      throw new AssertionError("it is no entry", e);
    }
  }

  private static String number(@Nullable Cookie cookie) {
    if (cookie == null) {
      return "";
    }
    String one = cookie.single() == null ? "" : " alone";
    return " cookie " + SimCsn.number(cookie.position(SimNames.SUFFIX)) + one;
  }

  private void provider(Fault fault, Quirk... quirks) {
    long from = VirtualTime.START + 2 * MOMENT;
    Faults faults =
        new Faults(new StatelessRandom(1), fault, Set.of(quirks), from, from + 2 * MOMENT);
    SimTree first = SimTree.FIRST;
    directory = new SimDirectory(time, faults, first, false);
    provider = new SimSyncProvider(time, faults, directory.primary(), Runnable::run);
  }

  /** A search that begins where the server is, and has said so. */
  private void listening(Quirk... quirks) {
    provider(Fault.NONE, quirks);
    search(0);
    assertThat(events).containsExactly("REFRESH_DELETE 0 cookie 0");
    events.clear();
  }

  private void search(int since) {
    provider.search(cookie(SimCsn.vector(since)), new EventRecorder());
    pass();
  }

  private static byte[] cookie(String csns) {
    return ("rid=001,csn=" + csns).getBytes(StandardCharsets.US_ASCII);
  }

  private void pass() {
    time.runUntil(time.now() + MOMENT);
  }

  private void write(SimChange change) {
    directory.write(change, code -> assertThat(code).isZero());
    pass();
  }

  @Test
  void changesAreReported() {
    listening();
    write(CHANGE);
    write(DELETE);
    write(new SimChange(Kind.ADD, PERSON, "again"));
    assertThat(events)
        .containsExactly(
            "MODIFY " + PERSON + " cookie 1",
            "DELETE " + PERSON + " cookie 2",
            "ADD " + PERSON + " cookie 3");
  }

  @Test
  void aTransactionIsReportedBeforeItIsVisible() {
    listening(Quirk.EARLY_NOTICE);
    directory.transaction(List.of(CHANGE), false);
    time.runUntil(time.now() + 5 * Faults.MILLIS);
    assertThat(events).containsExactly("MODIFY " + PERSON + " cookie 1");
    assertThat(directory.primary().state()).isZero();
  }

  @Test
  void anAbortedTransactionIsReported() {
    listening(Quirk.PHANTOM);
    directory.transaction(List.of(CHANGE), true);
    pass();
    assertThat(events).containsExactly("MODIFY " + PERSON + " cookie 1");
    assertThat(directory.primary().state()).isZero();
    events.clear();
    search(0);
    assertThat(events)
        .as("a refresh reads what is there")
        .containsExactly("REFRESH_DELETE 0 cookie 1");
  }

  @Test
  void memberOfChangesAreNotReported() {
    listening();
    write(new SimChange(Kind.JOIN, SimNames.group(0), PERSON));
    assertThat(events).containsExactly("MODIFY " + SimNames.group(0) + " cookie 1");
  }

  @Test
  void aPendingWriteHoldsTheCookieBack() {
    listening(Quirk.PENDING_CSN);
    for (int i = 0; i < 10; i++) {
      write(CHANGE);
    }
    assertThat(events).contains("MODIFY " + PERSON).contains("MODIFY " + PERSON + " cookie 1");
    int bare = events.indexOf("MODIFY " + PERSON);
    assertThat(events.get(bare + 1)).startsWith("NEW_COOKIE 0 cookie ");
  }

  @Test
  void cookiesMayFollowTheirChanges() {
    listening(Quirk.NO_COOKIE);
    for (int i = 0; i < 10; i++) {
      write(CHANGE);
    }
    int bare = events.indexOf("MODIFY " + PERSON);
    assertThat(bare).isNotNegative();
    assertThat(events.get(bare + 1)).isEqualTo("NEW_COOKIE 0 cookie " + (bare + 1));
  }

  @Test
  void aCookieMayHoldTheCsnOfOneServer() {
    listening(Quirk.ONE_CSN);
    write(CHANGE);
    assertThat(events).containsExactly("MODIFY " + PERSON + " cookie 1 alone");
  }

  @Test
  void aDeleteMayLackItsName() {
    listening(Quirk.DELETE_WITHOUT_DN);
    write(DELETE);
    assertThat(events).containsExactly("DELETE  cookie 1");
  }

  @Test
  void aDeleteMayBeASet() {
    listening(Quirk.SYNC_ID_SET);
    write(DELETE);
    assertThat(events).containsExactly("SYNC_ID_SET gone 1 cookie 1");
  }

  @Test
  void changesMayBeReportedTwice() {
    listening(Quirk.DUPLICATE);
    for (int i = 0; i < 20; i++) {
      write(CHANGE);
    }
    assertThat(events).hasSizeBetween(21, 39);
    assertThat(Set.copyOf(events)).hasSize(20);
  }

  @Test
  void aSubtreeRenameReportsItsTop() {
    listening();
    write(RENAME);
    assertThat(events).containsExactly("MODIFY " + NEW_NAME + " cookie 1");
  }

  @Test
  void aSubtreeRenameMayReportEveryEntry() {
    listening(Quirk.SUBTREE_RENAME_REPORTS_ALL);
    write(RENAME);
    assertThat(events)
        .startsWith("MODIFY " + NEW_NAME + " cookie 1")
        .contains("MODIFY " + SimNames.person(0, SimNames.PRESENT_CONTAINERS))
        .hasSizeGreaterThan(2);
  }

  @Test
  void hiddenEntriesAreNotReported() {
    listening(Quirk.HIDDEN_SUBTREE);
    write(new SimChange(Kind.MODIFY, SimNames.person(1, 1), "new"));
    write(new SimChange(Kind.RENAME, PERSON, SimNames.person(0, 1)));
    assertThat(events).containsExactly("NEW_COOKIE 0 cookie 1", "DELETE " + PERSON + " cookie 2");
  }

  @Test
  void aRefreshReportsMissedChanges() {
    provider(Fault.NONE);
    write(CHANGE);
    write(new SimChange(Kind.DELETE, SimNames.person(1, 1), ""));
    search(0);
    assertThat(events)
        .containsExactly("ADD " + PERSON, "SYNC_ID_SET gone 1", "REFRESH_DELETE 0 cookie 2");
  }

  /** It does not know any more what has gone: it names those that are there. */
  @Test
  void aRestartLosesTheSessionLog() {
    provider(Fault.PROVIDER_RESTART);
    search(0);
    write(CHANGE);
    time.runUntil(VirtualTime.START + 4 * MOMENT);
    assertThat(events)
        .containsExactly("REFRESH_DELETE 0 cookie 0", "MODIFY " + PERSON + " cookie 1", "lost");
    events.clear();
    search(0);
    int others = directory.timeline().tree(0).entries().size() - 1;
    assertThat(events)
        .containsExactly("ADD " + PERSON, "SYNC_ID_SET " + others, "REFRESH_PRESENT 0 cookie 1");
  }

  @Test
  void aPresentPhaseMayLackItsList() {
    provider(Fault.PROVIDER_RESTART, Quirk.PRESENT_WITHOUT_LIST);
    write(CHANGE);
    time.runUntil(VirtualTime.START + 4 * MOMENT);
    search(0);
    assertThat(events).containsExactly("ADD " + PERSON, "REFRESH_PRESENT 0 cookie 1");
  }

  /** A cookie that lacks a server ID is as good as none. */
  @Test
  void aCookieMustNameAllServers() {
    provider(Fault.NONE);
    int all = directory.timeline().tree(0).entries().size();
    provider.search(cookie(SimCsn.text(0)), new EventRecorder());
    pass();
    assertThat(events).hasSizeGreaterThan(all).last().isEqualTo("REFRESH_PRESENT 0 cookie 0");
    events.clear();
    provider.search(null, new EventRecorder());
    pass();
    assertThat(events).hasSize(all + 1).last().isEqualTo("REFRESH_DELETE 0 cookie 0");
  }

  @Test
  void aCookieFromTheFutureIsRefused() {
    provider(Fault.NONE);
    search(7);
    assertThat(events).containsExactly("done 53");
  }

  @Test
  void refreshRequiredMayComeAtAnyTime() {
    provider(Fault.REFRESH_REQUIRED);
    search(0);
    time.runUntil(VirtualTime.START + 2 * MOMENT);
    search(0);
    assertThat(events).containsExactly("REFRESH_DELETE 0 cookie 0", "done 4096", "done 4096");
  }

  @Test
  void theProviderMayHaveANewHistory() {
    provider(Fault.NEW_HISTORY);
    search(0);
    time.runUntil(VirtualTime.START + 2 * MOMENT);
    search(0);
    assertThat(events).containsExactly("REFRESH_DELETE 0 cookie 0", "lost", "done 53");
  }

  @Test
  void aConnectionMayBeCut() {
    provider(Fault.FEED_CUT);
    search(0);
    time.runUntil(VirtualTime.START + 2 * MOMENT);
    search(0);
    assertThat(events).containsExactly("REFRESH_DELETE 0 cookie 0", "lost", "lost");
  }

  /** What is said while it is silent comes afterwards. */
  @Test
  void theProviderMayBeSilentForAWhile() {
    provider(Fault.FEED_SILENT);
    search(0);
    events.clear();
    time.runUntil(VirtualTime.START + 2 * MOMENT);
    write(CHANGE);
    assertThat(events).isEmpty();
    time.runUntil(VirtualTime.START + 5 * MOMENT);
    assertThat(events).containsExactly("MODIFY " + PERSON + " cookie 1");
  }

  /** It is lost for good, and the next cookie covers it. */
  @Test
  void aChangeMayBeLost() {
    provider(Fault.HOLE);
    search(0);
    events.clear();
    time.runUntil(VirtualTime.START + 2 * MOMENT);
    write(CHANGE);
    write(DELETE);
    assertThat(events).containsExactly("DELETE " + PERSON + " cookie 2");
  }
}
