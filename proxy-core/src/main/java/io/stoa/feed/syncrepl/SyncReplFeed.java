// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

import com.unboundid.ldap.sdk.LDAPConnection;
import io.stoa.feed.connection.FeedConnection;
import io.stoa.feed.connection.FeedServer;
import io.stoa.feed.event.FeedGap;
import io.stoa.feed.event.FeedKind;
import io.stoa.feed.event.FeedSink;
import io.stoa.feed.syncrepl.FeedCapabilities.ChangeSearch;
import io.stoa.feed.syncrepl.FeedCapabilities.FeedContext;
import io.stoa.feed.syncrepl.FeedCapabilities.Origin;
import io.stoa.feed.syncrepl.FeedStatus.Phase;
import io.stoa.feed.syncrepl.SyncReplSession.Start;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.protocol.Uuid;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Feed that uses sync searches (RFC 4533), of the naming context or of its accesslog. Resumes at
 * the last cookie.
 *
 * <p>Threading: a thread of its own, except for start, close and the queries.
 */
public final class SyncReplFeed extends FeedSupervisor {
  private static final Logger LOG = LoggerFactory.getLogger(SyncReplFeed.class);

  /**
   * Pause in ms before the cookie of a delete takes effect. A replica that receives the deletes
   * first receives the modifications within this time.
   */
  private static final long SETTLE_MILLIS = 300;

  /**
   * Time in ns for which the feed may lack a change that the server has: 10 s. Then the feed
   * reconnects and resumes.
   */
  private static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final SyncContext sync;
  private final Origin origin;
  private final ReconnectPolicy policy;
  private volatile @Nullable ChangeSearch source;
  private @Nullable Attempt attempt;

  /**
   * Creates a feed that searches the naming context itself.
   *
   * @param servers the servers that hold the naming context, in order of preference
   * @param sink receives the changes, on one thread
   */
  public SyncReplFeed(
      Config config, SyncContext sync, Supplier<List<FeedServer>> servers, FeedSink sink) {
    this(
        config,
        sync,
        servers,
        sink,
        (from, context) -> FeedCapabilities.contextSearch(from, config.base(), context.sink()));
  }

  /**
   * Creates a feed with a configurable search.
   *
   * @param origin decides what is searched
   */
  public SyncReplFeed(
      Config config,
      SyncContext sync,
      Supplier<List<FeedServer>> servers,
      FeedSink sink,
      Origin origin) {
    super(
        config,
        sync,
        servers,
        new FeedStats(sync.context(), "", config.bounds(), sink),
        "stoa-feed");
    this.sync = sync;
    this.origin = origin;
    this.policy = new ReconnectPolicy(config.patience());
  }

  @Override
  public @Nullable FeedKind kind() {
    ChangeSearch present = source;
    return present == null ? null : present.kind();
  }

  /** Checks that the position which the server reports can be used as a proof. */
  @Override
  public void requestPosition(Consumer<Position> receiver) {
    reader.readPosition(
        config.base().getBytes(StandardCharsets.UTF_8),
        sync.context(),
        position -> {
          ChangeSearch present = source;
          if (position.isEmpty() || present == null) {
            receiver.accept(Position.NONE); // nothing to prove, and the requester waits
          } else {
            present.proof().verify(position, receiver);
          }
        });
  }

  @Override
  protected void begin(FeedServer server, int candidates) throws IOException {
    attempt = new Attempt(server, link.openForFeed(server));
    attempt.start(policy.isLast(candidates));
  }

  /**
   * Resumes at the last cookie, or begins at the current position of the server. In neither case
   * are all entries downloaded.
   */
  private ChangeSearch begin(LDAPConnection connection) throws IOException {
    ChangeSearch currentSource = source;
    if (currentSource != null && policy.resume() != null) {
      return currentSource;
    }
    FeedContext context =
        new FeedContext(stats, reader, executor, why -> restart(FeedGap.HISTORY_LOST, why));
    ChangeSearch newSource = origin.begin(connection, context);
    source = newSource;
    stats.setProtocol(newSource.protocol());
    return newSource;
  }

  /**
   * Declares everything reported before void; the feed begins at the server's current position.
   * Thread-safe.
   */
  public void restart(FeedGap gap, String why) {
    post(() -> beginAnew(gap, why));
  }

  private void beginAnew(FeedGap gap, String why) {
    Attempt present = attempt;
    ChangeSearch currentSource = source;
    if (present != null && present.session != null) {
      present.deliver(session -> session.fail(gap, why));
    } else {
      policy.discardCookie();
      FeedSink sink = currentSource == null ? stats : currentSource.sink();
      sink.onGap(gap);
    }
  }

  @Override
  protected void onLost(String why) {
    Attempt present = attempt;
    if (present != null) {
      present.deliver(session -> session.onLost(why));
    }
  }

  @Override
  protected void disconnect() {
    Attempt present = attempt;
    attempt = null;
    if (present != null) {
      present.end();
    }
  }

  @Override
  protected void onKeepAlive() {
    Attempt present = attempt;
    if (present != null) {
      present.checkAlive();
    }
  }

