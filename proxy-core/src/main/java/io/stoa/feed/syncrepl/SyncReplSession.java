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
 * Translates one refreshAndPersist search of OpenLDAP (RFC 4533) into changes. Has no connection,
 * thread or clock of its own.
 *
 * <ol>
 *   <li>The position advances by cookies only, never by entries. A change without a cookie has
 *       overtaken an earlier change that the server still works on.
 *   <li>Cookies of a refresh take effect when the refresh ends, because a refresh reports changes
 *       in no order.
 *   <li>The cookie of a delete takes effect only after a pause, if the position has several server
 *       IDs ({@link #settle}). A replica that was cut off from another server receives deletes
 *       first, then modifications. Such a replica forwards each delete with its cookie, before
 *       changes that were made earlier.
 *   <li>Present entries are only counted, because the session does not know what the directory
 *       holds. A refresh that implies deletes by omission is therefore a gap.
 * </ol>
 *
 * <p>Threading: thread of the feed.
 */
public final class SyncReplSession implements SyncEvents {
  private static final int REFRESH_REQUIRED = 4096;

  /** unwillingToPerform: the server lacks changes that the consumer has, or knows none of them. */
  private static final int UNWILLING = 53;

  /** The server accepts no sync searches on this base. */
  private static final int UNAVAILABLE_CRITICAL_EXTENSION = 12;

  /** The base does not exist, or is no longer visible to the account. */
  private static final int NO_SUCH_OBJECT = 32;

  private final SyncContext context;
  private final Start start;
  private final FeedSink sink;
  private final SyncChanges changes;
  private Cookie currentCookie;
  private Cookie pendingCookie = Cookie.NONE;

  /** Cookies of recent deletes, not in effect yet; and all cookies received so far. */
  private Cookie pendingDeletes = Cookie.NONE;

  private Cookie receivedCookie;

  /** Number of changes received without a cookie. */
  private long changesWithoutCookie;

  private Progress state = Progress.REFRESHING;
  private boolean presentPhase;

  /**
   * True after the refresh: the server reports changes as they happen, perhaps not all of them yet.
   */
  private boolean persisting;

  private boolean refused;
  private int refreshed;

  /** Creates a session that begins at the cookie of {@code start}. */
  public SyncReplSession(SyncContext context, Start start, FeedSink sink) {
    this.context = context;
    this.start = start;
    this.sink = sink;
    this.currentCookie = start.cookie();
    this.receivedCookie = start.cookie();
    this.changes = new SyncChanges(context);
  }

  /**
   * The starting point of a search.
   *
   * <p>Threading: immutable.
   *
   * @param cookie how far the feed has come; empty only in tests, since the server would send all
   *     entries
   * @param resumed true if the receiver may keep what it knew at the cookie
   * @param last true if no other server is left to try when this one lacks changes
   * @param refreshTwice true to request the changes since the cookie a second time, on a resumed
   *     session. OpenLDAP reports an operation of a transaction when it is done, and shows it when
   *     all are. A search that begins in between is neither sent nor shown that operation
   */
  public record Start(Cookie cookie, boolean resumed, boolean last, boolean refreshTwice) {}

  /** Progress of a search. */
  public enum Progress {
    /** The server reports the changes since the cookie. */
    REFRESHING,
    /** The server reports changes as they happen. */
    LIVE,
    /** The search has ended; the next one may resume at {@link #cookie}. */
    LOST,
    /** The search has ended after a gap; the next one must begin anew. */
    BROKEN
  }

  /** Returns the progress of the search. */
  public Progress state() {
    return state;
  }

  /** True if this server lacks changes that the feed has, while another server may have them. */
  boolean isRefused() {
    return refused;
  }

  /** Returns the cookie for the next search, unless this one is {@link Progress#BROKEN}. */
  public Cookie cookie() {
    return currentCookie;
  }

  /** Returns how far the feed has come. */
  public Position position() {
    return currentCookie.position(context.context());
  }

  @Override
  public void onEntry(
      SyncState kind, Uuid uuid, byte @Nullable [] searchEntryOp, @Nullable Cookie cookie) {
    boolean isNewChange = persisting && cookie != null;
    if (isOver() || exceedsRefreshLimit(isNewChange ? 0 : 1)) {
      return;
    }
    if (kind == SyncState.PRESENT) {
      onPresentPhase();
      advance(cookie);
      return;
    }
    Position position = kind == SyncState.DELETE ? onDeleteCookie(cookie) : onChangeCookie(cookie);
    Change change =
        kind == SyncState.DELETE
            ? changes.deleted(uuid, searchEntryOp, csn(cookie), position)
            : changes.modified(uuid, searchEntryOp, position);
    if (change == null) {
      endWithGap(FeedGap.HISTORY_LOST, "an entry could not be decoded");
    } else {
      sink.onChange(change);
    }
  }

  @Override
  public void onInfo(
      SyncInfo kind,
      @Nullable Cookie cookie,
      boolean refreshDone,
      boolean refreshDeletes,
      List<Uuid> uuids) {
    if (isOver()) {
      return;
    }
    switch (kind) {
      case NEW_COOKIE -> onCookieOnly(cookie);
      case SYNC_ID_SET -> idSet(refreshDeletes, uuids, cookie);
      case REFRESH_DELETE -> phaseEnds(cookie, refreshDone);
      case REFRESH_PRESENT -> {
        onPresentPhase();
        phaseEnds(cookie, refreshDone);
      }
    }
  }

  private void idSet(boolean areDeleted, List<Uuid> uuids, @Nullable Cookie cookie) {
    if (exceedsRefreshLimit(uuids.size())) {
      return;
    }
    if (areDeleted) {
      uuids.forEach(uuid -> sink.onChange(changes.deleted(uuid, null, null, null)));
    } else {
      onPresentPhase();
    }
    advance(cookie);
  }

  /** True if the changes since the cookie must be requested a second time, after a pause. */
  public boolean needsSecondRefresh() {
    return persisting && state == Progress.REFRESHING;
  }

  /** Returns the position of the server, according to all cookies received. */
  public Position serverPosition() {
    return currentCookie.merge(pendingCookie).position(context.context());
  }

  /** True if the session has ended. */
  boolean isOver() {
    return state == Progress.LOST || state == Progress.BROKEN;
  }

  /**
   * Ends the session if a refresh reports more entries than {@code refreshLimit}: such a server
   * does not know the cookie. Returns true if it did.
   */
  private boolean exceedsRefreshLimit(int count) {
    if (state == Progress.REFRESHING) {
      refreshed += count;
      if (refreshed > context.refreshLimit()) {
        endWithGap(
            FeedGap.TOO_MANY_PRESENT,
            "more than " + context.refreshLimit() + " entries in one refresh (feed.refreshLimit)");
        return true;
      }
    }
    return false;
  }

  /**
   * Notes a present phase: entries not listed are deleted, and the session cannot know which ones.
   */
  private void onPresentPhase() {
    presentPhase = true;
    if (state == Progress.LIVE) {
      endWithGap(FeedGap.REFRESH_REQUIRED, "the server began a refresh while the feed was live");
    }
  }

  /**
   * Handles the cookie of a delete, which may be later than the cookie of the next modification.
   */
  private @Nullable Position onDeleteCookie(@Nullable Cookie cookie) {
    boolean alone = cookie != null && cookie.single() != null;
    if (!alone
        || !persisting
        || !currentCookie.merge(pendingCookie).merge(cookie).hasSeveralServers()) {
      return onChangeCookie(cookie);
    }
    pendingDeletes = pendingDeletes.merge(cookie);
    receivedCookie = receivedCookie.merge(cookie);
    return null;
  }

  /**
   * Cookies of deletes that are not in effect yet.
   *
   * <p>Threading: immutable.
   *
   * @param changesWithoutCookie the number of changes received without a cookie by then
   */
  record PendingDeletes(Cookie cookie, long changesWithoutCookie) {}

  /** Returns the pending cookies of deletes; null if there are none. */
  @Nullable PendingDeletes pendingDeletes() {
    return pendingDeletes.isEmpty()
        ? null
        : new PendingDeletes(pendingDeletes, changesWithoutCookie);
  }

  /**
   * Called after a pause: lets the cookies take effect unless a change without a cookie came
   * meanwhile.
   */
  void settle(PendingDeletes deletes) {
    if (!isOver()
        && deletes.changesWithoutCookie == changesWithoutCookie
        && pendingDeletes.covers(deletes.cookie)) {
      pendingDeletes = pendingDeletes.equals(deletes.cookie) ? Cookie.NONE : pendingDeletes;
      advance(deletes.cookie);
    }
  }

  /**
   * Handles the cookie of a change. Returns the position that takes effect together with it, or
   * null.
   */
  private @Nullable Position onChangeCookie(@Nullable Cookie cookie) {
    if (cookie == null || cookie.isEmpty()) {
      changesWithoutCookie++;
      return null;
    }
    receivedCookie = receivedCookie.merge(cookie);
    if (state == Progress.REFRESHING) {
      pendingCookie = pendingCookie.merge(cookie);
      return null;
    }
    currentCookie = currentCookie.merge(cookie);
    return position();
  }

  /**
   * Handles a cookie without an entry. While the search persists, OpenLDAP sends one for a change
   * of an entry that the account cannot see. Such a change may be of any kind.
   */
  private void onCookieOnly(@Nullable Cookie cookie) {
    boolean isUnseen = cookie != null && persisting && !receivedCookie.covers(cookie);
    if (isUnseen) {
      sink.onChange(changes.unseen(csn(cookie), onChangeCookie(cookie)));
    } else {
      advance(cookie);
    }
  }

  /** Handles a cookie that only advances the position. */
  private void advance(@Nullable Cookie cookie) {
    Position position = isOver() ? null : onChangeCookie(cookie);
    if (position != null) {
      sink.onCovered(position);
    }
  }

  private void phaseEnds(@Nullable Cookie cookie, boolean refreshDone) {
    if (isOver()) {
      return;
    }
    advance(cookie);
    if (!refreshDone || state != Progress.REFRESHING) {
      return;
    }
    persisting = true;
    refreshed = 0;
    if (!start.refreshTwice() || !start.resumed() || presentPhase) {
      onLive();
    }
  }

  @Override
  public void onSecondRefresh(int resultCode, boolean refreshDeletes, String diagnostic) {
    if (resultCode != 0) {
      onDone(resultCode, null, refreshDeletes, diagnostic);
    } else if (needsSecondRefresh()) {
      presentPhase |= !refreshDeletes;
      onLive();
    }
  }

  private void onLive() {
    if (presentPhase && start.resumed()) {
      sink.onGap(FeedGap.HISTORY_LOST); // the deletes were not reported, only the final position
    }
    currentCookie = currentCookie.merge(pendingCookie);
    state = Progress.LIVE;
    sink.onLive(position());
  }

  private static @Nullable Csn csn(@Nullable Cookie cookie) {
    return cookie == null ? null : cookie.single();
  }

  @Override
  public void onDone(
      int resultCode, @Nullable Cookie cookie, boolean refreshDeletes, String diagnostic) {
    if (isOver()) {
      return;
    }
    String why = "the server ended the search with result " + resultCode + " " + diagnostic;
    if (resultCode == REFRESH_REQUIRED) {
      endWithGap(FeedGap.REFRESH_REQUIRED, why);
      return;
    }
    if (resultCode == UNWILLING && newHistory(diagnostic)) {
      onRefused(FeedGap.NEW_HISTORY, why);
    } else if (resultCode == UNAVAILABLE_CRITICAL_EXTENSION || resultCode == NO_SUCH_OBJECT) {
      onRefused(FeedGap.HISTORY_LOST, why); // the search base is chosen anew
    } else {
      onLost(why);
    }
  }

  /**
   * Called before the search begins if the server lacks changes that the feed has reported. The
   * server would accept the cookie: it compares only the changes made on itself.
   */
  void onServerBehind(String why) {
    if (!isOver()) {
      onRefused(FeedGap.NEW_HISTORY, why);
    }
  }

  private void onRefused(FeedGap gap, String why) {
    refused = true;
    if (start.last()) {
      endWithGap(gap, why);
    } else {
      onLost(why);
    }
  }

  private static boolean newHistory(String diagnostic) {
    return diagnostic.contains("consumer");
  }

  @Override
  public void onLost(String why) {
    if (!isOver()) {
      state = Progress.LOST;
      sink.onLost(why);
    }
  }

  /**
   * Called when the server does not report the changes since the cookie in time.
   *
   * @param mustBeginAnew true if the feed gives up resuming
   */
  void onRefreshTimeout(String why, boolean mustBeginAnew) {
    if (mustBeginAnew && !isOver()) {
      endWithGap(FeedGap.TIMEOUT, why);
    } else {
      onLost(why);
    }
  }

  /** Called when a message could not be decoded, or could not be handed to the sink. */
  void fail(String why) {
    fail(FeedGap.HISTORY_LOST, why);
  }

  /** Declares everything reported before void, for a reason that the server does not report. */
  void fail(FeedGap gap, String why) {
    if (!isOver()) {
      endWithGap(gap, why);
    }
  }

  private void endWithGap(FeedGap gap, String why) {
    state = Progress.BROKEN;
    sink.onLost(why);
    sink.onGap(gap);
  }
}
