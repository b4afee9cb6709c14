// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import com.unboundid.ldap.sdk.Entry;
import io.stoa.feed.syncrepl.Cookie;
import io.stoa.feed.syncrepl.SyncEvents;
import io.stoa.feed.syncrepl.SyncEvents.SyncInfo;
import io.stoa.feed.syncrepl.SyncEvents.SyncState;
import io.stoa.sim.SimAcl.Clearance;
import io.stoa.sim.StatelessRandom.Stream;
import io.stoa.testing.Responses;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What OpenLDAP's overlay syncprov of one server tells (RFC 4533), with its quirks: one search at a
 * time, of the whole suffix with all attributes. Thread-confined.
 */
final class SimSyncProvider {
  private static final int REFRESH_REQUIRED = 4096;
  private static final int UNWILLING = 53;
  private static final long MAX_COOKIE_DELAY = 100 * Faults.MILLIS;

  private final VirtualTime time;
  private final Faults faults;
  private final SimServer server;
  private final Executor loop;
  private final SplittableRandom random;
  private final Clearance clearance;
  private final List<SimCommit> log = new ArrayList<>();
  private int forgotten;
  private boolean gapMade;
  private @Nullable SimSyncSearch search;

  /**
   * Makes it.
   *
   * @param loop where what it says is heard
   */
  SimSyncProvider(VirtualTime time, Faults faults, SimServer server, Executor loop) {
    this.time = time;
    this.faults = faults;
    this.server = server;
    this.loop = loop;
    this.random = faults.draws().of(Stream.FEED, 0);
    this.clearance = new SimAcl(0).of(faults.feedIdentity(), SimTree.NOTHING);
    server.whenAnnounced(this::onAnnounced);
    server.whenPublished(number -> onPublished());
    time.at(faults.from(), this::beginFault);
  }

  /** What goes wrong begins. */
  private void beginFault() {
    SimSyncSearch present = search;
    switch (faults.fault()) {
      case PROVIDER_RESTART -> {
        forgotten = server.csn();
        cut();
      }
      case FEED_CUT, COOKIE_LOST, NEW_HISTORY -> cut();
      case REFRESH_REQUIRED -> {
        if (present != null && !present.isOver()) {
          present.end(REFRESH_REQUIRED, "search base has changed");
        }
      }
      default -> {
        // nothing that happens to it
      }
    }
  }

  /** Ends the connection of the search. */
  void cut() {
    if (search != null) {
      search.cut();
    }
  }

  /** What is told of. */
  Clearance clearance() {
    return clearance;
  }

  /** Begins a refreshAndPersist search in place of the one that there was. */
  void search(byte @Nullable [] cookie, SyncEvents events) {
    SimSyncSearch begun = new SimSyncSearch(time, faults, random, loop, events);
    search = begun;
    String text = cookie == null ? null : new String(cookie, StandardCharsets.US_ASCII);
    int since = SimCsn.number(text);
    if (faults.now(Fault.FEED_CUT, time.now())) {
      begun.cut();
    } else if (faults.now(Fault.NEW_HISTORY, time.now()) || since > server.csn()) {
      begun.end(UNWILLING, "consumer state is newer than provider!");
    } else if (faults.now(Fault.REFRESH_REQUIRED, time.now())) {
      begun.end(REFRESH_REQUIRED, "");
    } else {
      refresh(begun, text == null, since);
    }
  }

  /** Tells once more what has changed since the cookie, on the connection of the search. */
  void secondRefresh(byte[] cookie, SyncEvents events) {
    SimSyncSearch present = search;
    if (present != null && !present.isOver() && present.reportsTo(events)) {
      int since = SimCsn.number(new String(cookie, StandardCharsets.US_ASCII));
      present.again(reportSince(present, false, since));
    }
  }

  /** What is told of a transaction that is not shown yet whoever searches then never hears. */
  private void refresh(SimSyncSearch begun, boolean empty, int since) {
    Cookie cookie = cookie(server.published(), false);
    boolean deletes = reportSince(begun, empty, since);
    begun.refreshed(deletes ? SyncInfo.REFRESH_DELETE : SyncInfo.REFRESH_PRESENT, cookie);
  }

  /** Whether it tells what has gone, and not what is there. */
  private boolean reportSince(SimSyncSearch begun, boolean empty, int since) {
    List<String> present = new ArrayList<>();
    SimTree tree = server.timeline().tree(server.state());
    for (Entry entry : tree.entries().values()) {
      if (!clearance.hides(entry.getDN())) {
        String uuid = entry.getAttributeValue(SimTree.UUID);
        if (SimCsn.entryNumber(entry) > since) {
          begun.entry(SyncState.ADD, uuid, op(tree.counted(entry)), null);
        } else {
          present.add(uuid);
        }
      }
    }
    if (empty || since >= forgotten) {
      List<String> gone = deletedSince(since);
      if (!gone.isEmpty()) {
        begun.uuids(true, gone, null);
      }
      return true;
    }
    if (!faults.has(Quirk.PRESENT_WITHOUT_LIST)) {
      begun.uuids(false, present, null);
    }
    return false;
  }

