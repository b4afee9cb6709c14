// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

import io.stoa.feed.event.Change;
import io.stoa.feed.event.FeedGap;
import io.stoa.feed.event.FeedSink;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.protocol.Uuid;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes changes of what one refreshAndPersist search of OpenLDAP says (RFC 4533): no connection, no
 * thread and no clock of its own. Confined to the thread of the feed.
 *
 * <p>How far the feed has come is what cookies say, never what entries say: a change without a
 * cookie overtook one that the server still works on. What cookies of a refresh say holds when the
 * refresh is over, since it tells changes in no order.
 *
 * <p>A server that follows others, and was cut off from one of them, is told first what has gone
 * meanwhile, and then what has changed, and passes that on as it comes: a delete with its cookie,
 * before changes that were made earlier. So where a position is of several servers, what the cookie
 * of a delete says holds only when nothing more has come for a while: {@link #settle}.
 *
 * <p>Nothing of what a directory holds is known here. So what a server says is still there is
 * counted only: if it is to say what has gone meanwhile, that is a gap.
 */
public final class SyncReplSession implements SyncEvents {
  private static final int REFRESH_REQUIRED = 4096;

  /** The server knows less than the consumer, or nothing of what that knows. */
  private static final int UNWILLING = 53;

  /** The server takes no sync searches there. */
  private static final int UNAVAILABLE_CRITICAL_EXTENSION = 12;

  /** It does not have what is searched, or does not show it any more. */
  private static final int NO_SUCH_OBJECT = 32;

  private final SyncTerms terms;
  private final Start start;
  private final FeedSink sink;
  private final SyncChanges changes;
  private Cookie known;
  private Cookie pending = Cookie.NONE;

  /** What deletes have said lately, and what has been said at all. */
  private Cookie unsettled = Cookie.NONE;

  private Cookie told;

  /** How many changes have come without a cookie. */
  private long unplaced;

  private State state = State.REFRESHING;
  private boolean presentPhase;

  /** The server tells what happens, though perhaps not yet all that has happened. */
  private boolean persisting;

  private boolean refused;
  private int refreshed;

  /** Begins where a search with that cookie begins. */
  public SyncReplSession(SyncTerms terms, Start start, FeedSink sink) {
    this.terms = terms;
    this.start = start;
    this.sink = sink;
    this.known = start.cookie();
    this.told = start.cookie();
    this.changes = new SyncChanges(terms);
  }

  /**
   * Where a search begins. Immutable.
   *
   * @param cookie how far the feed has come; empty only in tests: the server would send all it has
   * @param resumed whether the receiver of changes may keep what it knew then
   * @param last whether no other server is left to ask, should this one know less
   * @param twice whether what has changed since the cookie is asked for again while the search
   *     persists, if anything may be known of before: a server tells of each operation of a
   *     transaction when that is done, and shows it when all are, so that what is between when a
   *     search begins is neither told nor shown to it
   */
  public record Start(Cookie cookie, boolean resumed, boolean last, boolean twice) {}

  /** Where a search stands. */
  public enum State {
    /** The server tells what happened since the cookie. */
    REFRESHING,
    /** It tells what happens. */
    LIVE,
    /** It may go on from where it was. */
    LOST,
    /** It does not go on: what comes next begins anew. */
    BROKEN
  }

  /** Where it stands. */
  public State state() {
    return state;
  }

  /** Whether the server knows less than the feed, or nothing, while another one may know it. */
  boolean refused() {
    return refused;
  }

  /** With what the next search may begin, unless it is broken. */
  public Cookie cookie() {
    return known;
  }

  /** How far the feed has come. */
  public Position position() {
    return known.position(terms.context());
  }

  @Override
  public void entry(
      SyncState kind, Uuid uuid, byte @Nullable [] searchEntryOp, @Nullable Cookie cookie) {
    boolean happens = persisting && cookie != null;
    if (over() || tooMuch(happens ? 0 : 1)) {
      return;
    }
    if (kind == SyncState.PRESENT) {
      present();
      heard(cookie);
      return;
    }
    Position f = kind == SyncState.DELETE ? gone(cookie) : arrived(cookie);
    Change change =
        kind == SyncState.DELETE
            ? changes.deleted(uuid, searchEntryOp, csn(cookie), f)
            : changes.modified(uuid, searchEntryOp, f);
    if (change == null) {
      broken(FeedGap.HISTORY_LOST, "an entry cannot be read");
    } else {
      sink.change(change);
    }
  }

  @Override
  public void info(
      SyncInfo kind,
      @Nullable Cookie cookie,
      boolean refreshDone,
      boolean refreshDeletes,
      List<Uuid> uuids) {
    if (over()) {
      return;
    }
    switch (kind) {
      case NEW_COOKIE -> alone(cookie);
      case SYNC_ID_SET -> idSet(refreshDeletes, uuids, cookie);
      case REFRESH_DELETE -> phaseEnds(cookie, refreshDone);
      case REFRESH_PRESENT -> {
        present();
        phaseEnds(cookie, refreshDone);
      }
    }
  }

  private void idSet(boolean gone, List<Uuid> uuids, @Nullable Cookie cookie) {
    if (tooMuch(uuids.size())) {
      return;
    }
    if (gone) {
      uuids.forEach(uuid -> sink.change(changes.deleted(uuid, null, null, null)));
    } else {
      present();
    }
    heard(cookie);
  }

  /** Whether what has changed since the cookie is to be asked for once more, in a while. */
  public boolean isToAskAgain() {
    return persisting && state == State.REFRESHING;
  }

  /** How far the server had got that has told it. */
  public Position counted() {
    return known.merge(pending).position(terms.context());
  }

  /** Whether it has ended. */
  boolean over() {
    return state == State.LOST || state == State.BROKEN;
  }

  /** Who tells that much of what happened meanwhile does not know where the feed was. */
  private boolean tooMuch(int more) {
    if (state == State.REFRESHING) {
      refreshed += more;
      if (refreshed > terms.refreshLimit()) {
        broken(
            FeedGap.TOO_MUCH_PRESENT, "more than " + terms.refreshLimit() + " entries are told of");
        return true;
      }
    }
    return false;
  }

  /** What is not named is gone, and nobody here knows what that is. */
  private void present() {
    presentPhase = true;
    if (state == State.LIVE) {
      broken(FeedGap.REFRESH_REQUIRED, "the server refreshes what was live");
    }
  }

  /** What has gone may have gone later than what is told next has changed. */
  private @Nullable Position gone(@Nullable Cookie cookie) {
    boolean alone = cookie != null && cookie.single() != null;
    if (!alone || !persisting || !known.merge(pending).merge(cookie).isOfSeveral()) {
      return arrived(cookie);
    }
    unsettled = unsettled.merge(cookie);
    told = told.merge(cookie);
    return null;
  }

  /**
   * What deletes have said that is not known to hold yet. Immutable.
   *
   * @param unplaced how many changes had come without a cookie
   */
  record Unsettled(Cookie cookie, long unplaced) {}

  /** The same as it is now; null if there is nothing. */
  @Nullable Unsettled unsettled() {
    return unsettled.isEmpty() ? null : new Unsettled(unsettled, unplaced);
  }

  /** A while later: it holds, unless something has come that may have changed before. */
  void settle(Unsettled since) {
    if (!over() && since.unplaced == unplaced && unsettled.covers(since.cookie)) {
      unsettled = unsettled.equals(since.cookie) ? Cookie.NONE : unsettled;
      heard(since.cookie);
    }
  }

  /** The cookie of a change: the position goes with it, so that both take effect at once. */
  private @Nullable Position arrived(@Nullable Cookie cookie) {
    if (cookie == null || cookie.isEmpty()) {
      unplaced++;
      return null;
    }
    told = told.merge(cookie);
    if (state == State.REFRESHING) {
      pending = pending.merge(cookie);
      return null;
    }
    known = known.merge(cookie);
    return position();
  }

  /**
   * While the search persists, OpenLDAP sends a cookie without an entry for a change of an entry
   * that the account cannot see: what it was, nobody here can say.
   */
  private void alone(@Nullable Cookie cookie) {
    boolean news = cookie != null && persisting && !told.covers(cookie);
    if (news) {
      sink.change(changes.unseen(csn(cookie), arrived(cookie)));
    } else {
      heard(cookie);
    }
  }

  /** A cookie that nothing else is to be concluded from. */
  private void heard(@Nullable Cookie cookie) {
    Position f = over() ? null : arrived(cookie);
    if (f != null) {
      sink.covered(f);
    }
  }

  private void phaseEnds(@Nullable Cookie cookie, boolean refreshDone) {
    if (over()) {
      return;
    }
    heard(cookie);
    if (!refreshDone || state != State.REFRESHING) {
      return;
    }
    persisting = true;
    refreshed = 0;
    if (!start.twice() || !start.resumed() || presentPhase) {
      live();
    }
  }

  @Override
  public void again(int resultCode, boolean refreshDeletes, String diagnostic) {
    if (resultCode != 0) {
      done(resultCode, null, refreshDeletes, diagnostic);
    } else if (isToAskAgain()) {
      presentPhase |= !refreshDeletes;
      live();
    }
  }

  private void live() {
    if (presentPhase && start.resumed()) {
      sink.gap(FeedGap.HISTORY_LOST); // the changes are not told, but where they end is
    }
    known = known.merge(pending);
    state = State.LIVE;
    sink.live(position());
  }

  private static @Nullable Csn csn(@Nullable Cookie cookie) {
    return cookie == null ? null : cookie.single();
  }

  @Override
  public void done(
      int resultCode, @Nullable Cookie cookie, boolean refreshDeletes, String diagnostic) {
    if (over()) {
      return;
    }
    String why = "the server ended the search with result " + resultCode + " " + diagnostic;
    if (resultCode == REFRESH_REQUIRED) {
      broken(FeedGap.REFRESH_REQUIRED, why);
      return;
    }
    if (resultCode == UNWILLING && newHistory(diagnostic)) {
      refused(FeedGap.NEW_HISTORY, why);
    } else if (resultCode == UNAVAILABLE_CRITICAL_EXTENSION || resultCode == NO_SUCH_OBJECT) {
      refused(FeedGap.HISTORY_LOST, why); // what is searched is decided anew
    } else {
      lost(why);
    }
  }

  /**
   * The server lacks something that the feed has told, though it would go on: it compares no more
   * than what was done there itself. Before anything is heard.
   */
  void behind(String why) {
    if (!over()) {
      refused(FeedGap.NEW_HISTORY, why);
    }
  }

  private void refused(FeedGap gap, String why) {
    refused = true;
    if (start.last()) {
      broken(gap, why);
    } else {
      lost(why);
    }
  }

  private static boolean newHistory(String diagnostic) {
    return diagnostic.contains("consumer");
  }

  @Override
  public void lost(String why) {
    if (!over()) {
      state = State.LOST;
      sink.lost(why);
    }
  }

  /**
   * The server says nothing of what happened since the cookie.
   *
   * @param anew whether nobody is to be asked for that any more
   */
  void silent(String why, boolean anew) {
    if (anew && !over()) {
      broken(FeedGap.SILENCE, why);
    } else {
      lost(why);
    }
  }

  /** What is said is not what is to be heard, or has not reached who is to hear it. */
  void undone(String why) {
    undone(FeedGap.HISTORY_LOST, why);
  }

  /** All that was told before is void, for a reason that the server does not tell. */
  void undone(FeedGap gap, String why) {
    if (!over()) {
      broken(gap, why);
    }
  }

  private void broken(FeedGap gap, String why) {
    state = State.BROKEN;
    sink.lost(why);
    sink.gap(gap);
  }
}
