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
 * Follows the retro changelog of one server, for one naming context: reads it whenever the server
 * says that something is written, whenever somebody asks how far it has got, and now and then. Goes
 * on after a cut as long as the last record that it has read is still there. Confined to a thread
 * of its own, but for what starts and ends it and what is asked of it.
 */
public final class ChangelogFeed implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ChangelogFeed.class);
  private static final String BY = "its retro changelog";
  private static final long LONGEST_PAUSE_MILLIS = 5_000;
  private static final long STEADY_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** The server says so before it is done: so often it is looked for, each time after longer. */
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
   * Makes it.
   *
   * @param servers that have the naming context, the best first
   * @param sink hears of changes, on one thread
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

  /** Begins. */
  public void start() {
    post(this::connect);
    long period = terms.keepAlive().toMillis();
    own.scheduleAtFixedRate(this::look, period, period, TimeUnit.MILLISECONDS);
  }

  /** Servers may have gone, or come: one that is not to be used any more is left. */
  public void review() {
    post(
        () -> {
          FeedServer present = open == null ? null : home;
          if (present != null && servers.get().stream().noneMatch(present::is)) {
            lost(present + ": it is not one of the servers any more");
          }
        });
  }

  /** Ends all connections and threads. */
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

  /** Reads as the account of the feed, where the feed comes from. */
  public PrivilegedReader reader() {
    return reader;
  }

  /** The feed as it is now. */
  public FeedStatus status() {
    return tally.status();
  }

  /**
   * Asks how far the server has got: the changelog is read once more.
   *
   * @param told hears, on the thread of the feed, up to where it has been told what has happened;
   *     {@link Position#NONE} if that cannot be known now, and at once if too many wait already
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
      LOG.debug("a changelog cannot be followed: a defect", e); // as often as it is tried
      next++;
      lost(at + "a defect: " + e);
    }
  }

  private void begin(FeedServer server) throws IOException {
    ChangelogLink now = new ChangelogLink(link.open(server));
    open = now;
    if (session != null && !server.is(home)) {
      forget(FeedGap.HISTORY_LOST); // each server numbers for itself
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

  /** No record tells of what is imported as a whole, or done while the server is away. */
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

  // What is in the changelog

  private void read() {
    scheduled.set(false);
    List<Consumer<Position>> waiting = asked.take(); // before the question is sent
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
      waiting.forEach(told -> told.accept(Position.NONE)); // or nobody would ask again for long
    }
  }

  /** False if nobody who waits was answered. */
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

  /** False if there is nothing to tell. */
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

  /** How many could be told: those before the first of which is not known what it has made. */
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

  /** All is told that was there; false if a number is missing. */
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
