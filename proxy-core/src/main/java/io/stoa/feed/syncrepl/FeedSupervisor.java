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
import io.stoa.feed.syncrepl.FeedCapabilities.FeedContext;
import io.stoa.feed.syncrepl.FeedCapabilities.Origin;
import io.stoa.feed.syncrepl.FeedCapabilities.Source;
import io.stoa.feed.syncrepl.FeedStatus.Phase;
import io.stoa.feed.syncrepl.SyncReplSession.Start;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.protocol.Uuid;
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
 * Keeps the feed of one naming context going: from the first server that can be had, from where it
 * was, and with a pause after each failure. Says once in the log what has become of it. Confined to
 * a thread of its own, but for what starts and ends it and what is asked of it.
 */
public final class FeedSupervisor implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FeedSupervisor.class);

  /** Whoever was live for so long is tried again at once. */
  private static final long STEADY_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** A server that is told by others what has gone is told within that time what has changed. */
  private static final long SETTLE_MILLIS = 300;

  /** A feed that lacks for so long what the server has is begun again where it stands. */
  private static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Terms terms;
  private final SyncTerms sync;
  private final Supplier<List<FeedServer>> servers;
  private final Origin origin;
  private final SdkLink link;
  private final SdkReader reader;
  private final FeedStats tally;
  private final EventExecutor own =
      new DefaultEventExecutor(new DefaultThreadFactory("stoa-feed", true));
  private final ReconnectPolicy course;
  private volatile @Nullable Source source;
  private @Nullable Attempt attempt;
  private volatile boolean stopped;

  /**
   * Makes one that searches the naming context itself.
   *
   * @param servers that have the naming context, the best first
   * @param sink hears of changes, on one thread
   */
  public FeedSupervisor(
      Terms terms, SyncTerms sync, Supplier<List<FeedServer>> servers, FeedSink sink) {
    this(
        terms,
        sync,
        servers,
        sink,
        (from, ties) -> FeedCapabilities.context(from, terms.base(), ties.to()));
  }

  /**
   * The same.
   *
   * @param origin says what is searched
   */
  public FeedSupervisor(
      Terms terms,
      SyncTerms sync,
      Supplier<List<FeedServer>> servers,
      FeedSink sink,
      Origin origin) {
    this.origin = origin;
    this.terms = terms;
    this.course = new ReconnectPolicy(terms.patience());
    this.sync = sync;
    this.servers = servers;
    this.tally = new FeedStats(sync.context(), "", terms.bounds(), sink);
    this.link = new SdkLink(terms.account(), terms.timeout(), terms.mostOctets());
    this.reader = new SdkReader(link, new EntryConverter(sync.secret()), "stoa-feed-reader");
  }

  /**
   * How a feed is kept. Immutable.
   *
   * @param base the naming context, as the servers know it
   * @param account as whom it is taken
   * @param timeout how long a server may take to answer anything
   * @param keepAlive how often it is asked for a sign of life
   * @param patience how long it may say nothing at first of what happened since a feed was cut off
   * @param mostOctets of one message
   * @param bounds what people are told of it
   */
  public record Terms(
      String base,
      FeedCredentials account,
      Duration timeout,
      Duration keepAlive,
      Duration patience,
      int mostOctets,
      FeedStats.Bounds bounds) {}

  /** Begins. */
  public void start() {
    own.execute(this::connect);
  }

  /** Servers may have gone, or come: one that is not to be used any more is left. */
  public void review() {
    post(
        () -> {
          Attempt present = attempt;
          if (present != null && servers.get().stream().noneMatch(present.server::is)) {
            present.lost("it is not one of the servers any more");
          }
        });
  }

  /** Ends all connections and threads. */
  @Override
  public void close() {
    stopped = true;
    post(this::disconnect);
    reader.close();
    own.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    own.terminationFuture().awaitUninterruptibly(2 * terms.timeout().toMillis());
    tally.phase(Phase.STOPPED, "", "");
  }

  /** Reads as the account of the feed, where the feed comes from. */
  public PrivilegedReader reader() {
    return reader;
  }

  /** The feed as it is now. */
  public FeedStatus status() {
    return tally.status();
  }

  /** By what means changes are told; null before that is known. */
  public @Nullable FeedKind kind() {
    Source present = source;
    return present == null ? null : present.kind();
  }

  /**
   * The server has counted its changes up to there.
   *
   * @param told hears it, on any thread, if that says up to where the feed must have come
   */
  public void prove(Position position, Consumer<Position> told) {
    Source present = source;
    if (present != null) {
      present.proof().of(position, told);
    }
  }

  /** Whatever happens, it is tried again. */
  private void connect() {
    String at = "";
    try {
      List<FeedServer> all = stopped ? List.of() : servers.get();
      if (all.isEmpty()) {
        failed("no server can be had");
      } else {
        FeedServer server = course.server(all);
        at = server + ": ";
        begin(server, course.isLast(all));
      }
    } catch (IOException e) {
      notBegun(at + e.getMessage());
    } catch (LDAPException e) {
      notBegun(at + SdkLink.text(e));
    } catch (RuntimeException e) {
      LOG.debug("a feed cannot be begun: a defect", e); // as often as it is tried
      notBegun(at + "a defect: " + e);
    }
  }

  private void begin(FeedServer server, boolean last) throws IOException, LDAPException {
    tally.connects(server);
    attempt = new Attempt(server, link.take(server));
    attempt.start(last);
  }

  /** From where it was, or from where the server is now: then nothing is downloaded. */
  private Source begin(LDAPConnection connection) throws IOException {
    Source known = source;
    if (known != null && course.resume() != null) {
      return known;
    }
    FeedContext ties = new FeedContext(tally, reader, own, why -> anew(FeedGap.HISTORY_LOST, why));
    Source now = origin.begin(connection, ties);
    source = now;
    tally.by(now.by());
    return now;
  }

  /** All that was told before is void: the feed begins where the server is now. Thread-safe. */
  public void anew(FeedGap gap, String why) {
    post(() -> begun(gap, why));
  }

  private void begun(FeedGap gap, String why) {
    Attempt present = attempt;
    Source known = source;
    if (present != null && present.session != null) {
      present.hear(session -> session.undone(gap, why));
    } else {
      course.anew();
      FeedSink sink = known == null ? tally : known.sink();
      sink.gap(gap);
    }
  }

  private void notBegun(String why) {
    disconnect();
    course.notBegun();
    failed(why);
  }

  private void failed(String why) {
    if (!stopped) {
      tally.phase(Phase.CONNECTING, "", why);
      later();
    }
  }

  private void post(Runnable task) {
    try {
      own.execute(task);
    } catch (RejectedExecutionException e) {
      LOG.debug("the feed has ended, and hears no more", e);
    }
  }

  private void later() {
    if (!stopped) {
      own.schedule(this::connect, course.pauseMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private void disconnect() {
    Attempt present = attempt;
    attempt = null;
    if (present != null) {
      present.end();
    }
  }

  /** What was begun has ended: goes on from there, or anew. */
  private void over(Attempt ended, SyncReplSession session) {
    boolean steady = ended.live && System.nanoTime() - ended.liveSince > STEADY_NANOS;
    course.over(session, ended.live, steady);
    disconnect();
    later();
  }

  /** One connection, and what is heard on it. Confined to the thread of the feed. */
  private final class Attempt implements SyncEvents {
    private final FeedServer server;
    private final FeedConnection connection;
    private final SyncReplDriver driver;
    private @Nullable Heartbeat pulse;
    private @Nullable SyncReplSession session;
    private @Nullable ScheduledFuture<?> ticks;
    private final Heartbeat.Lack lack = new Heartbeat.Lack();
    private long heardAt = System.nanoTime();
    private long liveSince;
    private boolean live;
    private boolean ended;

    Attempt(FeedServer server, FeedConnection connection) {
      this.server = server;
      this.connection = connection;
      this.driver = new SyncReplDriver(connection, this, FeedSupervisor.this::post);
    }

    void start(boolean last) throws IOException, LDAPException {
      Source where = begin(connection.asking());
      Cookie resume = course.resume();
      Cookie begin = resume == null ? where.from() : resume;
      tally.phase(Phase.REFRESHING, server.name(), "");
      boolean twice = where.kind() == FeedKind.SYNCREPL; // a log tells what is not shown yet
      session =
          new SyncReplSession(sync, new Start(begin, resume != null, last, twice), where.sink());
      String base = where.target().base();
      if (resume != null && !FeedCapabilities.position(connection.asking(), base).covers(begin)) {
        hear(to -> to.behind(server + ": it does not have all that the feed has told"));
        return;
      }
      reader.anew(server); // what it tells is to be looked at
      pulse = driver.start(where.target(), begin, base, at -> post(() -> told(at)));
      long period = terms.keepAlive().toMillis();
      ticks = own.scheduleAtFixedRate(this::tick, period, period, TimeUnit.MILLISECONDS);
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
      if (!live && course.isTooLong(System.nanoTime() - heardAt)) {
        boolean anew = course.givesUp();
        hear(to -> to.silent(server + ": it does not say what happened meanwhile", anew));
      } else if (pulse != null) {
        pulse.ask(own, terms.timeout(), why -> driver.silent(why, terms.timeout()));
      }
    }

    /** The server has got so far: the feed comes after, or does not work. */
    private void told(Cookie position) {
      SyncReplSession present = session;
      if (present == null || ended) {
        return;
      }
      long nanos = lack.nanos(present.cookie(), position, System.nanoTime());
      if (live && nanos > STALL_NANOS) {
        lost("it stands still while the server goes on");
      }
    }

    /** What is heard, and what becomes of it. Whatever cannot be handed on is a gap. */
    private void hear(Consumer<SyncReplSession> event) {
      SyncReplSession present = session;
      if (present == null || ended) {
        return;
      }
      try {
        event.accept(present);
      } catch (RuntimeException e) {
        LOG.error("what the feed says cannot be taken: a defect", e);
        present.undone("a change could not be taken");
      }
      heardAt = present.isToAskAgain() ? heardAt : System.nanoTime(); // others are heard meanwhile
      if (present.over()) {
        over(this, present);
      } else if (!live && present.state() == SyncReplSession.State.LIVE) {
        live(heardAt);
      } else if (present.isToAskAgain()) {
        driver.again(own, present::counted, sync.context());
      }
    }

    private void live(long now) {
      live = true;
      liveSince = now;
      course.live();
    }

    @Override
    public void entry(
        SyncState state, Uuid uuid, byte @Nullable [] searchEntryOp, @Nullable Cookie cookie) {
      hear(to -> to.entry(state, uuid, searchEntryOp, cookie));
      if (state == SyncState.DELETE || cookie == null || cookie.isEmpty()) {
        settle();
      }
    }

    /** What a delete has said may have to settle. */
    private void settle() {
      SyncReplSession present = session;
      SyncReplSession.Unsettled since = present == null ? null : present.unsettled();
      if (!stopped && !ended && since != null) {
        own.schedule(() -> hear(to -> to.settle(since)), SETTLE_MILLIS, TimeUnit.MILLISECONDS);
      }
    }

    @Override
    public void info(
        SyncInfo kind,
        @Nullable Cookie cookie,
        boolean refreshDone,
        boolean refreshDeletes,
        List<Uuid> uuids) {
      if (refreshDone && !live && !ended) {
        reader.from(server); // whoever hears that the feed is live asks where it comes from
      }
      hear(to -> to.info(kind, cookie, refreshDone, refreshDeletes, uuids));
    }

    @Override
    public void again(int resultCode, boolean refreshDeletes, String diagnostic) {
      hear(to -> to.again(resultCode, refreshDeletes, diagnostic));
    }

    @Override
    public void done(
        int resultCode, @Nullable Cookie cookie, boolean refreshDeletes, String diagnostic) {
      hear(to -> to.done(resultCode, cookie, refreshDeletes, diagnostic));
    }

    @Override
    public void lost(String why) {
      hear(to -> to.lost(server + ": " + why));
    }
  }
}