  /**
   * One connection and its events.
   *
   * <p>Threading: thread of the feed.
   */
  private final class Attempt implements SyncEvents {
    private final FeedServer server;
    private final FeedConnection connection;
    private final SyncReplDriver driver;
    private @Nullable Heartbeat heartbeat;
    private @Nullable SyncReplSession session;
    private final Heartbeat.Lag lag = new Heartbeat.Lag();
    private long lastEventNanos = System.nanoTime();
    private boolean ended;

    Attempt(FeedServer server, FeedConnection connection) {
      this.server = server;
      this.connection = connection;
      this.driver = new SyncReplDriver(connection, this, SyncReplFeed.this::post);
    }

    void start(boolean last) throws IOException {
      ChangeSearch search = begin(connection.sdk());
      Cookie resume = policy.resume();
      Cookie startCookie = resume == null ? search.from() : resume;
      stats.setPhase(Phase.REFRESHING, server.name(), "");
      // an accesslog also reports what is not shown yet
      boolean refreshTwice = search.kind() == FeedKind.SYNCREPL;
      session =
          new SyncReplSession(
              sync, new Start(startCookie, resume != null, last, refreshTwice), search.sink());
      String base = search.target().base();
      if (resume != null
          && !FeedCapabilities.position(connection.sdk(), base).covers(startCookie)) {
        deliver(
            to ->
                to.onServerBehind(
                    server + ": the server lacks changes that the feed has reported"));
        return;
      }
      reader.reconnect(server); // the entries that it reports are read from it
      heartbeat =
          driver.start(
              search.target(),
              startCookie,
              base,
              position -> post(() -> onServerPosition(position)));
    }

    void end() {
      ended = true;
      driver.end();
    }

    void checkAlive() {
      if (!isLive() && policy.isTimedOut(System.nanoTime() - lastEventNanos)) {
        boolean mustBeginAnew = policy.countTimeout();
        deliver(
            to ->
                to.onRefreshTimeout(
                    server
                        + ": timeout: the server did not report the changes since the last cookie",
                    mustBeginAnew));
      } else if (heartbeat != null) {
        heartbeat.send(
            executor, config.timeout(), why -> driver.onHeartbeatTimeout(why, config.timeout()));
      }
    }

    /** Called with each position of the server. Disconnects if the feed has stalled behind it. */
    private void onServerPosition(Cookie position) {
      SyncReplSession present = session;
      if (present == null || ended) {
        return;
      }
      long nanos = lag.nanos(present.cookie(), position, System.nanoTime());
      if (isLive() && nanos > STALL_NANOS) {
        onLost("the feed lags: it lacks a change that the server has");
      }
    }

    /** Delivers an event to the session and acts on its new state. An event that fails is a gap. */
    private void deliver(Consumer<SyncReplSession> event) {
      SyncReplSession present = session;
      if (present == null || ended) {
        return;
      }
      try {
        event.accept(present);
      } catch (RuntimeException e) {
        LOG.error(
            "feed of {}: a change could not be processed: internal error. The feed begins anew",
            sync.context(),
            e);
        present.fail("a change could not be processed");
      }
      lastEventNanos =
          present.needsSecondRefresh()
              ? lastEventNanos
              : System.nanoTime(); // live events are no answer
      if (present.isOver()) {
        policy.onSessionEnded(present);
        reconnect(!isLive());
      } else if (!isLive() && present.state() == SyncReplSession.Progress.LIVE) {
        setLive(true);
        policy.onLive();
      } else if (present.needsSecondRefresh()) {
        driver.refreshAgain(executor, present::serverPosition, sync.context());
      }
    }

    @Override
    public void onEntry(
        SyncState state, Uuid uuid, byte @Nullable [] searchEntryOp, @Nullable Cookie cookie) {
      deliver(to -> to.onEntry(state, uuid, searchEntryOp, cookie));
      if (state == SyncState.DELETE || cookie == null || cookie.isEmpty()) {
        settle();
      }
    }

    /** Schedules the moment at which the cookie of a delete takes effect. */
    private void settle() {
      SyncReplSession present = session;
      SyncReplSession.PendingDeletes pendingDeletes =
          present == null ? null : present.pendingDeletes();
      if (!isStopped() && !ended && pendingDeletes != null) {
        executor.schedule(
            () -> deliver(to -> to.settle(pendingDeletes)), SETTLE_MILLIS, TimeUnit.MILLISECONDS);
      }
    }

    @Override
    public void onInfo(
        SyncInfo kind,
        @Nullable Cookie cookie,
        boolean refreshDone,
        boolean refreshDeletes,
        List<Uuid> uuids) {
      if (refreshDone && !isLive() && !ended) {
        reader.useServer(server); // listeners to live() read from this server at once
      }
      deliver(to -> to.onInfo(kind, cookie, refreshDone, refreshDeletes, uuids));
    }

    @Override
    public void onSecondRefresh(int resultCode, boolean refreshDeletes, String diagnostic) {
      deliver(to -> to.onSecondRefresh(resultCode, refreshDeletes, diagnostic));
    }

    @Override
    public void onDone(
        int resultCode, @Nullable Cookie cookie, boolean refreshDeletes, String diagnostic) {
      deliver(to -> to.onDone(resultCode, cookie, refreshDeletes, diagnostic));
    }

    @Override
    public void onLost(String why) {
      deliver(to -> to.onLost(server + ": " + why));
    }
  }
}
