// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.changelog;

import io.stoa.feed.changelog.ChangedEntries.ReadBatch;
import io.stoa.feed.changelog.ChangelogLink.Page;
import io.stoa.feed.changelog.RetroSession.PollResult;
import io.stoa.feed.connection.FeedServer;
import io.stoa.feed.event.Change;
import io.stoa.feed.event.FeedGap;
import io.stoa.feed.event.FeedKind;
import io.stoa.feed.event.FeedSink;
import io.stoa.feed.syncrepl.FeedStats;
import io.stoa.feed.syncrepl.FeedStatus.Phase;
import io.stoa.feed.syncrepl.FeedSupervisor;
import io.stoa.feed.syncrepl.SyncContext;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.net.transport.DescribedException;
import io.stoa.net.transport.FailureText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Set;
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
public final class ChangelogFeed extends FeedSupervisor {
  private static final Logger LOG = LoggerFactory.getLogger(ChangelogFeed.class);
  private static final String BY = "retro changelog";

  /**
   * Number of polls after a notification: 7, with doubling pauses. The server notifies before the
   * record is written.
   */
  private static final int TRIES = 7;

  private final SyncContext sync;
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private final AtomicInteger tries = new AtomicInteger(TRIES);
  private final PendingPolls pendingPolls = new PendingPolls();
  private final AtomicBoolean repollScheduled = new AtomicBoolean();
  private final ChangedEntries entries;
  private final ChangedRules rules = new ChangedRules();
  private @Nullable RetroSession session;
  private @Nullable String databaseId;
  private int histories;
  private @Nullable FeedServer feedServer;
  private volatile @Nullable ChangelogLink connection;

  /**
   * Creates a feed.
   *
   * @param servers the servers that hold the naming context, in order of preference
   * @param sink receives the changes, on one thread
   */
  public ChangelogFeed(
      Config terms, SyncContext sync, Supplier<List<FeedServer>> servers, FeedSink sink) {
    super(
        terms,
        sync,
        servers,
        new FeedStats(sync.context(), BY, terms.bounds(), sink),
        "stoa-changelog");
    this.sync = sync;
    this.entries = new ChangedEntries(sync);
  }

  @Override
  public FeedKind kind() {
    return FeedKind.CHANGELOG;
  }

  /**
   * Requests the position of the server, by reading the changelog once more.
   *
   * @param receiver receives the position up to which all changes have been reported, on the thread
   *     of the feed. Receives {@link Position#NONE} if it cannot be known now, at once if too many
   *     requests wait
   */
  @Override
  public void requestPosition(Consumer<Position> receiver) {
    if (pendingPolls.add(receiver)) {
      schedulePoll();
    } else {
      receiver.accept(Position.NONE);
    }
  }

  private void schedulePoll() {
    if (scheduled.compareAndSet(false, true)) {
      post(this::read);
    }
  }

  private void onNotification() {
    tries.set(0);
    schedulePoll();
  }

  // Connections

  @Override
  protected void begin(FeedServer server, int candidates) throws IOException {
    ChangelogLink now = new ChangelogLink(link.open(server));
    connection = now;
    if (session != null && !server.isSameAs(feedServer)) {
      forget(FeedGap.HISTORY_LOST); // change numbers differ between servers
    }
    feedServer = server;
    verify(now);
    session = session == null ? anew(now, server) : session;
    stats.setPhase(Phase.REFRESHING, server.name(), "");
    now.listen(
        this::onNotification, why -> post(() -> onConnectionEnded(now, server + ": " + why)));
    schedulePoll();
  }

  private RetroSession anew(ChangelogLink from, FeedServer server) throws IOException {
    ChangelogRange offer = ChangelogRange.of(from, terms.account().dn());
    histories++;
    String origin = sync.context() + "#changelog@" + server.name() + "/" + histories;
    return new RetroSession(origin, offer.last(), offer.unseen(), System.nanoTime());
  }

  /** Detects an import or restore, and a restart, since records do not report them. */
  private void verify(ChangelogLink from) throws IOException {
    String now = from.databaseId(terms.base());
    if (session != null && !Objects.equals(now, databaseId)) {
      forget(FeedGap.DATABASE_REPLACED);
    }
    databaseId = now;
    if (now == null) {
      throw new DescribedException(ChangelogLink.noDatabaseIdText(terms.base()));
    }
  }

  private void onConnectionEnded(ChangelogLink which, String why) {
    if (connection == which) {
      lost(why);
    }
  }

