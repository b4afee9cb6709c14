// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.stoa.feed.event.FeedGap;
import io.stoa.feed.event.FeedSink;
import io.stoa.feed.event.PrivilegedReader;
import io.stoa.feed.syncrepl.Cookie;
import io.stoa.feed.syncrepl.SyncContext;
import io.stoa.feed.syncrepl.SyncEvents;
import io.stoa.feed.syncrepl.SyncEvents.SyncInfo;
import io.stoa.feed.syncrepl.SyncEvents.SyncState;
import io.stoa.feed.syncrepl.SyncReplSession;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.protocol.Uuid;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the feed of one server going over connections that end: from where it was, or anew where
 * that is not known. Thread-confined.
 */
final class SimFeed {
  private static final long PAUSE = 300 * Faults.MILLIS;
  private static final int RID = 1;

  private final VirtualTime time;
  private final Faults faults;
  private final SimSyncProvider provider;
  private final SimPositionReader positions;
  private final SyncContext syncContext;
  private final FeedSink sink;
  private final PrivilegedReader reader;
  private @Nullable Cookie resume;
  private boolean cookieLost;

  SimFeed(
      VirtualTime time,
      Faults faults,
      SimSyncProvider provider,
      SimPositionReader positions,
      FeedTarget heard) {
    this.time = time;
    this.faults = faults;
    this.provider = provider;
    this.positions = positions;
    this.syncContext = heard.syncContext();
    this.sink = heard.sink();
    this.reader = heard.reader();
  }

  /**
   * Where it goes. Immutable.
   *
   * @param reader who looks what the server shows
   */
  record FeedTarget(SyncContext syncContext, FeedSink sink, PrivilegedReader reader) {}

  /** Begins, or goes on. */
  void connect() {
    Cookie known = resume;
    if (known == null) {
      positions.read(this::begin);
    } else {
      begin(known, true);
    }
  }

  private void begin(@Nullable Position position) {
    if (position == null) {
      time.after(PAUSE, this::connect);
    } else {
      begin(Cookie.of(position.marks().values()), false);
    }
  }

  private void begin(Cookie cookie, boolean resumed) {
    SyncReplSession.Start start = new SyncReplSession.Start(cookie, resumed, true, true);
    provider.search(
        cookie.encode(RID), new Attempt(cookie, new SyncReplSession(syncContext, start, sink)));
  }

  private void onEnd(SyncReplSession session) {
    resume = session.state() == SyncReplSession.Progress.BROKEN ? null : session.cookie();
    if (faults.fault() == Fault.COOKIE_LOST && !cookieLost && resume != null) {
      cookieLost = true;
      resume = null;
      sink.onGap(FeedGap.HISTORY_LOST);
    }
    time.after(PAUSE, this::connect);
  }

  /** One connection. Thread-confined. */
  private final class Attempt implements SyncEvents {
    private final Cookie since;
    private final SyncReplSession session;
    private boolean secondRefreshBegun;
    private boolean ended;

    Attempt(Cookie since, SyncReplSession session) {
      this.since = since;
      this.session = session;
    }

    private void handle(Runnable event) {
      if (ended) {
        return;
      }
      event.run();
      SyncReplSession.Progress state = session.state();
      ended = state == SyncReplSession.Progress.BROKEN || state == SyncReplSession.Progress.LOST;
      if (ended) {
        onEnd(session);
      } else if (!secondRefreshBegun && session.needsSecondRefresh()) {
        secondRefreshBegun = true;
        Runnable settled = () -> provider.secondRefresh(since.encode(RID), this);
        new SimRefreshBarrier(time, reader, session::serverPosition, () -> ended, settled).begin();
      }
    }

    @Override
    public void onEntry(SyncState state, Uuid uuid, byte @Nullable [] op, @Nullable Cookie cookie) {
      handle(() -> session.onEntry(state, uuid, op, cookie));
    }

    @Override
    public void onInfo(
        SyncInfo kind,
        @Nullable Cookie cookie,
        boolean refreshDone,
        boolean refreshDeletes,
        List<Uuid> uuids) {
      handle(() -> session.onInfo(kind, cookie, refreshDone, refreshDeletes, uuids));
    }

    @Override
    public void onSecondRefresh(int resultCode, boolean refreshDeletes, String diagnostic) {
      handle(() -> session.onSecondRefresh(resultCode, refreshDeletes, diagnostic));
    }

    @Override
    public void onDone(
        int resultCode, @Nullable Cookie cookie, boolean refreshDeletes, String diagnostic) {
      handle(() -> session.onDone(resultCode, cookie, refreshDeletes, diagnostic));
    }

    @Override
    public void onLost(String why) {
      handle(() -> session.onLost(why));
    }
  }
}
