// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.changelog;

import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.stoa.feed.changelog.ChangedEntries.Looks;
import io.stoa.feed.changelog.ChangelogLink.Page;
import io.stoa.feed.changelog.RetroSession.Taken;
import io.stoa.feed.connection.FeedServer;
import io.stoa.feed.connection.SdkLink;
import io.stoa.feed.event.Change;
import io.stoa.feed.event.FeedGap;
import io.stoa.feed.event.FeedSink;
import io.stoa.feed.event.PrivilegedReader;
import io.stoa.feed.syncrepl.EntryConverter;
import io.stoa.feed.syncrepl.FeedStats;
import io.stoa.feed.syncrepl.FeedStatus;
import io.stoa.feed.syncrepl.FeedStatus.Phase;
import io.stoa.feed.syncrepl.FeedSupervisor;
import io.stoa.feed.syncrepl.SdkReader;
import io.stoa.feed.syncrepl.SyncTerms;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.net.transport.Backoff;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the retro changelog of one server, for one naming context.
 *
 * <p>The changelog is read when the server notifies of a write, when a position is requested, and
 * periodically. After a disconnect the feed resumes if the last record that it has read still
 * exists.
 *
 * <p>Threading: a thread of its own, except for start, close and the queries.
 */
public final class ChangelogFeed implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ChangelogFeed.class);
  private static final String BY = "its retro changelog";
  private static final long LONGEST_PAUSE_MILLIS = 5_000;
  private static final long STEADY_NANOS = TimeUnit.SECONDS.toNanos(10);

  /**
   * Number of polls after a notification: 7, with doubling pauses. The server notifies before the
   * record is written.
   */
  private static final int TRIES = 7;

  private final FeedSupervisor.Terms terms;
  private final SyncTerms sync;
  private final Supplier<List<FeedServer>> servers;
  private final SdkLink link;
  private final SdkReader reader;
  private final FeedStats tally;
  private final EventExecutor own =
      new DefaultEventExecutor(new DefaultThreadFactory("stoa-changelog", true));
  private final Backoff pause = new Backoff(LONGEST_PAUSE_MILLIS);
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private final AtomicInteger tries = new AtomicInteger(TRIES);
  private final PendingPolls asked = new PendingPolls();
  private final AtomicBoolean again = new AtomicBoolean();
  private final ChangedEntries entries;
  private final ChangedRules rules = new ChangedRules();
  private @Nullable RetroSession session;
  private @Nullable String filling;
  private int histories;
  private @Nullable FeedServer home;
  private int next;
  private boolean live;
  private long liveSince;
  private volatile @Nullable ChangelogLink open;
  private volatile boolean stopped;

  /**
   * Creates a feed.
   *
   * @param servers the servers that hold the naming context, in order of preference
   * @param sink receives the changes, on one thread
   */
  public ChangelogFeed(
      FeedSupervisor.Terms terms,
      SyncTerms sync,
      Supplier<List<FeedServer>> servers,
      FeedSink sink) {
    this.terms = terms;
    this.sync = sync;
    this.servers = servers;
    this.entries = new ChangedEntries(sync);
    this.tally = new FeedStats(sync.context(), BY, terms.bounds(), sink);
    this.link = new SdkLink(terms.account(), terms.timeout(), terms.mostOctets());
    this.reader = new SdkReader(link, new EntryConverter(sync.secret()), "stoa-changelog-reader");
  }

  /** Starts the feed. */
  public void start() {
    post(this::connect);
    long period = terms.keepAlive().toMillis();
    own.scheduleAtFixedRate(this::look, period, period, TimeUnit.MILLISECONDS);
  }

  /** Called when the servers may have changed: disconnects from a server that was removed. */
  public void review() {
    post(
        () -> {
          FeedServer present = open == null ? null : home;
          if (present != null && servers.get().stream().noneMatch(present::is)) {
            lost(present + ": it is not one of the servers any more");
          }
        });
  }

  /** Closes all connections and threads. */
  @Override
  public void close() {
    stopped = true;
    disconnect();
    post(this::disconnect);
    reader.close();
    own.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    own.terminationFuture().awaitUninterruptibly(2 * terms.timeout().toMillis());
    tally.phase(Phase.STOPPED, "", "");
  }

  /** Returns a reader with the feed's account, on the server of the feed. */
  public PrivilegedReader reader() {
    return reader;
  }

  /** Returns the current status of the feed. */
  public FeedStatus status() {
    return tally.status();
  }

  /**
   * Requests the position of the server, by reading the changelog once more.
   *
   * @param told receives the position up to which all changes have been reported, on the thread of
   *     the feed. Receives {@link Position#NONE} if it cannot be known now, at once if too many
   *     requests wait
   */
  public void ask(Consumer<Position> told) {
    if (asked.add(told)) {
      look();
    } else {
      told.accept(Position.NONE);
    }
  }

  private void look() {
    if (scheduled.compareAndSet(false, true)) {
      post(this::read);
    }
  }

  private void rung() {
    tries.set(0);
    look();
  }

  private void post(Runnable task) {
    try {
      own.execute(task);
    } catch (RejectedExecutionException e) {
      LOG.debug("the feed has ended, and hears no more", e);
    }
  }

  // Connections

  private void connect() {
    String at = "";
    try {
      List<FeedServer> all = stopped ? List.of() : servers.get();
      FeedServer server = all.isEmpty() ? null : all.get(next % all.size());
      if (server == null) {
        lost("no server can be had");
      } else {
        at = server + ": ";
        tally.connects(server);
        begin(server);
      }
    } catch (IOException e) {
      next++;
      lost(at + e.getMessage());
    } catch (RuntimeException e) {
      // at debug level, since it recurs with each attempt
      LOG.debug("a changelog cannot be followed: a defect", e);
      next++;
      lost(at + "a defect: " + e);
    }
  }

  private void begin(FeedServer server) throws IOException {
    ChangelogLink now = new ChangelogLink(link.open(server));
    open = now;
    if (session != null && !server.is(home)) {
      forget(FeedGap.HISTORY_LOST); // change numbers differ between servers
    }
    home = server;
    verify(now);
    session = session == null ? anew(now, server) : session;
    tally.phase(Phase.REFRESHING, server.name(), "");
    now.listen(this::rung, why -> post(() -> ended(now, server + ": " + why)));
    look();
  }

  private RetroSession anew(ChangelogLink from, FeedServer server) throws IOException {
    ChangelogRange offer = ChangelogRange.of(from, terms.account().dn());
    histories++;
    String origin = sync.context() + "#changelog@" + server.name() + "/" + histories;
    return new RetroSession(origin, offer.last(), offer.unseen(), System.nanoTime());
  }

  /** Detects an import or restore, and a restart, since records do not report them. */
  private void verify(ChangelogLink from) throws IOException {
    String now = from.filling(terms.base());
    if (session != null && !Objects.equals(now, filling)) {
      forget(FeedGap.FILLED_ANEW);
    }
    filling = now;
    if (now == null) {
      throw new IOException(ChangelogLink.hidden(terms.base()));
    }
  }

  private void ended(ChangelogLink which, String why) {
    if (open == which) {
      lost(why);
    }
  }

  private void lost(String why) {
    disconnect();
    if (stopped) {
      return;
    }
    if (session != null) {
      session.interrupted();
    }
    if (live) {
      live = false;
      tally.lost(why);
      if (System.nanoTime() - liveSince > STEADY_NANOS) {
        pause.reset();
      }
    } else {
      tally.phase(Phase.CONNECTING, "", why);
    }
    own.schedule(this::connect, pause.next(), TimeUnit.MILLISECONDS);
  }

  private void disconnect() {
    ChangelogLink present = open;
    open = null;
    if (present != null) {
      present.close();
    }
  }

  // Reading the changelog

  private void read() {
    scheduled.set(false);
    List<Consumer<Position>> waiting = asked.take(); // before the search is sent
    ChangelogLink from = open;
    FeedServer server = home;
    boolean answered = false;
    try {
      answered = from != null && server != null && read(from, server, waiting);
    } catch (IOException e) {
      lost(server + ": " + e.getMessage());
    } catch (RuntimeException e) {
      LOG.error("what the changelog says cannot be taken: a defect", e);
      forget(FeedGap.HISTORY_LOST);
      lost(server + ": a change could not be taken");
    }
    if (!answered) {
      // otherwise no requester would try again for long
      waiting.forEach(told -> told.accept(Position.NONE));
    }
  }

  /** Reads all new records. Returns false if the waiting requests were not answered. */
  private boolean read(ChangelogLink from, FeedServer server, List<Consumer<Position>> waiting)
      throws IOException {
    if (!waiting.isEmpty()) {
      verify(from);
    }
    boolean any = false;
    boolean more = true;
    RetroSession now = session;
    while (more) {
      now = session == null ? anew(from, server) : session;
      session = now;
      any |= tell(now, late(now, from), from);
      Page page = from.records(now.from());
      RetroSession at = now;
      boolean anchored = page.records().stream().anyMatch(one -> one.number() == at.from());
      long counted = anchored ? Long.MAX_VALUE : from.counted();
      Taken taken = now.take(page.records(), counted, System.nanoTime());
      FeedGap gap = taken.gap();
      if (gap != null) {
        forget(gap);
      }
      boolean news = tell(now, taken.news(), from);
      any |= news;
      more = gap != null || (page.more() && news);
    }
    return now != null && isRead(now, server, waiting, any);
  }

  private static List<RetroRecord> late(RetroSession now, ChangelogLink from) throws IOException {
    return from.records(now.late(System.nanoTime()));
  }

  private void forget(FeedGap gap) {
    session = null;
    live = false;
    tally.gap(gap);
  }

  /** Reports records. Returns false if there are none. */
  private boolean tell(RetroSession now, List<RetroRecord> news, ChangelogLink from)
      throws IOException {
    Set<Long> ruling = rules.among(news, from::modifications);
    RetroChanges changes = new RetroChanges(sync, base(), ruling);
    int told = 0;
    while (told < news.size()) {
      List<RetroRecord> rest = news.subList(told, news.size());
      List<Uuid> wanted =
          rest.stream().filter(changes::wantsImage).map(RetroRecord::entry).toList();
      Looks looks = entries.read(wanted, (some, found) -> from.entries(terms.base(), some, found));
      told += tell(now, rest, changes, looks);
    }
    return !news.isEmpty();
  }

  private NormalDn base() {
    return sync.rules().name(terms.base().getBytes(StandardCharsets.UTF_8));
  }

  /** Reports records up to the first whose entry has not been read. Returns the number reported. */
  private int tell(RetroSession now, List<RetroRecord> news, RetroChanges changes, Looks looks) {
    int told = 0;
    for (RetroRecord record : news) {
      if (changes.wantsImage(record) && !looks.asked().contains(record.entry())) {
        return told;
      }
      Position position = now.position(record);
      Change change = changes.of(record, looks.known(), position);
      if (change == null) {
        tally.covered(position);
      } else {
        tally.change(change);
      }
      now.told(record, System.nanoTime());
      told++;
    }
    return told;
  }

  /**
   * Called when all available records are reported. Returns false if a change number is missing.
   */
  private boolean isRead(
      RetroSession now, FeedServer server, List<Consumer<Position>> waiting, boolean any) {
    if (!now.isWaiting()) {
      live(now, server);
      waiting.forEach(told -> told.accept(now.position()));
    }
    int tried = any ? TRIES : tries.getAndIncrement();
    if (any) {
      tries.set(TRIES);
    }
    if ((tried < TRIES || now.isWaiting()) && again.compareAndSet(false, true)) {
      long millis = 1L << Math.min(tried, TRIES);
      own.schedule(this::lookAgain, millis, TimeUnit.MILLISECONDS);
    }
    return !now.isWaiting();
  }

  private void lookAgain() {
    again.set(false);
    look();
  }

  private void live(RetroSession now, FeedServer server) {
    if (!live) {
      live = true;
      liveSince = System.nanoTime();
      reader.from(server);
      tally.live(now.position());
    }
  }
}
