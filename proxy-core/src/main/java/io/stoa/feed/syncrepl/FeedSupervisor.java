// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import io.stoa.feed.connection.FeedConnection;
import io.stoa.feed.connection.FeedCredentials;
import io.stoa.feed.connection.FeedServer;
import io.stoa.feed.connection.SdkLink;
import io.stoa.feed.event.FeedGap;
import io.stoa.feed.event.FeedKind;
import io.stoa.feed.event.FeedSink;
import io.stoa.feed.event.PrivilegedReader;
import io.stoa.feed.syncrepl.FeedCapabilities.ChangeSearch;
import io.stoa.feed.syncrepl.FeedCapabilities.FeedContext;
import io.stoa.feed.syncrepl.FeedCapabilities.Origin;
import io.stoa.feed.syncrepl.FeedStatus.Phase;
import io.stoa.feed.syncrepl.SyncReplSession.Start;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.net.transport.FailureText;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the feed of one naming context running: connects to the first usable server, resumes at the
 * last cookie, and pauses after each failure. Logs each change of the feed's phase once.
 *
 * <p>Threading: a thread of its own, except for start, close and the queries.
 */
public final class FeedSupervisor implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FeedSupervisor.class);

  /**
   * Time live in ns after which the back-off is reset: 10 s. A feed that stayed live reconnects at
   * once.
   */
  private static final long STEADY_NANOS = TimeUnit.SECONDS.toNanos(10);

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

  private final Config terms;
  private final SyncContext sync;
  private final Supplier<List<FeedServer>> servers;
  private final Origin origin;
  private final SdkLink link;
  private final SdkReader reader;
  private final FeedStats stats;
  private final EventExecutor executor =
      new DefaultEventExecutor(new DefaultThreadFactory("stoa-feed", true));
  private final ReconnectPolicy policy;
  private volatile @Nullable ChangeSearch source;
  private @Nullable Attempt attempt;
  private volatile boolean stopped;

  /**
   * Creates a feed that searches the naming context itself.
   *
   * @param servers the servers that hold the naming context, in order of preference
   * @param sink receives the changes, on one thread
   */
  public FeedSupervisor(
      Config terms, SyncContext sync, Supplier<List<FeedServer>> servers, FeedSink sink) {
    this(
        terms,
        sync,
        servers,
        sink,
        (from, ties) -> FeedCapabilities.contextSearch(from, terms.base(), ties.sink()));
  }

  /**
   * Creates a feed with a configurable search.
   *
   * @param origin decides what is searched
   */
  public FeedSupervisor(
      Config terms,
      SyncContext sync,
      Supplier<List<FeedServer>> servers,
      FeedSink sink,
      Origin origin) {
    this.origin = origin;
    this.terms = terms;
    this.policy = new ReconnectPolicy(terms.patience());
    this.sync = sync;
    this.servers = servers;
    this.stats = new FeedStats(sync.context(), "", terms.bounds(), sink);
    this.link = new SdkLink(terms.account(), terms.timeout(), terms.mostOctets());
    this.reader = new SdkReader(link, new EntryConverter(sync.secret()), "stoa-feed-reader");
  }

  /**
   * Configuration of a feed.
   *
   * <p>Threading: immutable.
   *
   * @param base the naming context, as the servers know it
   * @param account the credentials of the feed
   * @param timeout the maximum time for any response
   * @param keepAlive the interval of heartbeats
   * @param patience the initial timeout for the changes since the last cookie
   * @param mostOctets the maximum size of a message, in bytes
   * @param bounds the staleness bounds named in log lines
   */
  public record Config(
      String base,
      FeedCredentials account,
      Duration timeout,
      Duration keepAlive,
      Duration patience,
      int mostOctets,
      FeedStats.Bounds bounds) {}

  /** Starts the feed. */
  public void start() {
    executor.execute(this::connect);
  }

  /** Called when the servers may have changed: disconnects from a server that was removed. */
  public void onServersChanged() {
    post(
        () -> {
          Attempt present = attempt;
          if (present != null && servers.get().stream().noneMatch(present.server::isSameAs)) {
            present.onLost("the server was removed");
          }
        });
  }

  /** Closes all connections and threads. */
  @Override
  public void close() {
    stopped = true;
    post(this::disconnect);
    reader.close();
    executor.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    executor.terminationFuture().awaitUninterruptibly(2 * terms.timeout().toMillis());
    stats.setPhase(Phase.STOPPED, "", "");
  }

  /** Returns a reader with the feed's account, on the server of the feed. */
  public PrivilegedReader reader() {
    return reader;
  }

  /** Returns the current status of the feed. */
  public FeedStatus status() {
    return stats.status();
  }

  /** Returns the kind of the feed; null before the first connection has determined it. */
  public @Nullable FeedKind kind() {
    ChangeSearch present = source;
    return present == null ? null : present.kind();
  }

  /**
   * Checks that a position which the server has reported can be used as a proof.
   *
   * @param told receives the position that the feed must reach, on any thread; not called if the
   *     position proves nothing
   */
  public void prove(Position position, Consumer<Position> told) {
    ChangeSearch present = source;
    if (present != null) {
      present.proof().verify(position, told);
    }
  }

  /** Connects. Every failure leads to another attempt. */
  private void connect() {
    String at = "";
    try {
      List<FeedServer> all = stopped ? List.of() : servers.get();
      if (all.isEmpty()) {
        failed("no server is available");
      } else {
        FeedServer server = policy.server(all);
        at = server + ": ";
        begin(server, policy.isLast(all));
      }
    } catch (IOException e) {
      connectFailed(at + FailureText.of(e));
    } catch (LDAPException e) {
      connectFailed(at + SdkLink.text(e));
    } catch (RuntimeException e) {
      // at debug level, since it recurs with each attempt
      LOG.debug("feed could not connect: internal error", e);
      connectFailed(at + FailureText.INTERNAL);
    }
  }

  private void begin(FeedServer server, boolean last) throws IOException, LDAPException {
    stats.countConnect(server);
    attempt = new Attempt(server, link.openForFeed(server));
    attempt.start(last);
  }

  /**
   * Resumes at the last cookie, or begins at the current position of the server. In neither case
   * are all entries downloaded.
   */
  private ChangeSearch begin(LDAPConnection connection) throws IOException {
    ChangeSearch known = source;
    if (known != null && policy.resume() != null) {
      return known;
    }
    FeedContext ties =
        new FeedContext(stats, reader, executor, why -> restart(FeedGap.HISTORY_LOST, why));
    ChangeSearch now = origin.begin(connection, ties);
    source = now;
    stats.setProtocol(now.protocol());
    return now;
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
    ChangeSearch known = source;
    if (present != null && present.session != null) {
      present.deliver(session -> session.fail(gap, why));
    } else {
      policy.discardCookie();
      FeedSink sink = known == null ? stats : known.sink();
      sink.onGap(gap);
    }
  }

  private void connectFailed(String why) {
    disconnect();
    policy.onConnectFailed();
    failed(why);
  }

  private void failed(String why) {
    if (!stopped) {
      stats.setPhase(Phase.CONNECTING, "", why);
      later();
    }
  }

  private void post(Runnable task) {
    try {
      executor.execute(task);
    } catch (RejectedExecutionException e) {
      LOG.debug("event ignored: the feed is closed", e);
    }
  }

  private void later() {
    if (!stopped) {
      executor.schedule(this::connect, policy.pauseMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private void disconnect() {
    Attempt present = attempt;
    attempt = null;
    if (present != null) {
      present.end();
    }
  }

  /** Called when a session has ended: reconnects, to resume or to begin anew. */
  private void onSessionEnded(Attempt ended, SyncReplSession session) {
    boolean steady = ended.live && System.nanoTime() - ended.liveSince > STEADY_NANOS;
    policy.onSessionEnded(session, ended.live, steady);
    disconnect();
    later();
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
    private @Nullable ScheduledFuture<?> ticks;
    private final Heartbeat.Lag lag = new Heartbeat.Lag();
    private long lastEventNanos = System.nanoTime();
    private long liveSince;
    private boolean live;
    private boolean ended;

    Attempt(FeedServer server, FeedConnection connection) {
      this.server = server;
      this.connection = connection;
      this.driver = new SyncReplDriver(connection, this, FeedSupervisor.this::post);
    }

    void start(boolean last) throws IOException, LDAPException {
      ChangeSearch where = begin(connection.sdk());
      Cookie resume = policy.resume();
      Cookie begin = resume == null ? where.from() : resume;
      stats.setPhase(Phase.REFRESHING, server.name(), "");
      // an accesslog also reports what is not shown yet
      boolean twice = where.kind() == FeedKind.SYNCREPL;
      session =
          new SyncReplSession(sync, new Start(begin, resume != null, last, twice), where.sink());
      String base = where.target().base();
      if (resume != null && !FeedCapabilities.position(connection.sdk(), base).covers(begin)) {
        deliver(
            to ->
                to.onServerBehind(
                    server + ": the server lacks changes that the feed has reported"));
        return;
      }
      reader.reconnect(server); // the entries that it reports are read from it
      heartbeat = driver.start(where.target(), begin, base, at -> post(() -> onServerPosition(at)));
      long period = terms.keepAlive().toMillis();
      ticks = executor.scheduleAtFixedRate(this::tick, period, period, TimeUnit.MILLISECONDS);
    }

    void end() {
      ended = true;
      ScheduledFuture<?> regular = ticks;
      if (regular != null) {
        regular.cancel(false);
      }
      driver.end();
    }

    private void tick() {
      if (!live && policy.isTimedOut(System.nanoTime() - lastEventNanos)) {
        boolean anew = policy.countTimeout();
        deliver(
            to ->
                to.onRefreshTimeout(
                    server
                        + ": timeout: the server did not report the changes since the last cookie",
                    anew));
      } else if (heartbeat != null) {
        heartbeat.send(
            executor, terms.timeout(), why -> driver.onHeartbeatTimeout(why, terms.timeout()));
      }
    }

    /** Called with each position of the server. Disconnects if the feed has stalled behind it. */
    private void onServerPosition(Cookie position) {
      SyncReplSession present = session;
      if (present == null || ended) {
        return;
      }
      long nanos = lag.nanos(present.cookie(), position, System.nanoTime());
      if (live && nanos > STALL_NANOS) {
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
        LOG.error("feed event failed: internal error. The feed begins anew", e);
        present.fail("a change could not be processed");
      }
      lastEventNanos =
          present.needsSecondRefresh()
              ? lastEventNanos
              : System.nanoTime(); // live events are no answer
      if (present.isOver()) {
        onSessionEnded(this, present);
      } else if (!live && present.state() == SyncReplSession.Progress.LIVE) {
        live(lastEventNanos);
      } else if (present.needsSecondRefresh()) {
        driver.refreshAgain(executor, present::serverPosition, sync.context());
      }
    }

    private void live(long now) {
      live = true;
      liveSince = now;
      policy.onLive();
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
      SyncReplSession.PendingDeletes since = present == null ? null : present.pendingDeletes();
      if (!stopped && !ended && since != null) {
        executor.schedule(
            () -> deliver(to -> to.settle(since)), SETTLE_MILLIS, TimeUnit.MILLISECONDS);
      }
    }

    @Override
    public void onInfo(
        SyncInfo kind,
        @Nullable Cookie cookie,
        boolean refreshDone,
        boolean refreshDeletes,
        List<Uuid> uuids) {
      if (refreshDone && !live && !ended) {
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
