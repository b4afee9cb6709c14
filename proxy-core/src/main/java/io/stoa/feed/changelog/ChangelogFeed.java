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
      Config config, SyncContext sync, Supplier<List<FeedServer>> servers, FeedSink sink) {
    super(
        config,
        sync,
        servers,
        new FeedStats(sync.context(), BY, config.bounds(), sink),
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
    ChangelogLink newConnection = new ChangelogLink(link.open(server));
    connection = newConnection;
    if (session != null && !server.isSameAs(feedServer)) {
      forget(FeedGap.HISTORY_LOST); // change numbers differ between servers
    }
    feedServer = server;
    verify(newConnection);
    session = session == null ? newSession(newConnection, server) : session;
    stats.setPhase(Phase.REFRESHING, server.name(), "");
    newConnection.listen(
        this::onNotification,
        why -> post(() -> onConnectionEnded(newConnection, server + ": " + why)));
    schedulePoll();
  }

  private RetroSession newSession(ChangelogLink changelog, FeedServer server) throws IOException {
    ChangelogRange range = ChangelogRange.of(changelog, config.account().dn());
    histories++;
    String origin = sync.context() + "#changelog@" + server.name() + "/" + histories;
    return new RetroSession(origin, range.last(), range.unseen(), System.nanoTime());
  }

  /** Detects an import or restore, and a restart, since records do not report them. */
  private void verify(ChangelogLink changelog) throws IOException {
    String currentId = changelog.databaseId(config.base());
    if (session != null && !Objects.equals(currentId, databaseId)) {
      forget(FeedGap.DATABASE_REPLACED);
    }
    databaseId = currentId;
    if (currentId == null) {
      throw new DescribedException(ChangelogLink.noDatabaseIdText(config.base()));
    }
  }

  private void onConnectionEnded(ChangelogLink endedConnection, String why) {
    if (connection == endedConnection) {
      onLost(why);
    }
  }

  @Override
  protected void onLost(String why) {
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
    List<Consumer<Position>> receivers = pendingPolls.take(); // before the search is sent
    ChangelogLink changelog = connection;
    FeedServer server = feedServer;
    boolean answered = false;
    try {
      answered = changelog != null && server != null && read(changelog, server, receivers);
    } catch (IOException e) {
      onLost(server + ": " + FailureText.of(e));
    } catch (RuntimeException e) {
      LOG.error(
          "feed of {}: a record of the changelog could not be processed: internal error. The feed"
              + " begins anew",
          sync.context(),
          e);
      forget(FeedGap.HISTORY_LOST);
      onLost(server + ": a change could not be processed");
    }
    if (!answered) {
      // otherwise no requester would try again for long
      receivers.forEach(receiver -> receiver.accept(Position.NONE));
    }
  }

  /** Reads all new records. Returns false if the waiting requests were not answered. */
  private boolean read(
      ChangelogLink changelog, FeedServer server, List<Consumer<Position>> receivers)
      throws IOException {
    if (!receivers.isEmpty()) {
      verify(changelog);
    }
    boolean any = false;
    boolean more = true;
    RetroSession currentSession = session;
    while (more) {
      currentSession = session == null ? newSession(changelog, server) : session;
      session = currentSession;
      any |= report(currentSession, lateRecords(currentSession, changelog), changelog);
      Page page = changelog.records(currentSession.from());
      RetroSession readSession = currentSession;
      boolean anchored =
          page.records().stream().anyMatch(one -> one.number() == readSession.from());
      long lastNumber = anchored ? Long.MAX_VALUE : changelog.lastChangeNumber();
      PollResult result = currentSession.take(page.records(), lastNumber, System.nanoTime());
      FeedGap gap = result.gap();
      if (gap != null) {
        forget(gap);
      }
      boolean reported = report(currentSession, result.news(), changelog);
      any |= reported;
      more = gap != null || (page.more() && reported);
    }
    return currentSession != null && isRead(currentSession, server, receivers, any);
  }

  private static List<RetroRecord> lateRecords(RetroSession currentSession, ChangelogLink changelog)
      throws IOException {
    return changelog.records(currentSession.passedOver(System.nanoTime()));
  }

  private void forget(FeedGap gap) {
    session = null;
    setLive(false);
    stats.onGap(gap);
  }

  /** Reports records. Returns false if there are none. */
  private boolean report(
      RetroSession currentSession, List<RetroRecord> records, ChangelogLink changelog)
      throws IOException {
    Set<Long> ruleChanges = rules.among(records, changelog::readModifications);
    RetroChanges changes = new RetroChanges(sync, base(), ruleChanges);
    int reportedCount = 0;
    while (reportedCount < records.size()) {
      List<RetroRecord> unreported = records.subList(reportedCount, records.size());
      List<Uuid> wanted =
          unreported.stream().filter(changes::wantsImage).map(RetroRecord::entry).toList();
      ReadBatch batch =
          entries.read(wanted, (uuids, found) -> changelog.entries(config.base(), uuids, found));
      reportedCount += report(currentSession, unreported, changes, batch);
    }
    return !records.isEmpty();
  }

  private NormalDn base() {
    return sync.rules().name(config.base().getBytes(StandardCharsets.UTF_8));
  }

  /** Reports records up to the first whose entry has not been read. Returns the number reported. */
  private int report(
      RetroSession currentSession,
      List<RetroRecord> records,
      RetroChanges changes,
      ReadBatch batch) {
    int reportedCount = 0;
    for (RetroRecord record : records) {
      if (changes.wantsImage(record) && !batch.settled().contains(record.entry())) {
        return reportedCount;
      }
      Position position = currentSession.position(record);
      Change change = changes.of(record, batch.images(), position);
      if (change == null) {
        stats.onCovered(position);
      } else {
        stats.onChange(change);
      }
      currentSession.onReported(record, System.nanoTime());
      reportedCount++;
    }
    return reportedCount;
  }

  /**
   * Called when all available records are reported. Returns false if a change number is missing.
   */
  private boolean isRead(
      RetroSession currentSession,
      FeedServer server,
      List<Consumer<Position>> receivers,
      boolean any) {
    if (!currentSession.isWaiting()) {
      onLive(currentSession, server);
      receivers.forEach(receiver -> receiver.accept(currentSession.position()));
    }
    int tried = any ? TRIES : tries.getAndIncrement();
    if (any) {
      tries.set(TRIES);
    }
    if ((tried < TRIES || currentSession.isWaiting())
        && repollScheduled.compareAndSet(false, true)) {
      long millis = 1L << Math.min(tried, TRIES);
      executor.schedule(this::pollAgain, millis, TimeUnit.MILLISECONDS);
    }
    return !currentSession.isWaiting();
  }

  private void pollAgain() {
    repollScheduled.set(false);
    schedulePoll();
  }

  private void onLive(RetroSession currentSession, FeedServer server) {
    if (!isLive()) {
      setLive(true);
      reader.useServer(server);
      stats.onLive(currentSession.position());
    }
  }
}