  @Override
  protected void lost(String why) {
    if (isStopped()) {
      return;
    }
    if (isLive()) {
      stats.onLost(why);
    } else {
      stats.setPhase(Phase.CONNECTING, "", why);
    }
    reconnect(false);
  }

  @Override
  protected void disconnect() {
    cancelRequests();
    connection = null;
    if (session != null) {
      session.onDisconnect();
    }
  }

  @Override
  protected void cancelRequests() {
    ChangelogLink present = connection;
    if (present != null) {
      present.close();
    }
  }

  @Override
  protected void onKeepAlive() {
    schedulePoll();
  }

  // Reading the changelog

  private void read() {
    scheduled.set(false);
    List<Consumer<Position>> waiting = pendingPolls.take(); // before the search is sent
    ChangelogLink from = connection;
    FeedServer server = feedServer;
    boolean answered = false;
    try {
      answered = from != null && server != null && read(from, server, waiting);
    } catch (IOException e) {
      lost(server + ": " + FailureText.of(e));
    } catch (RuntimeException e) {
      LOG.error("changelog record failed: internal error. The feed begins anew", e);
      forget(FeedGap.HISTORY_LOST);
      lost(server + ": a change could not be processed");
    }
    if (!answered) {
      // otherwise no requester would try again for long
      waiting.forEach(receiver -> receiver.accept(Position.NONE));
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
      any |= report(now, late(now, from), from);
      Page page = from.records(now.from());
      RetroSession at = now;
      boolean anchored = page.records().stream().anyMatch(one -> one.number() == at.from());
      long counted = anchored ? Long.MAX_VALUE : from.lastChangeNumber();
      PollResult taken = now.take(page.records(), counted, System.nanoTime());
      FeedGap gap = taken.gap();
      if (gap != null) {
        forget(gap);
      }
      boolean news = report(now, taken.news(), from);
      any |= news;
      more = gap != null || (page.more() && news);
    }
    return now != null && isRead(now, server, waiting, any);
  }

  private static List<RetroRecord> late(RetroSession now, ChangelogLink from) throws IOException {
    return from.records(now.passedOver(System.nanoTime()));
  }

  private void forget(FeedGap gap) {
    session = null;
    setLive(false);
    stats.onGap(gap);
  }

  /** Reports records. Returns false if there are none. */
  private boolean report(RetroSession now, List<RetroRecord> news, ChangelogLink from)
      throws IOException {
    Set<Long> ruling = rules.among(news, from::modifications);
    RetroChanges changes = new RetroChanges(sync, base(), ruling);
    int told = 0;
    while (told < news.size()) {
      List<RetroRecord> rest = news.subList(told, news.size());
      List<Uuid> wanted =
          rest.stream().filter(changes::wantsImage).map(RetroRecord::entry).toList();
      ReadBatch looks =
          entries.read(wanted, (some, found) -> from.entries(terms.base(), some, found));
      told += report(now, rest, changes, looks);
    }
    return !news.isEmpty();
  }

  private NormalDn base() {
    return sync.rules().name(terms.base().getBytes(StandardCharsets.UTF_8));
  }

  /** Reports records up to the first whose entry has not been read. Returns the number reported. */
  private int report(
      RetroSession now, List<RetroRecord> news, RetroChanges changes, ReadBatch looks) {
    int told = 0;
    for (RetroRecord record : news) {
      if (changes.wantsImage(record) && !looks.settled().contains(record.entry())) {
        return told;
      }
      Position position = now.position(record);
      Change change = changes.of(record, looks.images(), position);
      if (change == null) {
        stats.onCovered(position);
      } else {
        stats.onChange(change);
      }
      now.onReported(record, System.nanoTime());
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
      waiting.forEach(receiver -> receiver.accept(now.position()));
    }
    int tried = any ? TRIES : tries.getAndIncrement();
    if (any) {
      tries.set(TRIES);
    }
    if ((tried < TRIES || now.isWaiting()) && repollScheduled.compareAndSet(false, true)) {
      long millis = 1L << Math.min(tried, TRIES);
      executor.schedule(this::pollAgain, millis, TimeUnit.MILLISECONDS);
    }
    return !now.isWaiting();
  }

  private void pollAgain() {
    repollScheduled.set(false);
    schedulePoll();
  }

  private void live(RetroSession now, FeedServer server) {
    if (!isLive()) {
      setLive(true);
      reader.useServer(server);
      stats.onLive(now.position());
    }
  }
}