  /** Of which the session log knows that they have gone, or nobody who asks may see them. */
  private List<String> deletedSince(int since) {
    SimTree tree = server.timeline().tree(server.state());
    List<String> gone = new ArrayList<>();
    for (SimCommit commit : log) {
      Entry now = commit.after() == null ? null : tree.get(commit.after().getDN());
      boolean was = commit.before() != null && !clearance.hides(commit.before().getDN());
      boolean told = commit.csn() > since && !commit.undone() && commit.state() <= server.state();
      if (told
          && was
          && (commit.after() == null || (now != null && clearance.hides(now.getDN())))) {
        gone.add(commit.uuid());
      }
    }
    return gone;
  }

  /** All changes of which the server has told. */
  List<SimCommit> log() {
    return log;
  }

  /** The entries of which it has told what was undone. */
  Set<String> undone() {
    return log.stream().filter(SimCommit::undone).map(SimCommit::uuid).collect(Collectors.toSet());
  }

  private void onAnnounced(SimCommit commit) {
    log.add(commit);
    SimSyncSearch present = search;
    if (present == null || present.isOver()) {
      return;
    }
    if (!gapMade && !commit.undone() && faults.now(Fault.HOLE, time.now())) {
      gapMade = true;
      server.timeline().markLost(commit.state());
      return;
    }
    boolean known = server.published() >= commit.csn();
    boolean late = faults.has(Quirk.NO_COOKIE) && random.nextInt(3) == 0;
    Cookie cookie = known && !late ? cookie(commit.csn(), faults.has(Quirk.ONE_CSN)) : null;
    report(present, commit, cookie);
    if (known && late) {
      time.after(random.nextLong(MAX_COOKIE_DELAY), this::onPublished);
    }
  }

  /** It has got further without a change that would say so. */
  private void onPublished() {
    if (search != null && !search.isOver()) {
      search.cookie(cookie(server.published(), faults.has(Quirk.ONE_CSN)));
    }
  }

  private void report(SimSyncSearch to, SimCommit commit, @Nullable Cookie cookie) {
    boolean was = commit.before() != null && !clearance.hides(commit.before().getDN());
    Entry after = commit.after();
    if (after != null && !clearance.hides(after.getDN())) {
      SyncState state = was ? SyncState.MODIFY : SyncState.ADD;
      byte[] op = op(tree(commit).counted(after));
      to.entry(state, commit.uuid(), op, cookie);
      repeat(() -> to.entry(state, commit.uuid(), op, cookie));
      reportSubtree(to, commit, after);
    } else if (was) {
      reportDelete(to, commit, cookie);
      repeat(() -> reportDelete(to, commit, cookie));
    } else if (cookie != null) {
      to.cookie(cookie);
    }
  }

  /** What a change leads to; as it is now if that is not there yet. */
  private SimTree tree(SimCommit commit) {
    SimTimeline timeline = server.timeline();
    int state = commit.state();
    return timeline.tree(commit.undone() ? state : Math.min(state, timeline.newest()));
  }

  private void repeat(Runnable message) {
    if (faults.has(Quirk.DUPLICATE) && random.nextInt(4) == 0) {
      message.run();
    }
  }

  private void reportDelete(SimSyncSearch to, SimCommit commit, @Nullable Cookie cookie) {
    if (faults.has(Quirk.SYNC_ID_SET)) {
      to.uuids(true, List.of(commit.uuid()), cookie);
      return;
    }
    boolean nameless = faults.has(Quirk.DELETE_WITHOUT_DN);
    Entry before = commit.before();
    Entry name = new Entry(nameless || before == null ? "" : before.getDN());
    to.entry(SyncState.DELETE, commit.uuid(), op(name), cookie);
  }

  /** By default only the top of a subtree is told that gets another name. */
  private void reportSubtree(SimSyncSearch to, SimCommit commit, Entry top) {
    boolean renamed = commit.change().kind() == SimChange.Kind.RENAME;
    if (!renamed || !faults.has(Quirk.SUBTREE_RENAME_REPORTS_ALL)) {
      return;
    }
    SimTree tree = server.timeline().tree(commit.state());
    for (Entry entry : tree.entries().values()) {
      if (entry.getDN().endsWith("," + top.getDN())) {
        String uuid = entry.getAttributeValue(SimTree.UUID);
        to.entry(SyncState.MODIFY, uuid, op(tree.counted(entry)), null);
      }
    }
  }

  private static byte[] op(Entry entry) {
    return Responses.entry(entry).op();
  }

  private static Cookie cookie(int number, boolean one) {
    String csns = one ? SimCsn.text(number) : SimCsn.vector(number);
    return Cookie.parse(("rid=001,sid=001,csn=" + csns).getBytes(StandardCharsets.US_ASCII));
  }
}
